// Adding entries to the end of the chain.

import type { DatabaseSync } from 'node:sqlite'
import type { EntryFields } from '../model/entry.ts'
import { JournalError } from '../model/errors.ts'
import { hashOf, type Link } from './chain.ts'
import { linkOf, readHead } from './read.ts'
import { type Cell, cellsOf, columns } from './row.ts'

/** Runs the work in one transaction that holds the write lock from its beginning. */
export type Transact = (work: () => void) => void

export function createTransact(database: DatabaseSync): Transact {
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  return (work) => {
    begin.run()
    try {
      work()
      commit.run()
    } catch (error) {
      // After some errors, such as a full disk, SQLite has rolled back by itself.
      if (database.isTransaction) database.exec('ROLLBACK')
      throw error
    }
  }
}

/** Adds entries to the end of the chain, inside a transaction. The end as it was may be looked at first. */
export type AppendCells = (entries: readonly (readonly Cell[])[], check?: (head: Link) => void) => Link

export function createAppend(database: DatabaseSync, path: string): AppendCells {
  const last = database.prepare('SELECT seq, hash FROM entries ORDER BY seq DESC LIMIT 1')
  const insert = database.prepare(`INSERT INTO entries (${columns.join()}) VALUES (${columns.map(() => '?').join()})`)
  return (entries, check) => {
    let head = linkOf(last.get()) ?? readHead(database)
    check?.(head)
    for (const cells of entries) {
      const next: Link = { seq: head.seq + 1, hash: hashOf(head.seq + 1, head.hash, cells) }
      const { changes } = insert.run(next.seq, head.hash, ...cells, next.hash)
      if (changes !== 1)
        throw new JournalError(path, `The journal "${path}" drops entries: it has a trigger. Remove it.`)
      head = next
    }
    return head
  }
}

/** Returns the function that adds entries, all of them or none. It throws at once where the write lock is taken. */
export function createWrite(transact: Transact, append: AppendCells, path: string) {
  let written: Link | undefined

  return (entries: readonly EntryFields[]): void => {
    let head: Link | undefined
    transact(() => {
      head = append(entries.map(cellsOf), (now) => {
        if (written) checkStillThere(path, written, now)
      })
    })
    written = head
  }
}

/** What this process wrote last must be there, or be followed by what others wrote. */
function checkStillThere(path: string, written: Link, head: Link): void {
  if (head.seq > written.seq || head.hash === written.hash) return
  const message = `The journal "${path}" has lost entries: it ends at ${head.seq}, and ${written.seq} was written. Someone cut or restored it. Run "legwork audit verify", then start again to go on with what is there.`
  throw new JournalError(path, message)
}
