// What is kept of a tool: a hash, which tells whether it has changed, and its text, which tells what has.

import { hash } from 'node:crypto'
import { type Json, toJson } from '../base/json.ts'
import type { Hide } from './hide.ts'
import type { PinnedTool } from './pins-types.ts'

export interface PinEntry {
  /** Of name, description, schemas and annotations; the order of keys does not count. */
  readonly hash: string
  /** By lines, so that a change of it reads well in version control. */
  readonly description?: readonly string[]
  readonly inputSchema?: Json
  readonly outputSchema?: Json
  readonly annotations?: Json
}

/** Longer ones are cut: the hash still covers all of it. */
const maxDescriptionLength = 8_000
const maxSchemaLength = 16_000
const maxNameLength = 256

/**
 * Nothing where a tool cannot be pinned: its name is too long, or a part of it is no JSON or nested too deeply. Whole, for a
 * person to read, or as much as is kept.
 */
export function entryOf(tool: PinnedTool, hide: Hide, isWhole = false): PinEntry | undefined {
  const whole = wholeOf(tool)
  if (whole === undefined) return undefined
  const { description } = tool
  const [, , input = null, output = null, hints = null] = hide(whole)
  const kept = isWhole ? (json: Json) => json : keptOf
  return {
    hash: hashOf(whole),
    description: (isWhole ? hide(description) : cut(hide(description))).split('\n'),
    ...(input !== null && { inputSchema: kept(input) }),
    ...(output !== null && { outputSchema: kept(output) }),
    ...(hints !== null && { annotations: kept(hints) }),
  }
}

/** The hash alone, which most comparisons end with. */
export function pinHash(tool: PinnedTool): string | undefined {
  const whole = wholeOf(tool)
  return whole && hashOf(whole)
}

/** All that counts of a tool, in one order. */
function wholeOf(tool: PinnedTool): readonly Json[] | undefined {
  const { name, description, inputSchema, outputSchema, annotations } = tool
  const made = toJson([name, description, inputSchema, outputSchema, annotations])
  if (!made.ok || name.length > maxNameLength) return undefined
  const whole = sorted(made.json)
  return Array.isArray(whole) ? whole : undefined
}

function hashOf(whole: readonly Json[]): string {
  return `sha256-${hash('sha256', JSON.stringify(whole))}`
}

/** The same value with the keys of every object in order. */
function sorted(json: Json): Json {
  if (typeof json !== 'object' || json === null) return json
  if (Array.isArray(json)) return json.map(sorted)
  const entries = Object.entries(json).map(([key, value]) => [key, sorted(value)] as const)
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)))
}

function cut(text: string): string {
  if (text.length <= maxDescriptionLength) return text
  return `${text.slice(0, maxDescriptionLength).toWellFormed()}\n${notKept(text.length - maxDescriptionLength)}`
}

function keptOf(json: Json): Json {
  const { length } = JSON.stringify(json)
  return length > maxSchemaLength ? notKept(length) : json
}

function notKept(length: number): string {
  return `(${length} characters, not kept)`
}
