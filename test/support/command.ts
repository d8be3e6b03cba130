// The built command, run as a person runs it.

import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

export const commandFile = join(import.meta.dirname, '../../dist/cli/main.js')

if (!existsSync(commandFile)) throw new Error('dist/ is missing. Run "npm run build" first.')

export interface CommandResult {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface CommandOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
  /** Who runs it. Default: whoever runs the tests. */
  readonly uid?: number
  readonly gid?: number
  /** Told of the process once it runs. */
  readonly onSpawn?: (child: ChildProcess) => void
}

export function runLegwork(
  words: readonly string[],
  { cwd, env, stdin = '', onSpawn, ...user }: CommandOptions,
): Promise<CommandResult> {
  const common = { PATH: process.env.PATH, HOME: cwd, NO_COLOR: '1', NODE_DISABLE_COMPILE_CACHE: '1' }
  const child = spawn(process.execPath, [commandFile, ...words], { ...user, cwd, env: { ...common, ...env } })
  const result = resultOf(child, stdin)
  onSpawn?.(child)
  return result
}

/** What a process printed and how it ended. */
export function resultOf(child: ChildProcessWithoutNullStreams, stdin: string): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const output = { stdout: '', stderr: '' }
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output.stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output.stderr += text
    })
    child.on('error', reject)
    child.on('close', (exitCode) => resolve({ exitCode, ...output }))
    child.stdin.on('error', () => {}).end(stdin)
  })
}
