// An entry as the database keeps it, and back. What stands in a row need not be what Legwork wrote, so reading is lenient:
// a value that makes no sense is shown as the gravest that does, or left out. `verify` is what tells of changes.

import { isObject, parseJson } from '../base/json.ts'
import type { Verdict } from '../model/decision.ts'
import { type Entry, type EntryFields, levels } from '../model/entry.ts'
import { outcomeCodes } from '../model/outcome.ts'
import { toolKinds } from '../model/tool.ts'

export type Cell = string | number | null

/** The columns between the hashes, in the order in which they are hashed. */
const cellColumns = [
  'at',
  'phase',
  'call_id',
  'parent_id',
  'caller',
  'tool',
  'kind',
  'input',
  'decision',
  'code',
  'level',
  'message',
  'duration_ms',
  'process',
  'skill',
  'script',
] as const

/** All columns, in the order of a `Row`. */
export const columns = ['seq', 'previous_hash', ...cellColumns, 'hash'] as const

/** Number, hash before it, cells, own hash. */
export type Row = readonly [seq: number, previousHash: string, ...cells: Cell[], hash: string]

export function cellsOf(fields: EntryFields): Cell[] {
  return [
    text(fields.at),
    fields.phase,
    text(fields.callId),
    text(fields.parentId),
    text(fields.caller),
    text(fields.tool),
    fields.kind ?? null,
    text(fields.input),
    json(fields.decision),
    fields.code ?? null,
    fields.level,
    text(fields.message),
    fields.durationMs ?? null,
    json(fields.process),
    text(fields.skill),
    text(fields.script),
  ]
}

/** Checks what came out of the database; undefined when it is no row of ours. */
export function toRow(found: unknown): Row | undefined {
  if (!Array.isArray(found) || found.length !== columns.length) return undefined
  const [seq, previousHash] = found
  const whole = typeof seq === 'number' && typeof previousHash === 'string' && typeof found.at(-1) === 'string'
  return whole && found.every(isCell) ? (found as unknown as Row) : undefined
}

export function entryOf(row: Row): Entry {
  const cell = (column: (typeof columns)[number]) => row[columns.indexOf(column)] ?? null
  const word = (column: (typeof columns)[number]) => String(cell(column) ?? '')
  const code = cell('code')
  const durationMs = cell('duration_ms')
  return {
    seq: row[0],
    at: word('at'),
    phase: cell('phase') === 'start' ? 'start' : 'end',
    callId: word('call_id'),
    ...optional('parentId', cell('parent_id')),
    caller: word('caller'),
    tool: word('tool'),
    ...given('kind', oneOf(toolKinds, cell('kind'))),
    ...optional('input', cell('input')),
    ...given('decision', decisionOf(cell('decision'))),
    ...given('code', code === null ? undefined : (oneOf(outcomeCodes, code) ?? 'tool-failed')),
    level: oneOf(levels, cell('level')) ?? 'error',
    ...optional('message', cell('message')),
    ...given('durationMs', typeof durationMs === 'number' ? durationMs : undefined),
    ...given('process', processOf(cell('process'))),
    ...optional('skill', cell('skill')),
    ...optional('script', cell('script')),
    previousHash: row[1],
    hash: word('hash'),
  }
}

/** Half a surrogate pair has no place in UTF-8: it is replaced here, before it is hashed, as it would be when stored. */
function text(value: string | undefined): string | null {
  return value === undefined ? null : value.toWellFormed()
}

function json(value: object | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value)
}

function isCell(value: unknown): value is Cell {
  return value === null || typeof value === 'string' || typeof value === 'number'
}

function given<Name extends string, T>(name: Name, value: T | undefined): { [N in Name]?: T } {
  const object: { [N in Name]?: T } = {}
  if (value !== undefined) object[name] = value
  return object
}

function optional<Name extends string>(name: Name, cell: Cell): { [N in Name]?: string } {
  return given(name, cell === null ? undefined : String(cell))
}

function oneOf<T extends string>(list: readonly T[], cell: unknown): T | undefined {
  return list.find((item) => item === cell)
}

const verdicts: readonly Verdict[] = ['allow', 'ask', 'deny']

function decisionOf(cell: Cell): EntryFields['decision'] {
  const value = objectIn(cell)
  const verdict = oneOf(verdicts, value?.verdict)
  if (!verdict || typeof value?.rule !== 'string' || !isTexts(value.reasons)) return undefined
  return { verdict, rule: value.rule, reasons: value.reasons }
}

function processOf(cell: Cell): EntryFields['process'] {
  const { argv, exitCode, signal, stdoutBytes, stderrBytes, truncated } = objectIn(cell) ?? {}
  if (!isTexts(argv) || typeof stdoutBytes !== 'number' || typeof stderrBytes !== 'number') return undefined
  return {
    argv,
    exitCode: typeof exitCode === 'number' ? exitCode : null,
    signal: typeof signal === 'string' ? signal : null,
    stdoutBytes,
    stderrBytes,
    truncated: truncated === true,
  }
}

function objectIn(cell: Cell): Record<string, unknown> | undefined {
  const parsed = parseJson(typeof cell === 'string' ? cell : 'null')
  return parsed.ok && isObject(parsed.value) ? parsed.value : undefined
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}
