// Walks the whole chain and says what was changed, and where.

import type { DatabaseSync } from 'node:sqlite'
import { checkLink, type Fault, genesis, type Link } from './chain.ts'
import type { Verification, VerifyOptions } from './journal.ts'
import { readHead, readPages, readStart } from './read.ts'
import type { Row } from './row.ts'

const pageSize = 1000
const mostFaults = 100

export function verifyChain(database: DatabaseSync, { head: kept, onEntries }: VerifyOptions): Verification {
  const wanted = kept?.trim().toLowerCase()
  const head = readHead(database)
  let start = readStart(database)
  let last = start
  let entries = 0
  let found = wanted === undefined || wanted === genesis.hash || wanted === start.hash
  const faults: Fault[] = []

  for (const row of rows(database, head)) {
    // Entries that are gone were pruned at this moment, if the chain now begins behind them.
    if (row[0] > last.seq + 1) {
      start = readStart(database)
      if (start.seq > last.seq) last = start
    }
    const fault = checkLink(last, row)
    if (fault && faults.length < mostFaults) faults.push(fault)
    last = linkAfter(last, row)
    found ||= last.hash === wanted
    entries++
    if (entries % pageSize === 0) onEntries?.(entries)
  }
  if (!found) faults.push(cutOff(wanted ?? '', start, last))
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

function cutOff(wanted: string, start: Link, last: Link): Fault {
  const pruned = start.seq > 0 ? `, unless it was pruned (the journal begins after entry ${start.seq})` : ''
  const message = `No entry has the hash ${wanted}: the end was cut off, or entries were replaced${pruned}. The journal ends at entry ${last.seq}.`
  return { seq: last.seq, kind: 'cut-off', message }
}
