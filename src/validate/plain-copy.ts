// The first look at an input, before any schema: a copy of it as plain JSON, bounded in depth and size. Every property is
// read exactly once, so that a getter or a Proxy cannot show one value to the check and another to the tool.

import { type Json, messageOf } from '../base/json.ts'
import { grouped } from '../base/text.ts'
import type { Issue, IssueCode } from '../model/schema.ts'
import { pathText, type Segment } from './path.ts'

export interface InputBounds {
  /** How large the input may be, counted as JSON. */
  readonly maxInputBytes: number
  /** How many objects and lists may stand inside one another. At most 256, so that every walk may be recursive. */
  readonly maxInputDepth: number
  /** How many values the input may consist of: validators spend far more on each than its bytes. Default as many as fit. */
  readonly maxInputValues?: number
}

export type PlainCopy =
  | { readonly ok: true; readonly value: Json; readonly bytes: number }
  | { readonly ok: false; readonly issues: readonly Issue[] }

/** Reported at most, for inputs that are wrong everywhere. */
export const mostIssues = 50

/**
 * Copies an input as JSON has it (`toJSON` is honoured, `undefined` is left out or null; an `undefined` input is `{}`).
 * Refused: too deep (cycles too), too large, `__proto__` as a key, `constructor` with a `prototype` in it, and what JSON
 * cannot hold. Linear, and stops at the bounds.
 */
export function plainCopy(input: unknown, bounds: InputBounds): PlainCopy {
  const walk: Walk = { bounds, issues: [], keys: [], parents: [], depth: 0, bytes: 0, values: 0 }
  try {
    const value = input === undefined ? {} : copy(walk, input, 0)
    if (walk.issues.length === 0) return { ok: true, value: value ?? null, bytes: walk.bytes }
  } catch (error) {
    if (!(error instanceof Stop)) report(walk, walk.depth, 'NOT_JSON', `cannot be read: ${messageOf(error)}`)
  }
  return { ok: false, issues: walk.issues }
}

interface Walk {
  readonly bounds: InputBounds
  readonly issues: Issue[]
  /** The way from the input to the value at hand, and the objects on it; only the first `depth` entries count. */
  readonly keys: Segment[]
  readonly parents: object[]
  depth: number
  bytes: number
  values: number
}

/** Ends the walk; the reason is already among the issues. */
class Stop extends Error {}

function copy(walk: Walk, value: unknown, depth: number): Json | undefined {
  const { maxInputValues = Number.POSITIVE_INFINITY } = walk.bounds
  if (++walk.values > maxInputValues) refuseAmount(walk, maxInputValues)
  switch (typeof value) {
    case 'string':
      spend(walk, value.length)
      spend(walk, jsonBytes(value) - value.length)
      return value
    case 'number':
      if (!Number.isFinite(value)) return refuse(walk, depth, `the number ${value}`)
      spend(walk, value >= 0 && value < 10 && Number.isInteger(value) ? 1 : String(value).length)
      return value
    case 'boolean':
      spend(walk, value ? 4 : 5)
      return value
    case 'undefined':
      return undefined
    case 'object':
      if (value !== null) return copyObject(walk, value, depth)
      spend(walk, 4)
      return null
    case 'bigint':
      return refuse(walk, depth, 'a BigInt')
    default:
      return refuse(walk, depth, `a ${typeof value}`)
  }
}

function copyObject(walk: Walk, value: object, depth: number): Json | undefined {
  walk.parents[depth] = value
  if (depth >= walk.bounds.maxInputDepth) tooDeep(walk, depth)
  const { toJSON } = value as { readonly toJSON?: unknown }
  const given: unknown = typeof toJSON === 'function' ? toJSON.call(value, String(walk.keys[depth - 1] ?? '')) : value
  if (typeof given !== 'object' || given === null) return copy(walk, given, depth)
  if (Array.isArray(given)) return copyList(walk, given, depth)
  const prototype: unknown = Object.getPrototypeOf(given)
  if (prototype !== Object.prototype && prototype !== null) {
    const what = unholdable(given)
    if (what !== undefined) return refuse(walk, depth, what)
  }
  return copyFields(walk, given, depth)
}

