// Joins the parts of a journal: the chain, the reading, the waiting for others.

import type { DatabaseSync } from 'node:sqlite'
import { systemClock } from '../base/clock.ts'
import type { EntryFields } from '../model/entry.ts'
import { JournalError, type LegworkError } from '../model/errors.ts'
import { createApprovals } from './approvals.ts'
import { createBusyQueue } from './busy-queue.ts'
import { defaultLockTimeoutMs } from './database.ts'
import { watchFile } from './file.ts'
import type { Journal, JournalOptions } from './journal.ts'
import { pruneEntries } from './prune.ts'
import { readEntries, readHead, readPages } from './read.ts'
import { entryOf } from './row.ts'
import { isBusy, journalError } from './sqlite-errors.ts'
import { verifyChain } from './verify.ts'
import { createAppend, createTransact, createWrite } from './write.ts'

/** A journal over an open database. Without a path it is in memory. */
export function createJournal(database: DatabaseSync, options: Partial<JournalOptions>): Journal {
  const { path, readOnly = false, lockTimeoutMs: timeoutMs = defaultLockTimeoutMs, clock = systemClock } = options
  const name = path ?? ':memory:'
  const isWatched = path !== undefined && !readOnly
  const checkFile = isWatched ? watchFile(path, path) : () => {}
  const checkWal = isWatched ? watchFile(path, `${path}-wal`) : () => {}
  const queue = createBusyQueue({ timeoutMs, isBusy })
  const transact = createTransact(database)
  const append = createAppend(database, name)
  const write = createWrite(transact, append, name)

  function failure(error: unknown): LegworkError {
    return database.isOpen ? journalError(name, error) : closed()
  }
  function closed(): JournalError {
    return new JournalError(name, `The journal "${name}" is closed. Open it again to use it.`)
  }
  function fail(error: unknown): never {
    throw failure(error)
  }
  function guarded<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw failure(error)
    }
  }
  function checkWritable(): void {
    if (readOnly) throw new JournalError(name, `The journal "${name}" was opened for reading only.`)
    checkFile()
  }

  const approvals = createApprovals(database, clock, {
    read: guarded,
    change: async (work) => {
      try {
        checkWritable()
        await queue.run(() => transact(work))
      } catch (error) {
        throw failure(error)
      }
    },
  })

  return {
    path,
    approvals,
    append(entries: readonly EntryFields[]) {
      try {
        return queue
          .run(() => {
            checkWritable()
            // Checked less often than the file itself, because it takes time: before anything starts.
            if (entries[0]?.phase === 'start') checkWal()
            write(entries)
          })
          ?.catch(fail)
      } catch (error) {
        throw failure(error)
      }
    },
    read: (filter = {}) => guarded(() => readEntries(database, filter, 'all')),
    interrupted: (filter = {}) => guarded(() => readEntries(database, filter, 'interrupted')),
    *pages(size = 1000) {
      try {
        for (const page of readPages(database, readHead(database).seq, size)) yield page.map(entryOf)
      } catch (error) {
        throw failure(error)
      }
    },
    verify: (verifyOptions = {}) => guarded(() => verifyChain(database, verifyOptions)),
    head: () => guarded(() => readHead(database)),
    async prune(pruneOptions) {
      guarded(checkWritable)
      return pruneEntries({ database, transact, append, queue, clock }, pruneOptions).catch(fail)
    },
    close() {
      queue.close(closed())
      if (database.isOpen) database.close()
    },
  }
}
