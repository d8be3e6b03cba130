// What can be said to `legwork audit`: one of some words, and moments.

import { didYouMean, nearest } from '../base/text.ts'
import { UsageError } from './usage.ts'

export function oneOf<T extends string>(name: string, given: string | undefined, choices: readonly T[]): T | undefined {
  if (given === undefined) return undefined
  const found = choices.find((choice) => choice === given)
  if (found) return found
  throw new UsageError(
    `The ${name} is "${given}".${didYouMean(nearest(given, choices)) || ` Write one of ${choices.join(', ')}.`}`,
  )
}

const units = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** A date, or how long ago. */
export function moment(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const ago = /^(\d+)([smhd])$/.exec(text)
  const date = ago ? new Date(Date.now() - Number(ago[1]) * units[ago[2] as keyof typeof units]) : new Date(text)
  if (Number.isNaN(date.getTime()))
    throw new UsageError(`"${text}" is no time. Write 2026-01-31, 2026-01-31T12:00:00Z, or 10m, 2h, 7d.`)
  return date
}
