// A yes or no at the terminal, for verbs that change a file. Where there is no terminal, the answer is no.

import { print, printAside, printJson } from './print.ts'

export interface Change {
  readonly file: string
  /** What the change is, for a person. */
  readonly shown: string
  readonly question: string
}

export interface AgreeOptions {
  readonly json?: boolean
  /** Agrees without a question. Default false. */
  readonly yes?: boolean
}

/** Shows a change and asks. The exit code where there is no yes; undefined where there is one. */
export async function refused({ file, shown, question }: Change, options: AgreeOptions): Promise<number | undefined> {
  const { json, yes } = options
  const asks = !yes && hasTerminal()
  if (!json) print(shown)
  else if (asks) printAside(shown)
  if (yes || (asks && (await confirm(question)))) return undefined
  const message = asks ? 'Nothing was written.' : 'Nothing was written. Say yes with --yes.'
  if (json) printJson({ ok: false, code: asks ? 'denied' : 'approval-needed', message, file })
  else printAside(message)
  return asks ? 3 : 4
}

/** Ctrl-C ends the command. */
export async function confirm(question: string): Promise<boolean> {
  if (!hasTerminal()) return false
  const { createInterface } = await import('node:readline/promises')
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')))
  lines.once('SIGINT', () => {
    lines.close()
    process.stderr.write('\n')
    process.exit(130)
  })
  try {
    const answer = lines.question(`${question} [y/N] `).catch(() => '')
    return /^\s*y(es)?\s*$/i.test(await Promise.race([answer, ended]))
  } finally {
    lines.close()
  }
}

function hasTerminal(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true
}
