// The functions of `pure.ts`. They are bounded before they begin: memory that a library takes cannot be taken back from it.

import { isObject, messageOf, parseJson, setOwn } from '../base/json.ts'
import { grouped } from '../base/text.ts'
import { shapeOf } from '../sandbox/isolate-shape.ts'
import { boundedCopy, maxTextLength, maxValues } from './budget.ts'
import { ContractError } from './errors.ts'
import { parsePath, readPath } from './path.ts'

type Input = Record<string, unknown>

const functions = { merge, append, format, encode, decode, json: readJson, toml, csv, yaml } as const

export type PureName = keyof typeof functions

/** Each takes an object of plain data. */
export const pureFunctions = functions as Readonly<Record<PureName, (input: unknown) => unknown>>

/** For a thread: the input and the output as JSON. */
export async function work(name: string, text: string): Promise<string> {
  const found = Object.entries(pureFunctions).find(([each]) => each === name)?.[1]
  return JSON.stringify(boundedCopy(await found?.(JSON.parse(text))) ?? null)
}

function merge({ left, right, deep, arrayStrategy }: Input): unknown {
  const [base, over] = [left ?? {}, right ?? {}]
  if (!isObject(base) || !isObject(over))
    throw new ContractError('invalid-input', 'Give two objects, "left" and "right".')
  const value = merged(base, over, deep === true, arrayStrategy === 'concat')
  return { value, conflicts: Object.keys(over).sort() }
}

function merged(left: Input, right: Input, deep: boolean, joinLists: boolean): Input {
  const result = { ...left }
  for (const [key, over] of Object.entries(right)) {
    const base = Object.hasOwn(left, key) ? left[key] : undefined
    const both = deep && isObject(base) && isObject(over) ? merged(base, over, deep, joinLists) : over
    setOwn(result, key, deep && joinLists && Array.isArray(base) && Array.isArray(over) ? [...base, ...over] : both)
  }
  return result
}

function append(input: Input): unknown {
  const { array = [], items = [] } = input
  if (!Array.isArray(array) || !Array.isArray(items))
    throw new ContractError('invalid-input', 'Give a list as "array", and "item" or "items" to add.')
  const value = [...array, ...items, ...(Object.hasOwn(input, 'item') ? [input.item] : [])]
  return { value, length: value.length }
}

/** `{user.name}` is filled in, `{{` and `}}` are brackets. */
function format({ template, values = {}, fallback = '', missingPolicy }: Input): unknown {
  const missing = new Set<string>()
  const parts: string[] = []
  let length = 0
  for (const [part, name] of textOf(template, 'template').matchAll(/\{\{|\}\}|\{([^{}]*)\}|[^{}]+|[{}]/g)) {
    const text =
      name === undefined ? (part.length === 2 && /[{}]/.test(part) ? (part[0] ?? '') : part) : filled(name.trim())
    length += text.length
    if (length > maxTextLength || parts.length > maxValues)
      throw new ContractError('too-large', 'The text has more than 10 MB or 250,000 parts.')
    parts.push(text)
  }
  if (missing.size && missingPolicy === 'error')
    throw new ContractError('invalid-input', `Nothing is given for ${[...missing].join(', ')}.`)
  return { value: parts.join(''), missing: [...missing] }

  function filled(name: string): string {
    const path = parsePath(name)
    const value = path.ok ? readPath(values, path.path) : undefined
    if (value === undefined) missing.add(name)
    if (value === undefined || value === null) return value === null ? '' : String(fallback)
    return typeof value === 'object' ? JSON.stringify(value) : String(value)
  }
}

