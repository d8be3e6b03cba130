// One line of the journal.

import type { Verdict } from './decision.ts'
import type { OutcomeCode } from './outcome.ts'
import type { ToolKind } from './tool.ts'

export const levels = ['info', 'warning', 'error'] as const
export type Level = (typeof levels)[number]

/** What the engine hands to the journal; secrets are redacted in it already. */
export interface EntryFields {
  /** When, as ISO 8601 in UTC. */
  readonly at: string
  readonly phase: 'start' | 'end'
  readonly callId: string
  readonly parentId?: string
  readonly caller: string
  readonly tool: string
  /** Missing where the tool is unknown. */
  readonly kind?: ToolKind
  /** The input as JSON text, cut to length. */
  readonly input?: string
  readonly decision?: { readonly verdict: Verdict; readonly rule: string; readonly reasons: readonly string[] }
  /** How it ended: missing at the start, and when all went well. */
  readonly code?: OutcomeCode
  readonly level: Level
  readonly message?: string
  readonly durationMs?: number
  readonly process?: {
    readonly argv: readonly string[]
    readonly exitCode: number | null
    readonly signal: string | null
    readonly stdoutBytes: number
    readonly stderrBytes: number
    readonly truncated: boolean
  }
  readonly skill?: string
  readonly script?: string
}

export interface Entry extends EntryFields {
  readonly seq: number
  readonly previousHash: string
  readonly hash: string
}
