// What came of a run as text for a model: secrets first, then the forms of the specification, then length.

import { machinePlaces } from '../base/machine-places.ts'
import { sanitizePaths } from '../outcome/paths.ts'
import { createRedactor, type Redactor } from '../outcome/redact.ts'
import { render } from '../outcome/render.ts'
import { type TruncateMode, truncateText } from '../outcome/truncate.ts'
import { visibleText } from '../outcome/visible.ts'
import type { ExecutionResult } from './execution.ts'

export interface OutputOptions {
  /** How many characters it may have. Default 100 000. */
  readonly maxLength?: number | undefined
  /** Which part of a longer one is kept. Default `head`; `middle` keeps the end too, where errors are. */
  readonly truncate?: TruncateMode | undefined
  /** Whether secrets are hidden. Default true. */
  readonly redactSecrets?: boolean | undefined
  /** More patterns of secrets. Default none. */
  readonly redactPatterns?: readonly (string | RegExp)[] | undefined
  /** Whether what was printed on standard error is part of it. Default true. */
  readonly includeStderr?: boolean | undefined
  /** Default true. */
  readonly includeExitCode?: boolean | undefined
  /** The folder that paths in error messages are shown relative to. Default: the working directory. */
  readonly workspace?: string | undefined
}

const defaultMaxLength = 100_000

/** The result as text: what was printed, then how it ended. */
export function formatResult(result: ExecutionResult, options: OutputOptions = {}): string {
  const { redactSecrets = true, redactPatterns } = options
  const redact = redactSecrets ? redactorOf(redactPatterns).text : (text: string) => text
  return formatRedacted({ ...result, stdout: redact(result.stdout), stderr: redact(result.stderr) }, options)
}

/** The same for a result without secrets in it. */
export function formatRedacted(result: ExecutionResult, options: OutputOptions): string {
  const { includeStderr = true, includeExitCode = true } = options
  const { success, timedOut, limits, exitCode, signal, stdout, truncated } = result
  const stderr = includeStderr ? (success ? result.stderr : formatError(result.stderr, options)) : ''
  const process = {
    ...result,
    argv: result.command,
    exitCode,
    signal,
    stdout,
    stderr,
    truncated,
    containment: 'group',
  } as const
  const message = ''
  const ending = success
    ? ({ ok: true, value: null, process } as const)
    : timedOut
      ? ({ ok: false, code: 'timed-out', message, afterMs: limits.timeout, process } as const)
      : ({ ok: false, code: 'tool-failed', message, process } as const)
  const text = render(ending, limits.maxOutputSize)
  return shorten(visibleText(includeExitCode || timedOut ? text : withoutLastLine(text)), options)
}

/** A message about what went wrong, with nothing about the machine in it. */
export function formatError(message: string, { workspace = process.cwd() }: Pick<OutputOptions, 'workspace'>): string {
  return sanitizePaths(message, machinePlaces(workspace))
}

/** The text with `[REDACTED]` in place of secrets: well-known ones, and whatever the patterns match. */
export function filterSecrets(output: string, patterns: readonly (string | RegExp)[] = none): string {
  return redactorOf(patterns).text(output)
}

/** At most so many characters, with `[TRUNCATED]` where something was cut. */
export function truncateOutput(output: string, maxLength: number, mode: TruncateMode = 'head'): string {
  return truncateText(output, maxLength, mode)
}

/** Both, each on lines of its own. */
export function combineStreams(stdout: string, stderr: string): string {
  return [stdout, stderr]
    .filter((text) => text !== '')
    .map((text) => text.replace(/\n$/, ''))
    .join('\n')
}

/** What a redactor takes of patterns: their source, with the one flag that changes what they match. */
export function patternSources(patterns: readonly (string | RegExp)[]): readonly string[] {
  return patterns.map((pattern) => {
    if (typeof pattern === 'string') return pattern
    return pattern.ignoreCase ? `(?i:${pattern.source})` : pattern.source
  })
}

const none: readonly never[] = []
const redactors = new WeakMap<readonly (string | RegExp)[], Redactor>()

/** Patterns are compiled once for each list of them. */
function redactorOf(patterns: readonly (string | RegExp)[] = none): Redactor {
  const known = redactors.get(patterns) ?? createRedactor({ patterns: patternSources(patterns) })
  redactors.set(patterns, known)
  return known
}

function shorten(text: string, { maxLength = defaultMaxLength, truncate = 'head' }: OutputOptions): string {
  return truncateText(text, maxLength, truncate)
}

function withoutLastLine(text: string): string {
  return text.slice(0, Math.max(0, text.lastIndexOf('\n')))
}
