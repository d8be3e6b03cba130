// The second step of redaction: patterns given by a user, each within a line. Finding one match takes time linear in the text, but
// a pattern such as `a[^ ]*b|a` reads on to the end of the line for each of its matches. So there is a budget, which every
// character adds to; when it is used up, that line is redacted, as far as it has not been given yet.

import { type Clock, systemClock } from '../base/clock.ts'
import { type SafePattern, safePattern } from '../base/safe-pattern.ts'
import { LegworkError } from '../model/errors.ts'
import { createCover, redactedMarker, type Span, type Stage, type Step } from './cover.ts'

/** A longer line is looked at in windows, which share so much that a match up to that length is never cut in two. */
const windowLength = 65_536
const sharedLength = 4_096

/** Several times what ordinary patterns take, even where every character is a match. */
const msPerCharacter = 0.003
const msPerCharacterAndSize = 0.000_02
const mostMs = 500

type Usable = Extract<SafePattern, { readonly ok: true }>

/** Gives the matches of all patterns; nothing if there was no time to look for all of them. */
type Find = (text: string) => Span[] | undefined

/** How many matches there are before the clock is looked at again. */
const matchesBetweenLooks = 16

/** Nothing when there are no patterns. Throws `invalid-pattern` for one that cannot be used. */
export function patternStep(sources: readonly string[], clock: Pick<Clock, 'elapsed'> = systemClock): Step | undefined {
  if (sources.length === 0) return undefined
  const patterns = sources.map(compile)
  const find = createFind(patterns, clock)
  return {
    start: () => startStage(find),
    mayChange: (text) => patterns.some((pattern) => pattern.test(text)) || /[\r\n]/.test(text),
  }
}

function compile(source: string): Usable {
  const pattern = safePattern(source)
  if (pattern.ok) return pattern
  throw new LegworkError(
    'invalid-pattern',
    `The redaction pattern "${source}" ${pattern.reason}. Write it without that.`,
  )
}

/** The budget is one for all texts: many short ones are no way around it. */
function createFind(patterns: readonly Usable[], clock: Pick<Clock, 'elapsed'>): Find {
  const earnedMs = patterns.reduce((sum, { size }) => sum + msPerCharacter + size * msPerCharacterAndSize, 0)
  let budgetMs = mostMs

  return (text) => {
    budgetMs = Math.min(mostMs, budgetMs) + text.length * earnedMs
    let startedAt: number | undefined
    let matches = 0
    let isSpent = false
    const goesOn = () => {
      startedAt ??= clock.elapsed()
      if (++matches % matchesBetweenLooks === 0) isSpent ||= clock.elapsed() - startedAt >= budgetMs
      return !isSpent
    }
    const spans = patterns.flatMap((pattern) => (isSpent ? [] : pattern.spans(text, goesOn)))
    if (startedAt !== undefined) budgetMs = Math.max(0, budgetMs - (clock.elapsed() - startedAt))
    if (isSpent) return undefined
    if (spans.length > 0) addMarkers(spans, text)
    return spans
  }
}

/** The markers of the step before are kept whole, also by a pattern that matches a part of one. */
function addMarkers(spans: Span[], text: string): void {
  for (let at = text.indexOf(redactedMarker); at >= 0; at = text.indexOf(redactedMarker, at + 1)) {
    spans.push({ start: at, end: at + redactedMarker.length })
  }
}

/** Windows begin where their line begins, so that it does not matter in which chunks a text comes. */
function startStage(find: Find): Stage {
  const cover = createCover()
  let pending = ''
  /** How much of `pending` has been given already, and is only looked at again. */
  let given = 0
  /** Within a line of which the rest is redacted. */
  let isSpent = false

  return { take, holds: () => pending.length > given }

  function take(chunk: string, final: boolean): string {
    pending += chunk
    if (!final && pending.length < windowLength && !/[\r\n]/.test(chunk)) return ''
    let shown = ''
    for (;;) {
      const lineEnd = /\r\n?|\n/.exec(pending.slice(0, windowLength))
      const isWhole = lineEnd !== null || pending.length <= windowLength
      if (!lineEnd && !final && isWhole) return shown
      const end = lineEnd ? lineEnd.index + lineEnd[0].length : Math.min(pending.length, windowLength)
      const to = isWhole ? end : end - sharedLength
      shown += cover(pending, given, to, spansOf(pending.slice(0, lineEnd ? lineEnd.index : end)))
      if (isWhole) isSpent = false
      pending = pending.slice(isWhole ? to : to - sharedLength)
      given = isWhole ? 0 : sharedLength
      if (pending.length === given && (isWhole || final)) return shown
    }
  }

  function spansOf(text: string): Span[] {
    const spans = isSpent ? undefined : find(text)
    isSpent = spans === undefined
    return spans ?? [{ start: 0, end: text.length }]
  }
}
