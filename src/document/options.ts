// How a document is run: which blocks, how long, and what the host brings.

import type { Clock } from '../base/clock.ts'
import type { Caller } from '../model/call.ts'
import type { DocumentEvent, DocumentHooks } from './events.ts'
import type { ResolveVariables } from './resolve-variables.ts'
import type { Selection } from './select.ts'

export type DocumentOptions = Selection & RunOptions

export interface RunOptions {
  /** What an earlier run gave, as it was or as JSON: its results are there, and what it did is not done again. Default none. */
  readonly state?: unknown
  /** Whether the rest is left alone once a block fails. Default false: it runs on. */
  readonly stopOnError?: boolean
  /** Longest one block may run, in milliseconds. Default: its tool's own limit, else the engine's. */
  readonly blockTimeoutMs?: number
  /** Longest the whole may run, in milliseconds. Default and at most 600,000. */
  readonly timeoutMs?: number
  /** How long each block waits for a person's answer that is not given in place, in milliseconds. Default 0. */
  readonly approvalWaitMs?: number
  /** Ends the run, and the block that is running. */
  readonly signal?: AbortSignal
  /** Finds the values of variables. Default: nobody, so that a block that needs one fails. */
  readonly resolveVariables?: ResolveVariables
  /** What the host lends to its tools. Default nothing. */
  readonly api?: unknown
  readonly hooks?: DocumentHooks
  /** Told of everything as it happens. */
  readonly onEvent?: (event: DocumentEvent) => void
  /** What the run is called in the journal. Default: the file's name. */
  readonly name?: string
  /** Who runs it. Default: the library. */
  readonly caller?: Caller
  /** Default: the system's. */
  readonly clock?: Clock
}
