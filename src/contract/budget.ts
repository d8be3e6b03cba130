// Copies of values with a bound on their size. A value that is put into itself a few dozen times is small in memory and
// endless once it is written down: so every value is copied, and counted, whenever it goes from one step to the next.

import { maxJsonDepth, setOwn, toJson } from '../base/json.ts'
import { grouped } from '../base/text.ts'
import { ContractError } from './errors.ts'

export const maxValues = 250_000
export const maxTextLength = 10 * 1_048_576

export interface Measured {
  readonly copy: unknown
  /** In characters, about as many as its JSON has. */
  readonly size: number
}

/** Copies plain data; `replace` may put another value in the place of a text, which is copied in turn. */
export function boundedCopy(value: unknown, replace?: (text: string) => unknown): unknown {
  return measuredCopy(value, replace).copy
}

/** The same, with its size. What is no plain data becomes what JSON makes of it; what JSON cannot hold is an error. */
export function measuredCopy(value: unknown, replace: (text: string) => unknown = (text) => text): Measured {
  let values = 0
  let length = 0

  const count = (amount: number, letters: number) => {
    values += amount
    length += letters
    if (values > maxValues || length > maxTextLength) throw new ContractError('too-large', tooLarge)
  }
  const copy = (given: unknown, depth: number, isReplaced: boolean): unknown => {
    if (depth > maxJsonDepth) throw new ContractError('too-large', `A value has more than ${maxJsonDepth} levels.`)
    if (typeof given === 'string') {
      const other = isReplaced ? given : replace(given)
      if (other !== given) return copy(other, depth, true)
      count(1, given.length)
      return given
    }
    count(1, 8)
    if (Array.isArray(given)) {
      if (given.length > maxValues) count(given.length, 0)
      const list: unknown[] = []
      for (let at = 0; at < given.length; at++) list.push(copy(given[at], depth + 1, isReplaced) ?? null)
      return list
    }
    if (!isPlain(given)) return copy(asJson(given), depth, isReplaced)
    if (typeof given !== 'object' || given === null) return given
    const object = {}
    for (const key of Object.keys(given)) {
      count(0, key.length)
      const copied = copy(Reflect.get(given, key), depth + 1, isReplaced)
      if (copied !== undefined) setOwn(object, key, copied)
    }
    return object
  }
  return { copy: copy(value, 0, false), size: length }
}

const tooLarge = `A value has more than ${grouped(maxValues)} parts or 10 MB of text.`

function isPlain(value: unknown): boolean {
  switch (typeof value) {
    case 'object': {
      const prototype: unknown = value === null ? null : Object.getPrototypeOf(value)
      return (prototype === null || prototype === Object.prototype) && !(value !== null && 'toJSON' in value)
    }
    case 'number':
      return Number.isFinite(value)
    default:
      return typeof value === 'boolean' || value === undefined
  }
}

function asJson(value: unknown): unknown {
  const made = toJson(value)
  if (made.ok) return made.json
  throw new ContractError('tool-failed', made.message)
}
