// What servers say besides results, without anything hidden in it.

import { isObject } from '../base/json.ts'
import { visibleText } from './visible.ts'

/**
 * Every text in a value, and every name of a property, as `visibleText` shows it. A name or a value that something was hidden in is
 * another one afterwards, and does not lead to what it led to: that is no loss.
 */
export function visibleDeep<T extends Readonly<Record<string, unknown>>>(value: T): Record<string, unknown>
export function visibleDeep(value: unknown): unknown
export function visibleDeep(value: unknown): unknown {
  if (typeof value === 'string') return visibleText(value)
  if (Array.isArray(value)) return value.map((item) => visibleDeep(item))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [visibleText(key), visibleDeep(item)]))
}
