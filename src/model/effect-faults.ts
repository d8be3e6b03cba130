// Checks effects of unknown origin. A mistyped effect must not pass for one that was left out.

import { isObject } from '../base/json.ts'
import { didYouMean, nearest } from '../base/text.ts'
import { costEstimates, stdinNeeds } from './effects.ts'

type Fault = string
type Check = (value: unknown, path: string) => readonly Fault[]

/** Every fault with its path; keys that nobody knows are not among them. */
export function effectFaults(value: unknown, path: string): readonly Fault[] {
  return value === undefined ? none : effects(value, path)
}

/** The keys that are no effects, each with what may be meant; extensions (`x-…`) are left alone. */
export function unknownEffects(value: unknown, path: string): readonly Fault[] {
  if (!isObject(value)) return none
  const inside = Object.entries(groups).flatMap(([name, checks]) =>
    unknownKeys(value[name], Object.keys(checks), `${path}.${name}`),
  )
  return [...unknownKeys(value, effectKeys, path), ...inside]
}

function unknownKeys(value: unknown, known: readonly string[], path: string): readonly Fault[] {
  if (!isObject(value)) return none
  const unknown = Object.keys(value).filter((key) => !known.includes(key) && !key.startsWith('x-'))
  return unknown.map((key) => `${path}.${key}: there is no such effect.${didYouMean(nearest(key, known, 1))}`)
}

/** `"60s"`, `"5m"`, `"1h"` in milliseconds; undefined for anything else. */
export function durationMs(text: string): number | undefined {
  const parts = /^(\d{1,9})([smh])$/.exec(text)
  const amount = Number(parts?.[1] ?? 0)
  return parts && amount > 0 ? amount * units[parts[2] as keyof typeof units] : undefined
}

const units = { s: 1_000, m: 60_000, h: 3_600_000 } as const

const none: readonly Fault[] = []

const flag = expecting((value) => typeof value === 'boolean', 'true or false')
const text = expecting((value) => typeof value === 'string', 'a text')
const texts = expecting(
  (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
  'a list of texts',
)
const oneOf = (names: readonly string[]) =>
  expecting((value) => names.some((name) => name === value), `one of ${names.join(', ')}`)
const duration = expecting(
  (value) => typeof value === 'string' && durationMs(value) !== undefined,
  'such as "60s" or "5m"',
)

const groups = {
  filesystem: { read: flag, write: flag, delete: flag, paths: texts },
  interactive: { stdin: oneOf(stdinNeeds), prompts: flag, tty: flag },
  cost: { billable: flag, estimate: oneOf(costEstimates) },
  duration: { typical: text, timeout: duration },
}

const checks = {
  readOnly: flag,
  destructive: flag,
  reversible: flag,
  idempotent: flag,
  network: flag,
  subprocess: flag,
  filesystem: fields(groups.filesystem),
  creates: texts,
  modifies: texts,
  deletes: texts,
  interactive: fields(groups.interactive),
  cost: fields(groups.cost),
  duration: fields(groups.duration),
}

const effects = fields(checks)
const effectKeys = Object.keys(checks)

function expecting(fits: (value: unknown) => boolean, words: string): Check {
  return (value, path) => (fits(value) ? none : [`${path}: ${shown(value)} is not ${words}.`])
}

function fields(checks: Readonly<Record<string, Check>>): Check {
  const entries = Object.entries(checks)
  return (value, path) => {
    if (!isObject(value)) return [`${path}: write an object.`]
    const faults: Fault[] = []
    for (const [name, check] of entries) {
      if (value[name] !== undefined) faults.push(...check(value[name], `${path}.${name}`))
    }
    return faults
  }
}

/** A value of others, short enough for a sentence. */
export function shown(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object'
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
  return typeof value === 'function' || typeof value === 'symbol' ? `a ${typeof value}` : String(value)
}
