// Asks the person at the terminal, on stderr, with everything the call would do in view.

import type { ApprovalRequest, Approve } from '../model/decision.ts'
import { paint } from './print.ts'

/** Nobody is asked where there is no terminal: the call then ends with exit code 4. */
export function askOnTerminal(): Approve | undefined {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined
  return async (request) => {
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
}

/** The full command line, or the whole input. Arguments are quoted, so that none can pass for two. */
export function describeRequest({ tool, description, argv, input, reasons }: ApprovalRequest): string {
  const paintAside = (style: Parameters<typeof paint>[0], text: string) => paint(style, text, process.stderr)
  return [
    `${paintAside('bold', tool)} asks to run: ${paintAside('reset', description)}`,
    ...reasons.map((reason) => `  ${paintAside('yellow', reason)}`),
    argv
      ? `  ${paintAside('cyan', argv.map(quoted).join(' '))}`
      : `  ${paintAside('cyan', JSON.stringify(input, null, 2))}`,
  ].join('\n')
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}
