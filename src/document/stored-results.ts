// Results as they are handed in for writing back, read from a text, and checked.

import type { Json } from '../base/json.ts'

/** What write-back needs of an execution state: its blocks, in order. A `Map` of them will do. */
export interface ResultsLike {
  readonly blocks: Iterable<readonly [string, ResultLike]>
}

/** An error, or else a result; a block that did not run is not in the list. */
export interface ResultLike {
  readonly result?: unknown
  readonly error?: { readonly message: string; readonly code?: unknown } | undefined
  /** Milliseconds. */
  readonly duration?: number
  readonly startedAt?: string
  readonly used?: Used
  /** What the block was when it ran; see `BlockResult`. Default: that of the block it is written to. */
  readonly hash?: string
}

/** The blocks whose results a block asked for, by their ids; `all` when it went through them or asked for very many. */
export type Used = readonly string[] | 'all'

export interface WithResultsOptions {
  /** Writes when each block ran and how long it took. Default false, so that the same results give the same text. */
  readonly times?: boolean
}

/** A result that a document holds, parsed. */
export type ReadResult =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly code: string; readonly message: string }

export interface ResultCheck {
  readonly blockId: string
  /**
   * `fresh`: it belongs to the block as it is. `stale`: tool, parameters, content or a result it used have changed since.
   * `unknown`: it has no hash, so nobody can tell. `missing`: there is none.
   */
  readonly state: 'fresh' | 'stale' | 'unknown' | 'missing'
  readonly line: number
  readonly message: string
}
