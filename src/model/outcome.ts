// What a call gave back: one shape for every success and every failure, told apart by `ok` and then by `code`.

import type { Json } from '../base/json.ts'
import type { PendingNotice } from './approval.ts'
import type { Decision } from './decision.ts'
import type { Issue } from './schema.ts'

export const outcomeCodes = [
  'unknown-tool',
  'invalid-input',
  'denied',
  'approval-needed',
  'timed-out',
  'cancelled',
  'tool-failed',
  'not-runnable',
  'too-busy',
] as const
export type OutcomeCode = (typeof outcomeCodes)[number]

export type NotRunnableReason =
  | 'not-found'
  | 'not-executable'
  | 'bad-directory'
  | 'too-large'
  | 'interpreter-not-found'
  | 'dependency-missing'
  | 'journal'
  | 'confinement'

/** Why a tool's own guard, and not the policy, says no. */
export type DeniedReason = 'path-security' | 'script-permission' | 'tool-restriction'

/** What held a process together: a namespace that ends with it, or only its process group. */
export type Containment = 'namespace' | 'group'

export interface ProcessReport {
  readonly argv: readonly string[]
  readonly exitCode: number | null
  readonly signal: string | null
  /** What was kept of the output. */
  readonly stdout: string
  readonly stderr: string
  /** How much there was in truth. */
  readonly stdoutBytes: number
  readonly stderrBytes: number
  readonly truncated: boolean
  readonly containment: Containment
}

interface OutcomeBase {
  readonly callId: string
  /** The tool's id; for an unknown tool the name as it was given. */
  readonly tool: string
  /** What people call the tool, where it has a title. */
  readonly title?: string
  /** What a model is shown: redacted, cut to length, safe to print. */
  readonly text: string
  readonly startedAt: string
  readonly durationMs: number
  readonly warnings: readonly string[]
  readonly decision?: Decision
  readonly process?: ProcessReport
  /** What a script, a document or a contract called, in order. */
  readonly calls?: readonly CallSummary[]
  /** What a language model was asked by the tool and by those that it called, such as for the values of variables. */
  readonly modelUse?: ModelUse
}

/** Questions to a language model, with the tokens that they took where the model says so. */
export interface ModelUse {
  /** `provider:name`; of several models, all of them, with commas between. */
  readonly model: string
  /** How often it was asked, repeats and questions without an answer included. */
  readonly calls: number
  readonly inputTokens?: number
  readonly outputTokens?: number
}

export interface CallSummary {
  readonly callId: string
  readonly tool: string
  readonly ok: boolean
  readonly code?: OutcomeCode
  readonly durationMs: number
}

export interface Success extends OutcomeBase {
  readonly ok: true
  readonly value: Json
}

export interface FailureBase extends OutcomeBase {
  readonly ok: false
  readonly message: string
  /** Some failures have a value all the same, such as a contract's report. */
  readonly value?: Json
}

export type Failure = FailureBase &
  (
    | { readonly code: 'unknown-tool'; readonly nearest: readonly string[] }
    | { readonly code: 'invalid-input'; readonly issues: readonly Issue[] }
    | { readonly code: 'timed-out'; readonly afterMs: number }
    | { readonly code: 'not-runnable'; readonly reason: NotRunnableReason }
    | { readonly code: 'denied'; readonly reason?: DeniedReason }
    | { readonly code: 'approval-needed'; readonly approval?: PendingNotice }
    | { readonly code: 'cancelled' | 'tool-failed' | 'too-busy' }
  )

export type Outcome = Success | Failure

const exitCodes: { readonly [Code in OutcomeCode]: number } = {
  'unknown-tool': 2,
  'invalid-input': 2,
  denied: 3,
  'approval-needed': 4,
  'timed-out': 124,
  cancelled: 130,
  'tool-failed': 1,
  'not-runnable': 1,
  'too-busy': 1,
}

/** The exit code of a command whose call ended so. */
export function exitCodeOf(outcome: Outcome): number {
  return outcome.ok ? 0 : exitCodes[outcome.code]
}
