// Runs a command line as it is: no metadata, no policy, no journal. What an executor runs takes the one path instead.

import { resolve } from 'node:path'
import { startDeadline } from '../base/deadline.ts'
import { LegworkError } from '../model/errors.ts'
import { checkLimit } from '../model/limits.ts'
import type { ProcessReport } from '../model/outcome.ts'
import type { Confinement } from '../run/confinement.ts'
import type { ResourceLimits } from '../run/limits.ts'
import { runProcess } from '../run/process.ts'
import { ExecutionError } from './errors.ts'
import { type Shell, shellArgv } from './shell.ts'

export interface ExecutionOptions {
  /** Longest it may run, in milliseconds. Default 30 000, at most 600 000. */
  readonly timeout?: number | undefined
  /** How many bytes of each output stream are kept. Default 1 048 576, at most ten times that. */
  readonly maxOutputSize?: number | undefined
  /** Where it runs. Default: the working directory. */
  readonly cwd?: string | undefined
  /** Variables it gets on top of the few that every program gets. Default none. */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** Whether a shell reads the command, or which; it never reads an argument. Default false. */
  readonly shell?: Shell | undefined
  /** Gets standard output as it comes. A promise holds the program back until it settles. */
  readonly onStdout?: ((text: string) => void | Promise<void>) | undefined
  readonly onStderr?: ((text: string) => void | Promise<void>) | undefined
  /** How far it is shut in. Default `processes`: nothing that it starts outlives it. */
  readonly confine?: Confinement | undefined
  /** Bounds on its memory, processor time and processes. Default none. */
  readonly resources?: ResourceLimits | undefined
}

export interface CommandOptions extends ExecutionOptions {
  /** Ends it. Default never. */
  readonly signal?: AbortSignal | undefined
  /** What it reads from standard input. Default nothing. */
  readonly stdin?: string | Uint8Array | undefined
}

/** What came of a run. An exit code that is not 0 is a result like any other. */
export interface ExecutionResult {
  readonly command: readonly string[]
  /** Whether it ended by itself with exit code 0. */
  readonly success: boolean
  readonly exitCode: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
  /** How much there was in truth. */
  readonly stdoutBytes: number
  readonly stderrBytes: number
  /** Whether there was more than was kept. */
  readonly truncated: boolean
  readonly timedOut: boolean
  readonly durationMs: number
  /** The bounds it ran within, for those who tell of it. */
  readonly limits: { readonly timeout: number; readonly maxOutputSize: number }
}

/** Runs it to its end. A text is a command for the shell, and is refused without one. Throws `ExecutionError` when it cannot be started. */
export function executeCommand(
  command: string | readonly string[],
  options: CommandOptions = {},
): Promise<ExecutionResult> {
  const { shell = false, ...rest } = options
  if (typeof command === 'string') {
    if (shell === false) {
      const message = `"${command}" is one text, and there is no shell to read it. Write it as a list of words, or set "shell".`
      throw new LegworkError('invalid-tool', message)
    }
    return spawnWithTimeout([typeof shell === 'string' ? shell : '/bin/sh', '-c', command], rest)
  }
  const [program = '', ...words] = command
  return spawnWithTimeout(shell ? shellArgv(shell, program, words) : command, rest)
}

/** Starts a program and ends it, with everything it started, when its time is over. */
export async function spawnWithTimeout(
  command: readonly string[],
  options: Omit<CommandOptions, 'shell'> = {},
): Promise<ExecutionResult> {
  const { cwd = '.', env, stdin, signal, onStdout, onStderr, confine = 'processes', resources } = options
  const timeout = checkLimit('timeoutMs', options.timeout)
  const maxOutputSize = checkLimit('maxOutputBytes', options.maxOutputSize)
  const listeners = { stdout: onStdout, stderr: onStderr }
  const startedAt = performance.now()
  const deadline = startDeadline(timeout, signal)
  try {
    const result = await runProcess({
      argv: command,
      cwd: resolve(cwd),
      env,
      stdin,
      maxOutputBytes: maxOutputSize,
      signal: deadline.signal,
      confine,
      ...(resources && { profile: { limits: resources } }),
      ...((onStdout || onStderr) && { onOutput: (stream, text) => listeners[stream]?.(text) }),
    })
    const [program = ''] = command
    if (!result.started) throw new ExecutionError(program, command, result.message, { cause: result.reason })
    if (deadline.cause() === 'cancelled') throw new ExecutionError(program, command, `"${program}" was cancelled.`)
    const durationMs = performance.now() - startedAt
    return resultOf(result.report, deadline.cause() === 'timed-out', durationMs, { timeout, maxOutputSize })
  } finally {
    deadline.stop()
  }
}

/** What a process's report is to those who use this door. */
export function resultOf(
  { argv, exitCode, signal, stdout, stderr, stdoutBytes, stderrBytes, truncated }: ProcessReport,
  timedOut: boolean,
  durationMs: number,
  limits: ExecutionResult['limits'],
): ExecutionResult {
  const output = { stdout, stderr, stdoutBytes, stderrBytes, truncated }
  const success = exitCode === 0 && !timedOut
  return { command: argv, success, exitCode, signal, ...output, timedOut, durationMs, limits }
}
