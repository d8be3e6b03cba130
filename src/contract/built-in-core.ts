// The contracts of `impl/` and `core/` that need nothing but their input, streams and files.

import { createHash } from 'node:crypto'
import { isObject, messageOf, parseJson, setOwn } from '../base/json.ts'
import { boundedCopy, maxTextLength } from './budget.ts'
import { ContractError } from './errors.ts'
import { listFolder, readBytes, writeBytes } from './files.ts'
import { parsePath, readPath } from './path.ts'
import type { Step } from './surroundings.ts'

export type Contract = (input: Record<string, unknown>, step: Step) => unknown

export const coreContracts: Readonly<Record<string, Contract>> = {
  'impl/echo': ({ value }) => ({ val: value }),
  'impl/set': (input) => input,
  'impl/is_even': ({ value }) => ({ ok: typeof value === 'number' && value % 2 === 0 }),
  'impl/gt': ({ value, limit }) => ({ ok: typeof value === 'number' && typeof limit === 'number' && value > limit }),
  'core/object/merge': merge,
  'core/array/append': append,
  'core/string/format': format,
  'core/json/encode': encode,
  'core/json/decode': ({ text }) => decode(textOf(text, 'text')),
  'core/parse/json': async (input, step) => {
    const text = await givenText(input, step)
    const parsed = parseJson(text)
    if (!parsed.ok) throw new ContractError('tool-failed', `That is not JSON: ${parsed.message}`)
    return { value: parsed.value, bytes: Buffer.byteLength(text) }
  },
  'core/parse/toml': parseToml,
  'core/parse/csv': parseCsv,
  'core/hash/sha256': async (input, step) => {
    const bytes = await givenBytes(input, step)
    const digest = createHash('sha256').update(bytes).digest()
    return { hex: digest.toString('hex'), base64: digest.toString('base64'), bytes: bytes.length }
  },
  'core/fs/read_file': async ({ path, encoding }, { files }) => {
    const { bytes, modifiedAt } = await readBytes(files, path)
    const how = encodingOf(encoding)
    return { data: bytes.toString(how), encoding: how, size: bytes.length, mtime: modifiedAt }
  },
  'core/fs/write_file': async ({ path, data = '', encoding, append, createParents }, { files }) => {
    const bytes = Buffer.from(textOf(data, 'data'), encodingOf(encoding))
    const options = { append: append === true, createParents: createParents === true }
    const { modifiedAt } = await writeBytes(files, path, bytes, options)
    return { bytesWritten: bytes.length, mtime: modifiedAt }
  },
  'core/fs/list_dir': async ({ path = '.', recursive, includeHidden }, { files }) => {
    const options = { recursive: recursive === true, includeHidden: includeHidden === true }
    return { entries: await listFolder(files, path, options) }
  },
  'core/stream/read': (input, { streams }) => streams.read(input),
  'core/stream/close': (input, { streams }) => streams.close(input),
}

function merge({ left, right, deep, arrayStrategy }: Record<string, unknown>): unknown {
  const [base, over] = [left ?? {}, right ?? {}]
  if (!isObject(base) || !isObject(over))
    throw new ContractError('invalid-input', 'Give two objects, "left" and "right".')
  const value = merged(base, over, deep === true, arrayStrategy === 'concat')
  return { value, conflicts: Object.keys(over).sort() }
}

function merged(
  left: Record<string, unknown>,
  right: Record<string, unknown>,
  deep: boolean,
  joinLists: boolean,
): Record<string, unknown> {
  const result = { ...left }
  for (const [key, over] of Object.entries(right)) {
    const base = Object.hasOwn(left, key) ? left[key] : undefined
    const both = deep && isObject(base) && isObject(over) ? merged(base, over, deep, joinLists) : over
    setOwn(result, key, deep && joinLists && Array.isArray(base) && Array.isArray(over) ? [...base, ...over] : both)
  }
  return result
}

function append(input: Record<string, unknown>): unknown {
  const { array = [], items = [] } = input
  if (!Array.isArray(array) || !Array.isArray(items))
    throw new ContractError('invalid-input', 'Give a list as "array", and "item" or "items" to add.')
  const value = [...array, ...items, ...(Object.hasOwn(input, 'item') ? [input.item] : [])]
  return { value, length: value.length }
}

