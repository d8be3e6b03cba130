// A journal that ends with the process, otherwise like any other: for doors that are used without a file, and for tests.

import type { Clock } from '../base/clock.ts'
import { createJournal } from './create.ts'
import type { Journal } from './journal.ts'
import { updateSchema } from './schema.ts'
import { sqlite } from './sqlite.ts'

export function memoryJournal(clock?: Clock): Journal {
  const database = new sqlite.DatabaseSync(':memory:')
  updateSchema(database, ':memory:')
  return createJournal(database, { clock })
}
