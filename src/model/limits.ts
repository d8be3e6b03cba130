// Every limit there is, in one table: its default, the range it may be set to, and what it bounds.

import { LimitError } from './errors.ts'

export interface LimitSpec {
  readonly default: number
  readonly min: number
  readonly max: number
  readonly about: string
}

const mebibyte = 1_048_576

export const limitSpecs = {
  timeoutMs: { default: 30_000, min: 1, max: 600_000, about: 'How long one call may run, in milliseconds.' },
  maxOutputBytes: {
    default: mebibyte,
    min: 1,
    max: 10 * mebibyte,
    about: 'How many bytes of each output stream of a process are kept; the rest is counted and dropped.',
  },
  maxTextLength: {
    default: 100_000,
    min: 64,
    max: 10_000_000,
    about: 'How many characters the text for a model may have.',
  },
  maxResultLength: {
    default: 25_000,
    min: 4_000,
    max: 10_000_000,
    about:
      'How many characters of a result an MCP client is handed at once; a longer one is kept, to be read in parts.',
  },
  maxInputBytes: {
    default: 10 * mebibyte,
    min: 1,
    max: 100 * mebibyte,
    about: 'How large the input of a call may be, counted as JSON.',
  },
  maxInputValues: {
    default: 250_000,
    min: 1,
    max: 10_000_000,
    about: 'How many values, lists and objects included, the input of a call may consist of.',
  },
  maxInputDepth: { default: 128, min: 1, max: 256, about: 'How deeply the input of a call may be nested.' },
  maxConcurrentCalls: { default: 32, min: 1, max: 1_000, about: 'How many tools may be running at once.' },
  maxQueuedCalls: { default: 10_000, min: 0, max: 1_000_000, about: 'How many calls may wait for their turn.' },
  maxCallDepth: { default: 16, min: 1, max: 64, about: 'How deeply tools may call other tools.' },
} as const satisfies Record<string, LimitSpec>

export type LimitName = keyof typeof limitSpecs
export type Limits = { readonly [Name in LimitName]: number }

export const limitNames = Object.keys(limitSpecs) as LimitName[]

/** The defaults with the given values laid over them. A value out of range is misuse, never quietly bent. */
export function makeLimits(given: { readonly [Name in LimitName]?: number | undefined } = {}): Limits {
  return Object.fromEntries(limitNames.map((name) => [name, checkLimit(name, given[name])])) as Limits
}

export function checkLimit(name: LimitName, value: number | undefined): number {
  const { default: fallback, min, max } = limitSpecs[name]
  if (value === undefined) return fallback
  if (!Number.isInteger(value) || value < min || value > max) throw new LimitError(name, value, min, max)
  return value
}