/** `{user.name}` is filled in, `{{` and `}}` are brackets. */
function format({ template, values = {}, fallback = '', missingPolicy }: Record<string, unknown>): unknown {
  const missing: string[] = []
  const parts: string[] = []
  let length = 0
  for (const [part, name] of textOf(template, 'template').matchAll(/\{\{|\}\}|\{([^{}]*)\}|[^{}]+|[{}]/g)) {
    const text =
      name === undefined ? (part.length === 2 && /[{}]/.test(part) ? (part[0] ?? '') : part) : filled(name.trim())
    length += text.length
    if (length > maxTextLength) throw new ContractError('too-large', 'The text has more than 10 MB.')
    parts.push(text)
  }
  if (missing.length && missingPolicy === 'error')
    throw new ContractError('invalid-input', `Nothing is given for ${missing.join(', ')}.`)
  return { value: parts.join(''), missing }

  function filled(name: string): string {
    const path = parsePath(name)
    const value = path.ok ? readPath(values, path.path) : undefined
    if (value === undefined) missing.push(name)
    if (value === undefined || value === null) return value === null ? '' : String(fallback)
    return typeof value === 'object' ? JSON.stringify(value) : String(value)
  }
}

function encode({ value = null, sortKeys, space }: Record<string, unknown>): unknown {
  const copied = boundedCopy(sortKeys === true ? sorted(value) : value)
  const text = JSON.stringify(copied, null, typeof space === 'number' ? Math.min(10, Math.max(0, space)) : 0)
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
function decode(text: string): unknown {
  const parsed = parseJson(text)
  if (parsed.ok) return { value: parsed.value, bytes: Buffer.byteLength(text) }
  return { error: { code: 'JSON_PARSE', message: parsed.message } }
}

async function parseToml(input: Record<string, unknown>, step: Step): Promise<unknown> {
  const text = await givenText(input, step)
  const { parse } = await import('smol-toml')
  try {
    // Dates and the like become text.
    return { value: JSON.parse(JSON.stringify(parse(text))), bytes: Buffer.byteLength(text) }
  } catch (error) {
    throw new ContractError('tool-failed', `That is not TOML: ${messageOf(error)}`)
  }
}

async function parseCsv(input: Record<string, unknown>, step: Step): Promise<unknown> {
  const text = await givenText(input, step)
  const { header = false, delimiter = ',', quote = '"', trim } = input
  const columns = Array.isArray(header) ? header.map(String) : header === true
  const { parse } = await import('csv-parse/sync')
  try {
    const options = { delimiter: textOf(delimiter, 'delimiter'), quote: textOf(quote, 'quote'), trim: trim === true }
    const rows: unknown[] = parse(text, { ...options, columns })
    return { rows, ...(Array.isArray(columns) && { columns }), bytes: Buffer.byteLength(text) }
  } catch (error) {
    throw new ContractError('tool-failed', `That is not CSV: ${messageOf(error)}`)
  }
}

/** The text itself, or that of a file or a stream. */
async function givenText(input: Record<string, unknown>, step: Step): Promise<string> {
  if (input.text !== undefined) return textOf(input.text, 'text')
  return (await givenBytes({ path: input.path, stream: input.stream }, step)).toString('utf8')
}

async function givenBytes(input: Record<string, unknown>, { files, streams }: Step): Promise<Buffer> {
  if (input.data !== undefined) return Buffer.from(textOf(input.data, 'data'), encodingOf(input.encoding))
  if (input.path !== undefined) return (await readBytes(files, input.path)).bytes
  if (input.stream !== undefined) return streams.drain(input.stream)
  throw new ContractError('invalid-input', 'Nothing is given to read. Give the text itself, a "path" or a "stream".')
}

function encodingOf(encoding: unknown = 'utf-8'): 'utf-8' | 'base64' | 'hex' {
  const known = (['utf-8', 'base64', 'hex'] as const).find((each) => each === encoding)
  if (known) return known
  if (encoding === 'utf8') return 'utf-8'
  throw new ContractError('invalid-input', `"${String(encoding)}" is no encoding. Write utf-8, base64 or hex.`)
}

function textOf(value: unknown, name: string): string {
  if (typeof value === 'string') return value
  throw new ContractError('invalid-input', `"${name}" is no text. Write a string.`)
}
