// From what a run gave back to the outcome that every front gets: JSON, redacted, rendered, cut to length.

import { toJson } from '../base/json.ts'
import type { Decision } from '../model/decision.ts'
import type { Limits } from '../model/limits.ts'
import type { Failure, FailureBase, Outcome, ProcessReport } from '../model/outcome.ts'
import { withNotes } from './notes.ts'
import { type Places, sanitizePaths } from './paths.ts'
import type { Redactor } from './redact.ts'
import { render } from './render.ts'
import { visibleText } from './visible.ts'

type OwnFields<F> = F extends unknown ? Omit<F, Exclude<keyof FailureBase, 'ok' | 'message'>> : never

/** How a call ended, before it is finished. Every way there is, refusals included. */
export type Ending = {
  readonly process?: ProcessReport
  readonly valueApart?: boolean
  readonly warnings?: readonly string[]
  readonly record?: unknown
} & ({ readonly ok: true; readonly value: unknown } | (OwnFields<Failure> & { readonly value?: unknown }))

export interface Circumstances {
  readonly callId: string
  readonly tool: string
  readonly title?: string
  readonly startedAt: string
  readonly durationMs: number
  readonly decision: Decision | undefined
  readonly warnings: readonly string[]
  /** Those of the warnings that a model is told. Default none. */
  readonly notes?: readonly string[]
}

/** Secrets go first, then length: a secret that is cut in two would no longer be found. */
export function finish(
  { valueApart = false, ...ending }: Ending,
  circumstances: Circumstances,
  redactor: Redactor,
  limits: Limits,
  places?: Places,
): Outcome {
  const { decision, notes = [], ...rest } = circumstances
  const told = { ...withoutBeginnings(asJson(ending), redactor), ...rest, ...(decision && { decision }) }
  const whole = { ...told, warnings: [...rest.warnings, ...(ending.warnings ?? [])] }
  const redacted = withOwnNumbers(redactor.value(whole), whole)
  const text = withNotes(
    textOf({ ...(places ? withShortPaths(redacted, places) : redacted), valueApart }, redactor, limits),
    redacted.warnings.filter((_, at) => notes.includes(whole.warnings[at] ?? '')),
    limits.maxTextLength,
  )
  return { ...redacted, text } as Outcome
}

/** Our own measurements are no secrets, whichever digits they have. */
function withOwnNumbers<T extends Ending & { readonly durationMs: number }>(redacted: T, own: T): T {
  const { durationMs, process } = own
  const { exitCode, stdoutBytes, stderrBytes } = process ?? {}
  return {
    ...redacted,
    durationMs,
    ...('afterMs' in own && { afterMs: own.afterMs }),
    ...(process && { process: { ...redacted.process, exitCode, stdoutBytes, stderrBytes } }),
  }
}

/** Strings are redacted each for itself: where making them visible drops what stood between two, they are looked at together. */
function textOf(redacted: Ending, redactor: Redactor, limits: Limits): string {
  const rendered = render(redacted, limits.maxOutputBytes)
  const visible = visibleText(rendered)
  return visible === rendered ? rendered : redactor.text(visible)
}

/** What a model reads about a failure tells it which file, and nothing about the machine. */
function withShortPaths(ending: Ending, places: Places): Ending {
  if (ending.ok) return ending
  const short = (text: string) => sanitizePaths(text, places)
  const { process } = ending
  return {
    ...ending,
    message: short(ending.message),
    ...('issues' in ending && { issues: ending.issues.map((issue) => ({ ...issue, message: short(issue.message) })) }),
    ...(process && { process: { ...process, stderr: short(process.stderr) } }),
  }
}

/** A value that JSON cannot hold is the tool's failure, with the place of it. */
function asJson(ending: Ending): Ending {
  if (ending.value === undefined) return ending.ok ? { ...ending, value: null } : ending
  const made = toJson(ending.value)
  if (made.ok) return { ...ending, value: made.json }
  const { process, warnings } = ending
  const message = `The tool returned a value that cannot be passed on. ${made.message}`
  return { ok: false, code: 'tool-failed', message, ...(process && { process }), ...(warnings && { warnings }) }
}

/** Where output was cut off at its limit, the beginning of a secret may stand at the very end. */
function withoutBeginnings(ending: Ending, redactor: Redactor): Ending {
  const { process, value } = ending
  if (!process?.truncated) return ending
  const stdout = redactor.text(process.stdout, true)
  const stderr = redactor.text(process.stderr, true)
  const told = typeof value === 'string' ? { value: redactor.text(value, true) } : {}
  return { ...ending, ...told, process: { ...process, stdout, stderr } }
}
