// Plain JSON in memory: what may cross between a tool and everything else.

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

export type JsonObject = { readonly [key: string]: Json }

export type ToJson =
  | { readonly ok: true; readonly json: Json }
  | { readonly ok: false; readonly path: string; readonly message: string }

/** A list may be nearly empty and yet claim to have billions of items. */
const maxListLength = 5_000_000

/** Deeper values are refused: every walk over a value in this code base may then be recursive. */
export const maxJsonDepth = 256

/**
 * Copies a value as JSON has it (`toJSON` is honoured, `undefined` is left out or null, NaN is null),
 * or says where it holds something that JSON cannot: a cycle, a BigInt, a function, a symbol, a Map, a Set or bytes.
 */
export function toJson(value: unknown): ToJson {
  try {
    return { ok: true, json: copy(value, '', '', []) ?? null }
  } catch (error) {
    if (error instanceof Unholdable) return { ok: false, path: error.path, message: error.message }
    return { ok: false, path: '', message: `Reading the value failed: ${messageOf(error)}` }
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Parses text, with the parser's own message when it is not JSON. */
export function parseJson(text: string): { ok: true; value: unknown } | { ok: false; message: string } {
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch (error) {
    return { ok: false, message: messageOf(error) }
  }
}

/** The same text for equal values, whatever the order of their keys. For values of bounded depth. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`
  if (!isObject(value)) return JSON.stringify(value)
  const fields = Object.keys(value).sort()
  return `{${fields.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`).join()}}`
}

/** The message of whatever was thrown; never throws itself. */
export function messageOf(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return String(thrown.message || thrown.name)
    return typeof thrown === 'string' ? thrown : (JSON.stringify(thrown) ?? String(thrown))
  } catch {
    return 'an error that cannot be shown'
  }
}

/** Sets a key as an own property, `__proto__` included. */
export function setOwn(target: object, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
  } else {
    ;(target as Record<string, unknown>)[key] = value
  }
}

class Unholdable extends Error {
  readonly path: string

  constructor(path: string, what: string) {
    super(`JSON cannot hold ${what} (at ${path || 'the value itself'}).`)
    this.path = path
  }
}

function copy(given: unknown, key: string, path: string, parents: object[]): Json | undefined {
  const value = converted(given, key)
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      return Number.isFinite(value) ? value : null
    case 'undefined':
      return undefined
    case 'object':
      return value === null ? null : copyObject(value, path, parents)
    case 'bigint':
      throw new Unholdable(path, `the BigInt ${value}`)
    default:
      throw new Unholdable(path, `a ${typeof value}`)
  }
}

/** What the value's own `toJSON` makes of it, asked once as JSON.stringify does; an error as its name and message. */
function converted(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return value
  const { toJSON } = value as { toJSON?: unknown }
  if (typeof toJSON === 'function') return toJSON.call(value, key)
  if (value instanceof Error) return { name: String(value.name), message: String(value.message) }
  return value instanceof String || value instanceof Number || value instanceof Boolean ? value.valueOf() : value
}

function copyObject(value: object, path: string, parents: object[]): Json | undefined {
  if (parents.includes(value)) throw new Unholdable(path, 'a cycle')
  if (parents.length >= maxJsonDepth) throw new Unholdable(path, `more than ${maxJsonDepth} levels`)
  parents.push(value)
  const json = copyFields(value, path, parents)
  parents.pop()
  return json
}

function copyFields(value: object, path: string, parents: object[]): Json {
  if (Array.isArray(value)) {
    if (value.length > maxListLength) throw new Unholdable(path, `a list of ${value.length} items`)
    return Array.from(value, (item, at) => copy(item, String(at), `${path}[${at}]`, parents) ?? null)
  }
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) throw new Unholdable(path, 'bytes')
  const hidden = hiddenClass(value)
  if (hidden) throw new Unholdable(path, `a ${hidden}`)
  const object: Record<string, Json> = {}
  for (const name of Object.keys(value)) {
    const field = copy((value as Record<string, unknown>)[name], name, path ? `${path}.${name}` : name, parents)
    if (field !== undefined) setOwn(object, name, field)
  }
  return object
}

/** The class of an object that keeps what it has where JSON cannot see it, so that it would become `{}`. */
function hiddenClass(value: object): string | undefined {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === null || prototype === Object.prototype || Object.keys(value).length) return undefined
  const name = value.constructor?.name
  return name && name !== 'Object' ? name : undefined
}
