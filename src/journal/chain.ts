// The hash chain: every entry carries the hash of the one before, so that a change shows, and shows where. Pure.

import { hash } from 'node:crypto'
import type { Cell, Row } from './row.ts'

/** One entry's place in the chain. */
export interface Link {
  readonly seq: number
  readonly hash: string
}

export interface Fault {
  readonly seq: number
  readonly kind: 'edited' | 'missing' | 'misplaced' | 'inserted' | 'cut-off' | 'unrecorded' | 'pruned-since'
  readonly message: string
}

/** What the first entry of a journal follows. */
export const genesis: Link = { seq: 0, hash: '0'.repeat(64) }

/**
 * The SHA-256 of an entry's number, the hash before it and all its cells. They are written as a JSON array, where
 * every text has its own quotes: no two different entries have the same writing.
 */
export function hashOf(seq: number, previousHash: string, cells: readonly Cell[]): string {
  return hash('sha256', JSON.stringify([seq, previousHash, ...cells]))
}

/** What is wrong with an entry that stands next after the last one; undefined when nothing is. */
export function checkLink(last: Link, [seq, previousHash, ...rest]: Row): Fault | undefined {
  const expected = last.seq + 1
  if (seq < expected) return fault(seq, 'inserted', `Entry ${seq} was inserted: the chain begins at ${expected}.`)
  if (seq > expected) return fault(expected, 'missing', `${missing(expected, seq - 1)} missing.`)
  const follows = previousHash === last.hash
  const intact = hashOf(seq, previousHash, rest.slice(0, -1)) === rest.at(-1)
  if (follows && intact) return undefined
  if (follows) return fault(seq, 'edited', `Entry ${seq} was edited.`)
  const reason = intact
    ? `does not follow entry ${last.seq}: that one was replaced, or this one was put here`
    : `is not the one that was written here: it was moved, or put in the place of another`
  return fault(seq, 'misplaced', `Entry ${seq} ${reason}.`)
}

function missing(first: number, last: number): string {
  return first === last ? `Entry ${first} is` : `Entries ${first} to ${last} are`
}

function fault(seq: number, kind: Fault['kind'], message: string): Fault {
  return { seq, kind, message }
}
