// The built command on a pseudo-terminal, by util-linux's `script`, as a person sees it.

import { spawn, spawnSync } from 'node:child_process'
import { commandFile } from './command.ts'

/** Why tests that need a terminal are skipped, on a machine that has none to give. */
export const noTerminal =
  spawnSync('script', ['--version']).status !== 0 && !process.env.CI && 'script (util-linux) is not installed'

export interface TerminalOptions {
  readonly cwd: string
  /** Typed once the question is there. Default: nothing. */
  readonly keys?: string
  /** Default: the question whether a call may run. */
  readonly question?: string
  /** Sends its standard output there instead of to the terminal. Default: the terminal. */
  readonly stdout?: string
  readonly env?: Readonly<Record<string, string>>
  /** What Node runs. Default: the built command. */
  readonly file?: string
  /** Told what was printed so far; may type. */
  readonly onOutput?: (output: string, type: (keys: string) => void) => void
}

export function onTerminal(
  words: readonly string[],
  { cwd, keys, question = 'Run it?', stdout, env, file = commandFile, onOutput }: TerminalOptions,
): Promise<{ output: string; exitCode: number | null }> {
  const line = [process.execPath, file, ...words].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
  const command = stdout === undefined ? line : `${line} > '${stdout}'`
  return new Promise((resolve, reject) => {
    const child = spawn('script', ['-qec', command, '/dev/null'], {
      cwd,
      env: { PATH: process.env.PATH, HOME: cwd, TERM: 'xterm', ...env },
    })
    let output = ''
    let isTyped = keys === undefined
    child.stdin.on('error', () => {})
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      onOutput?.(output, (typed) => child.stdin.write(typed))
      if (isTyped || !output.includes(question)) return
      isTyped = true
      child.stdin.write(keys ?? '')
    })
    child.on('error', reject)
    child.on('close', (exitCode) => resolve({ output, exitCode }))
  })
}

/** What stands on the screen after that output: what was wiped or written over is gone. */
export function screenOf(output: string): string {
  const lines: string[][] = [[]]
  let row = 0
  let column = 0
  for (const [part] of output.matchAll(/\u001b\[[\d;?]*[A-Za-z]|./gsu)) {
    lines[row] ??= []
    const line = lines[row] ?? []
    if (part === '\n') row++
    else if (part === '\r') column = 0
    else if (/[KJ]$/.test(part) && part.length > 1) line.length = part.includes('2') ? 0 : Math.min(column, line.length)
    else if (part.endsWith('G') && part.length > 1) column = Number.parseInt(part.slice(2), 10) - 1 || 0
    else if (part.length === 1) line[column++] = part
  }
  return lines.map((line) => Array.from(line, (letter) => letter ?? ' ').join('')).join('\n')
}
