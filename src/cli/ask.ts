// Asks the person at the terminal, on stderr, with everything the call would do in view.

import type { ApprovalRequest, Approve } from '../model/decision.ts'
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

/** The full command line, or the whole input, with the prose that goes with it. */
export function describeRequest(request: Omit<ApprovalRequest, 'signal'>): string {
  const { tool, title, description, argv, input, content, reasons } = request
  const aside = (style: Parameters<typeof paint>[0], text: string) => paint(style, unhidden(text), process.stderr)
  return [
    `${aside('bold', title === undefined ? tool : `${title} (${tool})`)} asks to run: ${aside('reset', description)}`,
    ...reasons.map((reason) => `  ${aside('yellow', reason)}`),
    `  ${aside('cyan', argv ? argv.map(quoted).join(' ') : JSON.stringify(input, null, 2))}`,
    ...(content === undefined ? [] : [`  ${aside('cyan', JSON.stringify(content))}`]),
  ].join('\n')
}

/** Arguments are quoted, so that none can pass for two. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}

/** What a person says yes to must be what runs: characters that a terminal would obey or hide are spelt out, never dropped. */
function unhidden(text: string): string {
  return text.replace(/[^\P{C}\n]|[\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, (letter) => {
    return `\\u{${letter.codePointAt(0)?.toString(16)}}`
  })
}
