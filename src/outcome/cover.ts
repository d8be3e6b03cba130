// Puts the marker in place of what was found: one for each run of covered characters, also where a run comes in pieces.

export const redactedMarker = '[REDACTED]'

/** A part of a text, from `start` up to but without `end`. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** One step of redaction over a text that comes in chunks. */
export interface Stage {
  /** Gives what can be told already, and at the end the rest. */
  readonly take: (chunk: string, final: boolean) => string
  /** Whether something of what was taken is still to be given. */
  readonly holds: () => boolean
}

/** What a redactor does to a text, one after the other. */
export interface Step {
  readonly start: () => Stage
  /** A quick look: false when it would leave the whole text as it is. */
  readonly mayChange: (text: string) => boolean
  /** Where a secret may begin of which the end was cut off; the length of the text if nowhere. */
  readonly cutFrom?: (text: string) => number
}

/** Gives the text between two offsets with the spans covered. The next call goes on where this one stopped. */
export type Cover = (text: string, from: number, to: number, spans: Span[]) => string

export function createCover(): Cover {
  /** How many characters after the last `to` the last marker stands for; undefined if it was not followed up to there. */
  let carried: number | undefined

  return (text, from, to, spans) => {
    if (spans.length === 0 && carried === undefined) return text.slice(from, to)
    spans.sort((a, b) => a.start - b.start)
    let shown = ''
    let at = from
    let covered = carried === undefined ? -1 : from + carried
    for (const { start, end } of spans) {
      if (start >= to) break
      if (start > covered) {
        shown += text.slice(Math.max(at, covered), start) + redactedMarker
        at = start
        covered = end
      } else if (end > covered) {
        covered = end
      }
    }
    carried = covered >= to ? covered - to : undefined
    return shown + text.slice(Math.max(at, covered), to)
  }
}
