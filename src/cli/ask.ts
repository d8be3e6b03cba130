// Asks the person at the terminal, on stderr, with everything the call would do in view.

import type { ShownRequest } from '../model/approval.ts'
import type { ApprovalRequest, Approve } from '../model/decision.ts'
import { describeRequest as describe } from '../policy/describe-request.ts'
import { paint } from './print.ts'
import { withoutProgress } from './progress.ts'

/** Nobody is asked where there is no terminal: the call then ends with exit code 4. */
export function askOnTerminal(): Approve | undefined {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined
  return (request) => withoutProgress(() => ask(request))
}

async function ask(request: ApprovalRequest): Promise<boolean> {
  const { createInterface } = await import('node:readline/promises')
  process.stderr.write(`${describeRequest(request)}\n`)
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  // Ctrl-C at the question is Ctrl-C for the command.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  try {
    const answer = await lines.question('Run it? [y/N] ', { signal: request.signal })
    return /^\s*y(es)?\s*$/i.test(answer)
  } finally {
    lines.close()
  }
}

/** In colours, where standard error has them. */
export function describeRequest(request: ShownRequest): string {
  return describe(request, (style, text) => paint(style, text, process.stderr))
}
