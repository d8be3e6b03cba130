// Retention: removes the oldest entries, a few thousand at a time, so that nobody waits long for the write lock. Each step
// moves the recorded starting point along, so the chain is whole whenever it stops. Before the first of them, an entry of its own
// says what is about to go: a beginning that was cut off by hand has none.

import type { DatabaseSync } from 'node:sqlite'
import type { Clock } from '../base/clock.ts'
import type { BusyQueue } from './busy-queue.ts'
import type { Pruned, PruneOptions } from './journal.ts'
import { pruningCells } from './pruning.ts'
import { checkWhole, linkAt, linkOf, momentOf, readHead, readStart } from './read.ts'
import type { AppendCells, Transact } from './write.ts'

const stepSize = 2000

export interface PruneParts {
  readonly database: DatabaseSync
  readonly transact: Transact
  readonly append: AppendCells
  readonly queue: BusyQueue
  readonly clock: Clock
}

export async function pruneEntries(parts: PruneParts, options: PruneOptions): Promise<Pruned> {
  const { database, transact, append, queue, clock } = parts
  let lastSeq = 0
  await queue.run(() =>
    transact(() => {
      lastSeq = lastToRemove(database, options)
      const last = linkAt(database, lastSeq)
      if (last) append([pruningCells({ ...last, from: readStart(database).seq + 1 }, clock)])
    }),
  )
  let entries = 0
  for (let removed = stepSize; removed === stepSize; entries += removed) {
    await queue.run(() =>
      transact(() => {
        removed = removeStep(database, lastSeq)
      }),
    )
    options.onEntries?.(entries + removed)
  }
  if (entries > 0) await queue.run(() => giveBackSpace(database))
  return { entries, start: readStart(database) }
}

function lastToRemove(database: DatabaseSync, options: PruneOptions): number {
  const head = readHead(database).seq
  if ('keep' in options) {
    checkWhole('keep', options.keep)
    return head - options.keep
  }
  const moment = momentOf('before', options.before)
  const kept = database.prepare('SELECT seq, hash FROM entries WHERE at >= ? ORDER BY seq LIMIT 1').get(moment)
  return (linkOf(kept)?.seq ?? head + 1) - 1
}

function removeStep(database: DatabaseSync, lastSeq: number): number {
  const chosen = `SELECT seq, hash FROM entries WHERE seq <= ? ORDER BY seq LIMIT ${stepSize}`
  const end = linkOf(database.prepare(`SELECT * FROM (${chosen}) ORDER BY seq DESC LIMIT 1`).get(lastSeq))
  if (!end) return 0
  database.prepare('INSERT OR REPLACE INTO starting_point (only, seq, hash) VALUES (1, ?, ?)').run(end.seq, end.hash)
  return Number(database.prepare('DELETE FROM entries WHERE seq <= ?').run(end.seq).changes)
}

function giveBackSpace(database: DatabaseSync): void {
  database.exec('PRAGMA incremental_vacuum')
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
}
