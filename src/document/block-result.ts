// What one block gave: a result or an error, never both, and how long it took.

import { isObject, type Json, toJson } from '../base/json.ts'
import type { PendingNotice } from '../model/approval.ts'
import { type Outcome, type OutcomeCode, outcomeCodes, type ProcessReport } from '../model/outcome.ts'
import type { Issue } from '../model/schema.ts'
import type { ReadResult, Used } from './stored-results.ts'

export interface BlockResult {
  /** What the tool gave back; missing when it failed. `null`, `false`, `0` and `""` are results too. */
  readonly result?: Json
  readonly error?: BlockError
  /** Milliseconds. */
  readonly duration?: number
  /** The tool's id; as the document names it where there is no such tool. */
  readonly tool?: string
  /** The call's id in the journal. Missing where the block could not be called at all. */
  readonly callId?: string
  /** When, as ISO 8601 in UTC. */
  readonly startedAt?: string
  /** The blocks whose results it asked for, those without one included; `all` when it went through them or asked for very many. */
  readonly used?: Used
  /** A hash of what the block was when it ran: tool, parameters, content and the results it used. Missing within custom tools. */
  readonly hash?: string
  readonly warnings?: readonly string[]
}

interface ErrorDetails {
  /** Every fault of the parameters. */
  readonly issues?: readonly Issue[] | undefined
  /** What some failures give all the same, such as a report. */
  readonly value?: Json | undefined
  /** What the process that failed printed. */
  readonly process?: ProcessReport | undefined
  /** The question that waits for a person, where that is why. */
  readonly approval?: PendingNotice | undefined
}

/** Why a block has no result: an outcome's code and message, as an error. */
export class BlockError extends Error {
  readonly code: OutcomeCode
  declare readonly issues?: readonly Issue[]
  declare readonly value?: Json
  declare readonly process?: ProcessReport
  declare readonly approval?: PendingNotice

  constructor(code: OutcomeCode, message: string, { issues, value, process, approval }: ErrorDetails = {}) {
    super(message)
    this.name = 'BlockError'
    this.code = code
    if (issues) this.issues = issues
    if (value !== undefined) this.value = value
    if (process) this.process = process
    if (approval) this.approval = approval
    // Where in Legwork it was made helps nobody, and JSON would not keep it.
    delete this.stack
  }

  toJSON(): Record<string, unknown> {
    const { code, message, issues, value, process, approval } = this
    return {
      code,
      message,
      ...(issues && { issues }),
      ...(value !== undefined && { value }),
      ...(process && { process }),
      ...(approval && { approval }),
    }
  }
}

/** The result of a block that was called. Frozen: a later block may read it, and change nothing. */
export function resultOf(outcome: Outcome): BlockResult {
  const { tool, callId, startedAt, durationMs: duration, warnings } = outcome
  const about = { duration, tool, callId, startedAt, ...(warnings.length > 0 && { warnings }) }
  if (outcome.ok) return deepFreeze({ result: outcome.value, ...about })
  const { code, message, value, process } = outcome
  const issues = 'issues' in outcome ? outcome.issues : undefined
  const approval = 'approval' in outcome ? outcome.approval : undefined
  return deepFreeze({ error: new BlockError(code, message, { issues, value, process, approval }), ...about })
}

/** The result of a block that could not be called. */
export function failedResult(code: OutcomeCode, message: string, tool: string, issues?: readonly Issue[]): BlockResult {
  return deepFreeze({ error: new BlockError(code, message, { issues }), duration: 0, tool })
}

/** As it would be read from a document's text. */
export function readResult({ result = null, error }: BlockResult): ReadResult {
  return error ? { ok: false, code: error.code, message: error.message } : { ok: true, value: result }
}

/** Reads a stored result; `refuse` makes the error for one that is none. */
export function resultFrom(stored: Record<string, unknown>, refuse: (fault: string) => Error): BlockResult {
  const { result, error, duration, tool, callId, startedAt, used, hash, warnings } = stored
  if (result !== undefined && error !== undefined) throw refuse('both a result and an error are there')
  const made = toJson(result)
  if (!made.ok) throw refuse(`the result cannot be read: ${made.message}`)
  return deepFreeze({
    ...(result !== undefined && { result: made.json }),
    ...(error !== undefined && { error: errorFrom(error, refuse) }),
    ...(typeof duration === 'number' && { duration }),
    ...(typeof tool === 'string' && { tool }),
    ...(typeof callId === 'string' && { callId }),
    ...(typeof startedAt === 'string' && { startedAt }),
    ...(Array.isArray(used) ? { used: texts(used) } : used === 'all' && { used }),
    ...(typeof hash === 'string' && { hash }),
    ...(Array.isArray(warnings) && { warnings: texts(warnings) }),
  })
}

function texts(list: readonly unknown[]): readonly string[] {
  return list.filter((item) => typeof item === 'string')
}

function errorFrom(stored: unknown, refuse: (fault: string) => Error): BlockError {
  if (stored instanceof BlockError) return stored
  if (!isObject(stored) || typeof stored.message !== 'string') throw refuse('the error has no message')
  const code = outcomeCodes.find((known) => known === stored.code)
  if (code === undefined) throw refuse(`the error's code is none of ${outcomeCodes.join(', ')}`)
  const { issues, value, process, approval } = stored
  const made = toJson({ issues, value, process, approval })
  if (!made.ok) throw refuse(`the error cannot be read: ${made.message}`)
  return new BlockError(code, stored.message, made.json as ErrorDetails)
}

/** Values are as deep as JSON in memory may be at most, so this may be recursive. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const inner of Object.values(value)) deepFreeze(inner)
  return Object.freeze(value)
}
