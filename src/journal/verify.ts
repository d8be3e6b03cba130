// Walks the whole chain and says what was changed, and where.

import type { DatabaseSync } from 'node:sqlite'
import { checkLink, type Fault, genesis, type Link } from './chain.ts'
import type { Verification, VerifyOptions } from './journal.ts'
import { type Pruning, pruningOf } from './pruning.ts'
import { readHead, readOthers, readPages, readStart } from './read.ts'
import type { Row } from './row.ts'

const pageSize = 1000
const mostFaults = 100

export function verifyChain(database: DatabaseSync, { head: kept, onEntries }: VerifyOptions): Verification {
  const wanted = kept?.trim().toLowerCase()
  const head = readHead(database)
  let start = readStart(database)
  let last = start
  let entries = 0
  // The number of the entry that was named.
  let found = wanted === genesis.hash ? 0 : wanted === start.hash ? start.seq : undefined
  const faults: Fault[] = []
  const prunings: Recorded[] = []

  for (const row of rows(database, head)) {
    // Entries that are gone were pruned at this moment, if the chain now begins behind them.
    if (row[0] > last.seq + 1) {
      start = readStart(database)
      if (start.seq > last.seq) last = start
    }
    const fault = checkLink(last, row)
    if (fault && faults.length < mostFaults) faults.push(fault)
    if (!fault) prunings.push(...recordedIn(row))
    last = linkAfter(last, row)
    if (last.hash === wanted) found ??= last.seq
    entries++
    if (entries % pageSize === 0) onEntries?.(entries)
  }
  if (wanted !== undefined && found === undefined) faults.push(cutOff(wanted, start, last))
  // One that began while we looked has its entry behind the last that we saw.
  faults.push(...checkBeginning(start, [...prunings, ...readOthers(database, head.seq).flatMap(recordedIn)], found))
  return { ok: faults.length === 0, entries, faults, start, head }
}

function* rows(database: DatabaseSync, head: Link): Generator<Row> {
  for (const page of readPages(database, head.seq, pageSize)) yield* page
}

/** A row before the beginning does not count; any other is what the next must follow, so that one fault is told once. */
function linkAfter(last: Link, row: Row): Link {
  const hash = row.at(-1)
  return row[0] > last.seq && typeof hash === 'string' ? { seq: row[0], hash } : last
}

/** A pruning, and the number of the entry that tells of it. */
interface Recorded extends Pruning {
  readonly by: number
}

function recordedIn(row: Row): readonly Recorded[] {
  const pruning = pruningOf(row)
  return pruning && pruning.seq < row[0] ? [{ ...pruning, by: row[0] }] : []
}

/** What is gone from the beginning must have gone by a pruning, and by one that whoever kept a head can know of. */
function checkBeginning(start: Link, prunings: readonly Recorded[], kept: number | undefined): Fault[] {
  if (start.seq === 0) return []
  const { seq } = start
  const recorded = prunings.find((pruning) => {
    const isHere = pruning.from <= seq && seq <= pruning.seq
    return isHere && (seq < pruning.seq || pruning.hash === start.hash)
  })
  if (!recorded) {
    const message = `The journal begins after entry ${seq}, and no entry tells of a pruning up to there: the beginning was cut off.`
    return [{ seq, kind: 'unrecorded', message }]
  }
  if (kept === undefined || recorded.by <= kept) return []
  const message = `Everything up to entry ${seq} was removed by a pruning that entry ${recorded.by} tells of, later than the head that was named (entry ${kept}). If nobody pruned the journal since that head was kept, somebody cut its beginning off; else keep a newer head.`
  return [{ seq, kind: 'pruned-since', message }]
}

function cutOff(wanted: string, start: Link, last: Link): Fault {
  const pruned = start.seq > 0 ? `, unless it was pruned (the journal begins after entry ${start.seq})` : ''
  const message = `No entry has the hash ${wanted}: the end was cut off, or entries were replaced${pruned}. The journal ends at entry ${last.seq}.`
  return { seq: last.seq, kind: 'cut-off', message }
}
