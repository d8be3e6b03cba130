// How the messages about a configuration put paths, values and wishes into words.

import { isObject } from '../base/json.ts'
import { nearest } from '../base/text.ts'
import type { Shape } from './check.ts'

export type Path = readonly (string | number)[]

/** `programs.gh.trust`, `skills[1].path`, `mcpServers["my server"].url`. */
export function showPath(path: Path): string {
  if (path.length === 0) return 'The configuration'
  return path.map((part, at) => showPart(part, at === 0)).join('')
}

function showPart(part: string | number, isFirst: boolean): string {
  if (typeof part === 'number') return `[${part}]`
  if (!/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(part)) return `[${quoted(part)}]`
  return isFirst ? part : `.${part}`
}

/** Text in double quotes, with whatever would disturb a terminal escaped, cut when it is long. */
export function quoted(text: string): string {
  const cut = text.length > 60 ? `${text.slice(0, 59)}…` : text
  return JSON.stringify(cut).replace(unprintable, escaped)
}

/** Control, bidi and invisible characters, except tabs and line ends. */
export const unprintable =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g

function escaped(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** A value as its author wrote it; lists and objects by their kind alone. */
export function showValue(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (isObject(value)) return 'an object'
  return typeof value === 'string' ? quoted(value) : typeof value === 'function' ? 'a function' : String(value)
}

/** What to write: `true or false`, `a whole number from 1 to 10`. */
export function wanted(shape: Shape): string {
  if (shape.anyOf) return shape.anyOf.map(wanted).join(', or ')
  if (shape.enum) return choices(shape.enum, '')
  const example = shape.examples?.[0]
  const such = example === undefined ? '' : `, such as ${quoted(example)}`
  switch (shape.type) {
    case 'boolean':
      return 'true or false'
    case 'integer':
      return `a whole number from ${shape.minimum} to ${shape.maximum}`
    case 'string':
      return `text${such}`
    case 'array':
      return `a list${listExample(shape.items)}`
    default:
      return 'an object'
  }
}

function listExample(items: Shape = {}): string {
  const example = (items.anyOf ?? [items]).flatMap(({ examples = [] }) => examples)[0]
  return example === undefined ? '' : `, such as [${quoted(example)}]`
}

/** The values that may be chosen, those nearest to a given one first. */
export function choices(values: readonly string[], given: string): string {
  const near = nearest(given, values)
  const ordered = [...near, ...values.filter((value) => !near.includes(value))].map(quoted)
  return ordered.length === 1 ? ordered.join() : `one of ${ordered.join(', ')}`
}