function copyList(walk: Walk, list: readonly unknown[], depth: number): Json {
  const { length } = list
  const items: Json[] = []
  spend(walk, 2)
  for (let at = 0; at < length; at++) {
    walk.keys[depth] = at
    walk.depth = depth + 1
    if (at > 0) spend(walk, 1)
    const item = copy(walk, list[at], depth + 1)
    if (item === undefined) spend(walk, 4)
    items.push(item ?? null)
  }
  return items
}

function copyFields(walk: Walk, object: object, depth: number): Json {
  const fields: Record<string, Json> = {}
  let first = true
  spend(walk, 2)
  for (const key of Object.keys(object)) {
    walk.keys[depth] = key
    walk.depth = depth + 1
    if (key === '__proto__') {
      forbid(walk, depth, key)
      continue
    }
    const field = copy(walk, (object as Record<string, unknown>)[key], depth + 1)
    if (field === undefined) continue
    if (key === 'constructor' && typeof field === 'object' && field !== null && Object.hasOwn(field, 'prototype')) {
      forbid(walk, depth, key)
    }
    spend(walk, first ? 1 : 2)
    spend(walk, key.length)
    spend(walk, jsonBytes(key) - key.length)
    first = false
    fields[key] = field
  }
  return fields
}

/** How many bytes a text takes in JSON, quotes and escapes included. */
function jsonBytes(text: string): number {
  const { length } = text
  if (length <= 64) {
    for (let at = 0; at < length; at++) {
      const code = text.charCodeAt(at)
      if (code < 0x20 || code > 0x7e || code === 0x22 || code === 0x5c) return Buffer.byteLength(JSON.stringify(text))
    }
    return length + 2
  }
  if (/["\\\u0000-\u001f\ud800-\udfff]/.test(text)) return Buffer.byteLength(JSON.stringify(text))
  return Buffer.byteLength(text) + 2
}

function unholdable(value: object): string | undefined {
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) return 'bytes'
  for (const [type, what] of unholdableTypes) if (value instanceof type) return what
  return undefined
}

const unholdableTypes = [
  [Map, 'a Map'],
  [Set, 'a Set'],
  [Promise, 'a promise'],
  [RegExp, 'a regular expression'],
  [String, 'a boxed text'],
  [Number, 'a boxed number'],
  [Boolean, 'a boxed boolean'],
] as const

function spend(walk: Walk, bytes: number): void {
  walk.bytes += bytes
  if (walk.bytes <= walk.bounds.maxInputBytes) return
  const most = grouped(walk.bounds.maxInputBytes)
  walk.issues.push({ path: '', code: 'TOO_LARGE', message: `The input is larger than ${most} bytes as JSON.` })
  throw new Stop()
}

function refuseAmount(walk: Walk, most: number): never {
  walk.issues.push({ path: '', code: 'TOO_LARGE', message: `The input has more than ${grouped(most)} values.` })
  throw new Stop()
}

function tooDeep(walk: Walk, depth: number): never {
  const cyclic = new Set(walk.parents.slice(0, depth + 1)).size <= depth
  const why = cyclic ? 'it holds itself (a cycle)' : `at most ${walk.bounds.maxInputDepth} levels are allowed`
  walk.issues.push({
    path: pathText(walk.keys.slice(0, Math.min(depth, 8))),
    code: 'TOO_DEEP',
    message: `The input is nested too deeply: ${why}.`,
  })
  throw new Stop()
}

function forbid(walk: Walk, depth: number, key: string): void {
  report(walk, depth + 1, 'FORBIDDEN_KEY', `uses the key "${key}", which is not allowed. Use another name`)
}

function refuse(walk: Walk, depth: number, what: string): undefined {
  report(walk, depth, 'NOT_JSON', `is ${what}, which JSON cannot hold`)
}

function report(walk: Walk, depth: number, code: IssueCode, fault: string): void {
  const path = pathText(walk.keys.slice(0, depth))
  walk.issues.push({ path, code, message: `${path ? `"${path}"` : 'The input'} ${fault}.` })
  if (walk.issues.length >= mostIssues) throw new Stop()
}
