// Opens the SQLite file that the journal is kept in.

import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { JournalError } from '../model/errors.ts'
import { runPatiently } from './busy-queue.ts'
import { checkReadable, prepareFile, syncFolder } from './file.ts'
import type { JournalOptions } from './journal.ts'
import { checkSchema, knownSteps, updateSchema } from './schema.ts'
import { sqlite } from './sqlite.ts'
import { isBusy, isUnwritable, journalError } from './sqlite-errors.ts'

/** How long SQLite itself may wait for a lock: short, because the event loop stands still meanwhile. */
const busyTimeoutMs = 50

export const defaultLockTimeoutMs = 5000

export function openDatabase(options: JournalOptions): DatabaseSync {
  const { path, durability, readOnly, lockTimeoutMs: timeoutMs = defaultLockTimeoutMs } = options
  try {
    if (readOnly) checkReadable(path)
    else prepareFile(path)
    const open = readOnly ? () => openForReading(path) : () => openForWriting(path, durability)
    return runPatiently(open, { timeoutMs, isBusy })
  } catch (error) {
    throw journalError(path, error)
  }
}

function openForWriting(path: string, durability: JournalOptions['durability'] = 'process'): DatabaseSync {
  return openAnd(new sqlite.DatabaseSync(path, { timeout: busyTimeoutMs }), (database) => {
    // Looked at before anything is set: a file that is another program's stays as it is.
    if (knownSteps(database, path) === 0) database.exec('PRAGMA auto_vacuum = INCREMENTAL')
    useWriteAheadLog(database, path)
    database.exec('PRAGMA journal_size_limit = 4194304; PRAGMA secure_delete = ON')
    database.exec(
      durability === 'power' ? 'PRAGMA synchronous = FULL; PRAGMA fullfsync = ON' : 'PRAGMA synchronous = NORMAL',
    )
    updateSchema(database, path)
    if (durability === 'power') syncFolder(path)
  })
}

function useWriteAheadLog(database: DatabaseSync, path: string): void {
  const mode = database.prepare('PRAGMA journal_mode = WAL').get()?.journal_mode
  if (mode === 'wal') return
  const message = `The file system of the journal "${path}" cannot share it between processes. Set "journal.path" to a file on a local disk.`
  throw new JournalError(path, message)
}

function openForReading(path: string): DatabaseSync {
  const options = { readOnly: true, timeout: busyTimeoutMs }
  const check = (database: DatabaseSync) => checkSchema(database, path)
  try {
    return openAnd(new sqlite.DatabaseSync(path, options), check)
  } catch (error) {
    // Readers need a file beside the journal, which cannot be made in a read-only folder. Unless a part of the journal is
    // still in its "-wal" file, nobody is writing, and it can be read as it lies.
    if (!isUnwritable(error) || statSync(`${path}-wal`, { throwIfNoEntry: false })?.size) throw error
    const url = pathToFileURL(path)
    url.searchParams.set('immutable', '1')
    return openAnd(new sqlite.DatabaseSync(url, options), check)
  }
}

function openAnd(database: DatabaseSync, prepare: (database: DatabaseSync) => void): DatabaseSync {
  try {
    prepare(database)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}