function encode({ value = null, sortKeys, space }: Input): unknown {
  const indent = typeof space === 'number' ? Math.min(10, Math.max(0, Math.floor(space))) : 0
  const plain = JSON.stringify(sortKeys === true ? sorted(value) : value)
  // Each value may stand on a line of its own, with as many indents as it is deep.
  const { depth, values } = shapeOf(plain)
  if (plain.length + values * depth * indent > maxTextLength)
    throw new ContractError('too-large', 'The text would have more than 10 MB. Leave out "space".')
  const text = indent ? JSON.stringify(JSON.parse(plain), null, indent) : plain
  return { text, bytes: Buffer.byteLength(text) }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  const result = {}
  for (const key of Object.keys(value).sort()) setOwn(result, key, sorted(value[key]))
  return result
}

/** What is no JSON is a result, not a failure: a script may look at it. */
function decode({ text }: Input): unknown {
  const json = textOf(text, 'text')
  const parsed = boundedJson(json)
  if (parsed.ok) return { value: parsed.value, bytes: Buffer.byteLength(json) }
  return { error: { code: 'JSON_PARSE', message: parsed.message } }
}

function readJson({ text }: Input): unknown {
  const json = textOf(text, 'text')
  const parsed = boundedJson(json)
  if (!parsed.ok) throw new ContractError('tool-failed', `That is not JSON: ${parsed.message}`)
  return { value: parsed.value, bytes: Buffer.byteLength(json) }
}

function boundedJson(text: string): ReturnType<typeof parseJson> {
  if (shapeOf(text).values > maxValues) throw tooMany()
  return parseJson(text)
}

async function toml({ text }: Input): Promise<unknown> {
  const given = textOf(text, 'text')
  bound(given, /[=,.[\n]/g)
  const { parse } = await import('smol-toml')
  try {
    // Dates and the like become text.
    return { value: JSON.parse(JSON.stringify(parse(given))), bytes: Buffer.byteLength(given) }
  } catch (error) {
    throw new ContractError('tool-failed', `That is not TOML: ${messageOf(error)}`)
  }
}

async function csv({ text, header = false, delimiter = ',', quote = '"', trim }: Input): Promise<unknown> {
  const given = textOf(text, 'text')
  const separator = textOf(delimiter, 'delimiter')
  if (separator === '') throw new ContractError('invalid-input', '"delimiter" is empty. Write a character.')
  bound(given, /[\r\n]/g)
  for (let at = given.indexOf(separator), cells = 0; at >= 0; at = given.indexOf(separator, at + 1))
    if (++cells > maxValues) throw tooMany()
  const columns = Array.isArray(header) ? header.map(String) : header === true
  const { parse } = await import('csv-parse/sync')
  try {
    const options = { delimiter: separator, quote: textOf(quote, 'quote'), trim: trim === true }
    const rows: unknown[] = parse(given, { ...options, columns })
    return { rows, ...(Array.isArray(columns) && { columns }), bytes: Buffer.byteLength(given) }
  } catch (error) {
    throw new ContractError('tool-failed', `That is not CSV: ${messageOf(error)}`)
  }
}

/** A compose file, or a request. */
async function yaml({ text }: Input): Promise<unknown> {
  const given = textOf(text, 'text')
  if (given.length > maxYamlLength)
    throw new ContractError('too-large', `It has ${given.length} characters; at most ${maxYamlLength} are read.`)
  bound(given, /[-:,?[\]{}\n]/g)
  const { parse } = await import('yaml')
  try {
    return { value: boundedCopy(parse(given, { prettyErrors: true, logLevel: 'error' })) }
  } catch (error) {
    throw new ContractError('invalid-input', `It cannot be read: ${messageOf(error)}`)
  }
}

const maxYamlLength = 1_048_576

/** There are at most so many values as there are signs between them. */
function bound(text: string, signs: RegExp): void {
  let found = 0
  for (signs.lastIndex = 0; signs.test(text); ) if (++found > maxValues) throw tooMany()
}

function tooMany(): ContractError {
  return new ContractError('too-large', `The text has more than ${grouped(maxValues)} parts.`)
}

export function textOf(value: unknown, name: string): string {
  if (typeof value === 'string') return value
  throw new ContractError('invalid-input', `"${name}" is no text. Write a string.`)
}
