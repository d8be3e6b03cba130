// The first step of redaction: secrets whose values are known, in every spelling a program is likely to give them.

import { createCover, redactedMarker, type Span, type Step } from './cover.ts'
import { type Spelling, spellingsOf } from './spellings.ts'
import { trigramsOf, visitTrigrams } from './trigrams.ts'

/** Nothing when there is nothing to look for. */
export function knownValueStep(values: readonly string[]): Step | undefined {
  const spellings = new Map(values.flatMap(spellingsOf).map((spelling) => [spelling.letters, spelling]))
  if (spellings.size === 0) return undefined
  // The marker is looked for too: a value that is part of it then leaves it whole.
  spellings.set(redactedMarker, { letters: redactedMarker, wraps: false })
  const find = finderOf([...spellings.values()])
  const start = () => {
    const cover = createCover()
    let pending = ''
    const take = (chunk: string, final: boolean) => {
      const text = pending + chunk
      const { spans, undecidedFrom } = find(text)
      const to = final ? text.length : undecidedFrom
      pending = text.slice(to)
      return cover(text, 0, to, spans)
    }
    return { take, holds: () => pending !== '' }
  }
  return { start, mayChange: (text) => find(text).spans.length > 0, cutFrom: (text) => find(text).undecidedFrom }
}

/**
 * Whether a value from a variable, a header or a child's extra environment is a known secret: 8 characters or more, and no
 * path, number or word. A value that is only a default is not asked about.
 * @param isPath Whether a text names something that exists in the file system; also asked for the parts of a list such as PATH.
 */
export function looksSecret(value: string, isPath: (text: string) => boolean): boolean {
  const text = value.trim()
  if (text.length < 8) return false
  if (/^\p{L}+$/u.test(text)) return false
  if (/^[+-]?(?:\d+(?:[.,_]\d+)*(?:e[+-]?\d+)?|0x[0-9a-f]+)$/i.test(text)) return false
  return !isPath(text) && !text.split(':').every(isPath)
}

/** Finds all occurrences, and from where on there may be one of which the end is still to come. */
function finderOf(spellings: readonly Spelling[]): (text: string) => { spans: Span[]; undecidedFrom: number } {
  const { places, items } = trigramsOf(spellings.map((spelling) => [spelling.letters, spelling]))
  const beginnings = new Set(spellings.flatMap(({ letters }) => [letters.slice(0, 1), letters.slice(0, 2)]))

  return (text) => {
    const spans: Span[] = []
    let undecidedFrom = text.length
    for (const tail of [text.slice(-1), text.slice(-2)]) {
      if (beginnings.has(tail)) undecidedFrom = text.length - tail.length
    }
    visitTrigrams(places, text, 0, text.length, (place, start) => {
      for (const spelling of items[place] ?? []) {
        const end = endOf(text, start, spelling)
        if (end === undecided) undecidedFrom = Math.min(undecidedFrom, start)
        else if (end !== undefined) spans.push({ start, end })
      }
    })
    return { spans, undecidedFrom }
  }
}

const undecided = Number.POSITIVE_INFINITY

/** Where a spelling ends that begins at `start`; nothing if it does not. */
function endOf(text: string, start: number, { letters, wraps }: Spelling): number | undefined {
  const end = start + letters.length
  if (text.startsWith(letters, start)) return end
  if (wraps || letters.includes('\n')) return endOfWrapped(text, start, letters, wraps)
  return end > text.length && letters.startsWith(text.slice(start)) ? undecided : undefined
}

/** More than this between two letters is no line break. */
const maxGap = 64

/** A line may end with `\r\n` instead of `\n`; what wraps may have a line break anywhere, and blanks after it. */
function endOfWrapped(text: string, start: number, letters: string, wraps: boolean): number | undefined {
  let at = start
  let gap = 0
  for (let done = 0; done < letters.length; at++) {
    if (at === text.length) return undecided
    const unit = text.charAt(at)
    if (unit === letters.charAt(done)) {
      done++
      gap = 0
    } else if (isInGap(unit, gap, wraps, letters.charAt(done))) {
      gap++
    } else {
      return undefined
    }
  }
  return at
}

function isInGap(unit: string, gap: number, wraps: boolean, next: string): boolean {
  if (!wraps) return unit === '\r' && next === '\n' && gap === 0
  if (gap >= maxGap) return false
  return unit === '\n' || unit === '\r' || (gap > 0 && (unit === ' ' || unit === '\t'))
}
