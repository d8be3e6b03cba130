// What is in the database file. A file says which program it belongs to and how many of these steps it has seen; tables
// that come later are further steps at the end of the list.

import type { DatabaseSync } from 'node:sqlite'
import { JournalError } from '../model/errors.ts'

/** "Legw", so that no other program's database is taken for a journal. */
const applicationId = 0x4c_65_67_77

/*
 * One index alone, because each costs every call 7 microseconds, and looking through a million entries for a tool takes
 * 0.14 seconds without one.
 */
const steps = [
  `CREATE TABLE entries (
    seq INTEGER PRIMARY KEY CHECK (seq BETWEEN 1 AND 9007199254740991),
    previous_hash TEXT NOT NULL,
    at TEXT NOT NULL,
    phase TEXT NOT NULL,
    call_id TEXT NOT NULL,
    parent_id TEXT,
    caller TEXT NOT NULL,
    tool TEXT NOT NULL,
    kind TEXT,
    input TEXT,
    decision TEXT,
    code TEXT,
    level TEXT NOT NULL,
    message TEXT,
    duration_ms REAL,
    process TEXT,
    skill TEXT,
    script TEXT,
    hash TEXT NOT NULL
  ) STRICT;
  CREATE INDEX entries_by_call ON entries (call_id, phase);
  CREATE TABLE starting_point (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    seq INTEGER NOT NULL,
    hash TEXT NOT NULL
  ) STRICT;`,
  `CREATE TABLE approvals (
    id TEXT PRIMARY KEY,
    key TEXT NOT NULL,
    caller TEXT NOT NULL,
    request TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'approved', 'refused', 'used')),
    reason TEXT,
    asked_at INTEGER NOT NULL,
    deadline INTEGER NOT NULL
  ) STRICT;`,
  `ALTER TABLE approvals ADD COLUMN asker TEXT NOT NULL DEFAULT '';`,
] as const

/** Brings a new or older file up to date. */
export function updateSchema(database: DatabaseSync, path: string): void {
  if (knownSteps(database, path) === steps.length) return
  transact(database, 'BEGIN IMMEDIATE', () => {
    // Another process may have been faster.
    const missing = steps.slice(readSteps(database, path))
    if (missing.length === 0) return
    database.exec(missing.join('\n'))
    database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${steps.length}`)
  })
}

/** Checks a file that may not be changed. */
export function checkSchema(database: DatabaseSync, path: string): void {
  const known = knownSteps(database, path)
  if (known === steps.length) return
  const message =
    known === 0
      ? `The file "${path}" is empty: no journal has been begun in it.`
      : `The journal "${path}" is of an older Legwork. Open it once for writing, by any call, to bring it up to date.`
  throw new JournalError(path, message)
}

/** How many steps a file has seen. Refuses one that is another program's or a newer Legwork's. */
export function knownSteps(database: DatabaseSync, path: string): number {
  // In one transaction, because another process may be making the file at this moment.
  return transact(database, 'BEGIN', () => readSteps(database, path))
}

function readSteps(database: DatabaseSync, path: string): number {
  const owner = pragma(database, 'application_id')
  const version = pragma(database, 'user_version')
  const isNew = owner === 0 && version === 0 && pragma(database, 'schema_version') === 0
  if (owner !== applicationId && !isNew) {
    const message = `The file "${path}" is a database of another program. Set "journal.path" to another file.`
    throw new JournalError(path, message)
  }
  if (version > steps.length) {
    const message = `The journal "${path}" was written by a newer Legwork (format ${version}; this one knows ${steps.length}). Update Legwork, or set "journal.path" to another file.`
    throw new JournalError(path, message)
  }
  return version
}

function pragma(database: DatabaseSync, name: string): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name])
}

function transact<T>(database: DatabaseSync, begin: 'BEGIN' | 'BEGIN IMMEDIATE', work: () => T): T {
  database.exec(begin)
  try {
    const result = work()
    database.exec('COMMIT')
    return result
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}
