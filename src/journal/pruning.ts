// The entry that a pruning leaves in the chain. No call can leave one: its phase is a word that no call has.

import type { Clock } from '../base/clock.ts'
import { isObject, parseJson } from '../base/json.ts'
import type { Link } from './chain.ts'
import { type Cell, cellsOf, columns, type Row } from './row.ts'

/** What was removed: the entries from a number up to the last one, of which the hash is known too. */
export interface Pruning extends Link {
  readonly from: number
}

const phase = 'prune'

export function pruningCells({ from, seq, hash }: Pruning, clock: Clock): Cell[] {
  const cells = cellsOf({
    at: new Date(clock.now()).toISOString(),
    phase: 'end',
    callId: clock.id(),
    caller: 'journal',
    tool: 'journal:prune',
    input: JSON.stringify({ from, to: seq, hash }),
    level: 'info',
    message: from === seq ? `Entry ${seq} was removed.` : `Entries ${from} to ${seq} were removed.`,
  })
  return cells.with(cellAt('phase'), phase)
}

/** What a row says was removed; undefined for the row of a call. */
export function pruningOf(row: Row): Pruning | undefined {
  if (row[2 + cellAt('phase')] !== phase) return undefined
  const parsed = parseJson(String(row[2 + cellAt('input')]))
  const { from, to, hash } = parsed.ok && isObject(parsed.value) ? parsed.value : {}
  const isWhole = typeof from === 'number' && typeof to === 'number' && typeof hash === 'string'
  return isWhole ? { from, seq: to, hash } : undefined
}

/** Number and hash stand before the cells. */
function cellAt(column: 'phase' | 'input'): number {
  return columns.indexOf(column) - 2
}
