// Regular expressions that other people wrote, run so that none of them can hang the host: `^(a+)+$` takes the platform's
// own engine minutes on forty letters. RE2's algorithm takes time in proportion to the text, whatever the pattern, for one match.

import { createRequire } from 'node:module'
import { messageOf } from './json.ts'

export type SafePattern =
  | {
      readonly ok: true
      /** How many steps the machine has: what a character costs at worst is in proportion to it. */
      readonly size: number
      readonly test: (text: string) => boolean
      /**
       * The matches that are not empty, in order, none overlapping another. Each takes time linear in the rest of the text, all of
       * them perhaps as many times that: `goesOn` is asked after each whether to look for another. Default always.
       */
      readonly spans: (text: string, goesOn?: () => boolean) => readonly Span[]
    }
  /** Why not, as the end of a sentence that begins with the pattern. */
  | { readonly ok: false; readonly reason: string }

export interface Span {
  readonly start: number
  readonly end: number
}

/** Larger ones would cost too much for every character. */
const maxProgramSize = 2_000
const maxSourceLength = 5_000

/** A pattern in JavaScript's syntax, without looking around and without references back. Never throws. */
export function safePattern(source: string): SafePattern {
  if (source.length > maxSourceLength) return { ok: false, reason: 'is too large' }
  const fault = syntaxFault(source)
  if (fault !== undefined) return { ok: false, reason: `is faulty: ${fault}` }
  try {
    const { RE2JS } = loadEngine()
    const pattern = RE2JS.compile(RE2JS.translateRegExp(source))
    const size = pattern.programSize()
    if (size > maxProgramSize) return { ok: false, reason: 'is too large' }
    return {
      ok: true,
      size,
      test: (text) => pattern.matcher(text).find(),
      spans: (text, goesOn = () => true) => {
        const spans: Span[] = []
        const matcher = pattern.matcher(text)
        while (matcher.find()) {
          if (matcher.end() > matcher.start()) spans.push({ start: matcher.start(), end: matcher.end() })
          if (!goesOn()) break
        }
        return spans
      },
    }
  } catch (error) {
    return {
      ok: false,
      reason: `uses what cannot be run in bounded time (${messageOf(error).replace(/^error parsing regexp: /, '')})`,
    }
  }
}

/** Loaded when there is a pattern to run, and at once, because patterns are compiled where nobody can wait. */
function loadEngine(): typeof import('re2js') {
  return createRequire(import.meta.url)('re2js')
}

function syntaxFault(source: string): string | undefined {
  try {
    new RegExp(source, 'u')
    return undefined
  } catch {
    try {
      new RegExp(source)
      return undefined
    } catch (error) {
      return messageOf(error)
    }
  }
}
