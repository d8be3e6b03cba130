// The second step of redaction: patterns given by a user, each within a line, in time linear in the text.

import { type SafePattern, safePattern } from '../base/safe-pattern.ts'
import { LegworkError } from '../model/errors.ts'
import { createCover, redactedMarker, type Span, type Stage, type Step } from './cover.ts'

/** A longer line is looked at in windows, which share so much that a match up to that length is never cut in two. */
const windowLength = 65_536
const sharedLength = 4_096

type Usable = Extract<SafePattern, { readonly ok: true }>

/** Nothing when there are no patterns. Throws `invalid-pattern` for one that cannot be used. */
export function patternStep(sources: readonly string[]): Step | undefined {
  if (sources.length === 0) return undefined
  const patterns = sources.map(compile)
  return {
    start: () => startStage(patterns),
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

/** Windows begin where their line begins, so that it does not matter in which chunks a text comes. */
function startStage(patterns: readonly Usable[]): Stage {
  const cover = createCover()
  let pending = ''
  /** How much of `pending` has been given already, and is only looked at again. */
  let given = 0

  return (chunk, final) => {
    pending += chunk
    if (!final && pending.length < windowLength && !/[\r\n]/.test(chunk)) return ''
    let shown = ''
    for (;;) {
      const lineEnd = /\r\n?|\n/.exec(pending.slice(0, windowLength))
      const isWhole = lineEnd !== null || pending.length <= windowLength
      if (!lineEnd && !final && isWhole) return shown
      const end = lineEnd ? lineEnd.index + lineEnd[0].length : Math.min(pending.length, windowLength)
      const to = isWhole ? end : end - sharedLength
      shown += cover(pending, given, to, spansOf(patterns, pending.slice(0, lineEnd ? lineEnd.index : end)))
      pending = pending.slice(isWhole ? to : to - sharedLength)
      given = isWhole ? 0 : sharedLength
      if (pending.length === given && (isWhole || final)) return shown
    }
  }
}

/** The markers of the step before are kept whole, also by a pattern that matches a part of one. */
function spansOf(patterns: readonly Usable[], text: string): Span[] {
  const spans = patterns.flatMap((pattern) => pattern.spans(text))
  if (spans.length === 0) return spans
  for (let at = text.indexOf(redactedMarker); at >= 0; at = text.indexOf(redactedMarker, at + 1)) {
    spans.push({ start: at, end: at + redactedMarker.length })
  }
  return spans
}
