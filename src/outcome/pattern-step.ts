// The second step of redaction: patterns given by a user, run as one machine in time linear in the text.
// A character is covered when some match, of any of the patterns, contains it. That is found by one pass forward, which knows
// what may be under way at each character, and where a match ended by one pass backward, which knows what leads to its end.

import { createCover, redactedMarker, type Span, type Stage, type Step } from './cover.ts'
import { type Backward, createLazyAutomaton, type Forward } from './lazy-automaton.ts'
import { compilePatterns } from './safe-pattern.ts'
import { meets, type StepSet } from './step-set.ts'

/** A match longer than this is covered only as far as shorter matches reach. It bounds what a stream holds back. */
export const maxPatternMatch = 65_536

/** Nothing when there are no patterns. Throws `invalid-pattern` for one that cannot be used. */
export function patternStep(patterns: readonly string[]): Step | undefined {
  if (patterns.length === 0) return undefined
  // The marker is matched too: a pattern that matches a part of it then leaves it whole.
  const automaton = createLazyAutomaton(compilePatterns([...patterns, redactedMarker.replace(/[[\]]/g, '\\$&')]))
  const { classes, endClass, takeForward, takeBackward } = automaton

  return { start, mayChange: () => true }

  function start(): Stage {
    const cover = createCover()
    let state = automaton.atTextStart()
    /** The stretch in which a match may be under way, the state it began in, and whether a match has ended in it. */
    let pending = ''
    let stretchState = state
    let matched = false

    return (chunk, final) => {
      const text = pending + chunk
      const spans: Span[] = []
      let stretchStart = 0
      for (let at = pending.length; at < text.length; at++) {
        const unitClass = classes[text.charCodeAt(at)] ?? 0
        const taken = state.taken[unitClass] ?? takeForward(state, unitClass)
        if (state.idle) {
          stretchStart = at
          stretchState = state
        } else {
          matched ||= taken.matched
        }
        state = at - stretchStart < maxPatternMatch ? taken.to : automaton.giveUp(taken.to)
        if (matched && state.idle) {
          addCovered(spans, text, stretchStart, at + 1, stretchState, automaton.atNoEnd())
          matched = false
        }
      }
      if (final && !state.idle && (matched || takeForward(state, endClass).matched)) {
        addCovered(spans, text, stretchStart, text.length, stretchState, automaton.atTextEnd())
      }
      const to = final || state.idle ? text.length : stretchStart
      pending = text.slice(to)
      return cover(text, 0, to, spans)
    }
  }

  function addCovered(spans: Span[], text: string, start: number, end: number, from: Forward, until: Backward): void {
    const takenBy: StepSet[] = []
    for (let at = start, state = from; at < end; at++) {
      const unitClass = classes[text.charCodeAt(at)] ?? 0
      const taken = state.taken[unitClass] ?? takeForward(state, unitClass)
      takenBy.push(taken.by)
      state = taken.to
    }
    let coveredEnd = -1
    for (let at = end - 1, ahead = until; at >= start; at--) {
      const unitClass = classes[text.charCodeAt(at)] ?? 0
      ahead = ahead.earlier[unitClass] ?? takeBackward(ahead, unitClass)
      const covered = meets(ahead.set, takenBy[at - start] ?? ahead.set)
      if (covered && coveredEnd < 0) coveredEnd = at + 1
      if (!covered && coveredEnd >= 0) {
        spans.push({ start: at + 1, end: coveredEnd })
        coveredEnd = -1
      }
    }
    if (coveredEnd >= 0) spans.push({ start, end: coveredEnd })
  }
}
