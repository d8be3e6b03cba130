// A journal in a file.

import { resolve } from 'node:path'
import { createJournal } from './create.ts'
import { openDatabase } from './database.ts'
import type { Journal, JournalOptions } from './journal.ts'
import { journalError } from './sqlite-errors.ts'

/** Opens the journal at a path, or begins one there. Throws a JournalError where that is impossible or not safe. */
export function openJournal(options: JournalOptions): Journal {
  const path = resolve(options.path)
  const database = openDatabase({ ...options, path })
  try {
    return createJournal(database, { ...options, path })
  } catch (error) {
    database.close()
    throw journalError(path, error)
  }
}
