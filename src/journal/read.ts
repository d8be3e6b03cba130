// Reading entries: by filter, newest first, and all of them, oldest first.

import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { type Entry, levels } from '../model/entry.ts'
import { JournalError, LimitError } from '../model/errors.ts'
import { genesis, type Link } from './chain.ts'
import type { JournalFilter } from './journal.ts'
import { columns, entryOf, type Row, toRow } from './row.ts'

const select = `SELECT ${columns.join(', ')} FROM entries`

const withoutEnd = `phase = 'start' AND NOT EXISTS (
  SELECT 1 FROM entries AS later WHERE later.call_id = entries.call_id AND later.phase = 'end')`

const inText = `tool || char(10) || coalesce(input, '') || char(10) || coalesce(message, '') LIKE ? ESCAPE '\\'`

export function readEntries(database: DatabaseSync, filter: JournalFilter, also: 'all' | 'interrupted'): Entry[] {
  const { limit = 100 } = filter
  checkWhole('limit', limit)
  const conditions = conditionsOf(filter)
  const where = [...conditions.map(({ sql }) => sql), also === 'interrupted' ? withoutEnd : 'TRUE'].join(' AND ')
  const values = [...conditions.map(({ value }) => value), limit]
  return readRows(database, `${select} WHERE ${where} ORDER BY seq DESC LIMIT ?`, values).map(entryOf)
}

/** Rows after a number that are no call's, such as a pruning's. */
export function readOthers(database: DatabaseSync, after: number): readonly Row[] {
  return readRows(database, `${select} WHERE seq > ? AND phase NOT IN ('start', 'end') ORDER BY seq`, [after])
}

/** All rows up to a number, in pages. Each is read whole: a reader left open would make the "-wal" file grow. */
export function* readPages(database: DatabaseSync, upTo: number, size: number): Generator<readonly Row[]> {
  checkWhole('size', size, 1)
  const sql = `${select} WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?`
  for (let after = Number.MIN_SAFE_INTEGER; ; ) {
    const rows = readRows(database, sql, [after, upTo, size])
    const last = rows.at(-1)
    if (!last) return
    yield rows
    after = last[0]
  }
}

/** The newest entry, or what the first would follow where there is none. */
export function readHead(database: DatabaseSync): Link {
  return (
    linkOf(database.prepare('SELECT seq, hash FROM entries ORDER BY seq DESC LIMIT 1').get()) ?? readStart(database)
  )
}

/** What the oldest entry follows. */
export function readStart(database: DatabaseSync): Link {
  return linkOf(database.prepare('SELECT seq, hash FROM starting_point').get()) ?? genesis
}

/** The entry of a number, or the nearest before it. */
export function linkAt(database: DatabaseSync, seq: number): Link | undefined {
  return linkOf(database.prepare('SELECT seq, hash FROM entries WHERE seq <= ? ORDER BY seq DESC LIMIT 1').get(seq))
}

export function linkOf(found: Record<string, unknown> | undefined): Link | undefined {
  return found && { seq: Number(found.seq), hash: String(found.hash) }
}

/** As `at` is written, so that moments compare as texts. */
export function momentOf(name: string, date: Date): string {
  const time = date.getTime()
  if (Number.isNaN(time)) throw new LimitError(name, time, -8.64e15, 8.64e15)
  return date.toISOString()
}

export function checkWhole(name: string, value: number, min = 0): void {
  if (!Number.isSafeInteger(value) || value < min) throw new LimitError(name, value, min, Number.MAX_SAFE_INTEGER)
}

interface Condition {
  readonly sql: string
  readonly value: SQLInputValue
}

function conditionsOf(filter: JournalFilter): Condition[] {
  const { level, since, until, text } = filter
  const worse = level && JSON.stringify(levels.slice(levels.indexOf(level)))
  const pattern = text === undefined ? undefined : `%${text.replace(/[\\%_]/g, '\\$&')}%`
  return [
    ...when(filter.tool, 'tool = ?'),
    ...when(filter.kind, 'kind = ?'),
    ...when(filter.callId, 'call_id = ?'),
    ...when(filter.caller, `instr(caller || ':', ? || ':') = 1`),
    ...when(worse, 'level IN (SELECT value FROM json_each(?))'),
    ...when(filter.code, 'code = ?'),
    ...when(filter.phase, 'phase = ?'),
    ...when(since && momentOf('since', since), 'at >= ?'),
    ...when(until && momentOf('until', until), 'at < ?'),
    ...when(filter.before, 'seq < ?'),
    ...when(filter.after, 'seq > ?'),
    ...when(pattern, inText),
  ]
}

function when(value: SQLInputValue | undefined, sql: string): Condition[] {
  return value === undefined ? [] : [{ sql, value }]
}

function readRows(database: DatabaseSync, sql: string, values: readonly SQLInputValue[]): Row[] {
  const statement = database.prepare(sql)
  statement.setReturnArrays(true)
  return statement.all(...values).map((found) => toRow(found) ?? refuseRow(database.location()))
}

function refuseRow(location: string | null): never {
  const path = location ?? ':memory:'
  throw new JournalError(path, `The journal "${path}" holds a row that is no entry: it was changed by another program.`)
}
