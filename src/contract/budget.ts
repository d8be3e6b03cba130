// Copies of values with a bound on their size. A value that is put into itself a few dozen times is small in memory and
// endless once it is written down: so every value is copied, and counted, whenever it goes from one step to the next.

import { maxJsonDepth, setOwn } from '../base/json.ts'
import { ContractError } from './errors.ts'

const maxValues = 250_000
export const maxTextLength = 10 * 1_048_576

/** Copies plain data; `replace` may put another value in the place of a text, which is copied in turn. */
export function boundedCopy(value: unknown, replace: (text: string) => unknown = (text) => text): unknown {
  let values = 0
  let length = 0

  const count = (letters: number) => {
    values++
    length += letters
    if (values > maxValues || length > maxTextLength) throw new ContractError('too-large', tooLarge)
  }
  const copy = (given: unknown, depth: number, isReplaced: boolean): unknown => {
    if (depth > maxJsonDepth) throw new ContractError('too-large', `A value has more than ${maxJsonDepth} levels.`)
    if (typeof given === 'string') {
      const other = isReplaced ? given : replace(given)
      if (other !== given) return copy(other, depth, true)
      count(given.length)
      return given
    }
    count(8)
    if (Array.isArray(given)) return given.map((item) => copy(item, depth + 1, isReplaced) ?? null)
    if (typeof given !== 'object' || given === null) return given
    const object = {}
    for (const [key, field] of Object.entries(given)) {
      count(key.length)
      const copied = copy(field, depth + 1, isReplaced)
      if (copied !== undefined) setOwn(object, key, copied)
    }
    return object
  }
  return copy(value, 0, false)
}

const tooLarge = `A value has more than ${maxValues.toLocaleString('en-GB')} parts or 10 MB of text.`
