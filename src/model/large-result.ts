// A result that is too long to be handed over at once: kept for a while, and read in parts by its address.

import type { Outcome } from './outcome.ts'

export interface KeptResult {
  /** `legwork://results/<id>`: whoever knows it may read the result, so it is told to the caller alone. */
  readonly uri: string
  readonly mediaType: 'application/json' | 'text/plain'
  /** How long the whole is, in bytes of UTF-8. */
  readonly bytes: number
  /** When it is gone, as ISO 8601 in UTC; earlier where room is needed for newer ones. */
  readonly expiresAt: string
  /** Its beginning, and how to read on: what a client shows in its place. */
  readonly preview: string
}

export interface ResultPart {
  readonly uri: string
  readonly mediaType: KeptResult['mediaType']
  readonly text: string
  /** Where this part begins, in bytes. */
  readonly offset: number
  /** Where the next part begins; missing at the end. */
  readonly nextOffset?: number
  /** How long the whole is, in bytes. */
  readonly bytes: number
}

/** What a front that hands results to a model needs of them. */
export interface LargeResults {
  /** Keeps what an outcome gave back; undefined where it is short enough to be handed over as it is, or cannot be kept. Never throws. */
  readonly keep: (outcome: Outcome) => Promise<KeptResult | undefined>
  /** A part, by the address alone (the first one) or with `?offset=N&length=N`; undefined where there is none, or no more. */
  readonly read: (uri: string) => Promise<ResultPart | undefined>
}

/** What clients are told that they may read. */
export const resultTemplate = 'legwork://results/{id}{?offset,length}'
