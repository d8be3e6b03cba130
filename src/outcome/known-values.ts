// The first step of redaction: secrets whose values are known, in every spelling a program is likely to give them.

import { createCover, redactedMarker, type Span, type Step } from './cover.ts'
import { spellingsOf } from './spellings.ts'
import { trigramsOf, visitTrigrams } from './trigrams.ts'

/** Nothing when there is nothing to look for. */
export function knownValueStep(values: readonly string[]): Step | undefined {
  const spellings = new Set(values.flatMap(spellingsOf))
  if (spellings.size === 0) return undefined
  // The marker is looked for too: a value that is part of it then leaves it whole.
  const find = finderOf([...spellings.add(redactedMarker)])
  const start = () => {
    const cover = createCover()
    let pending = ''
    return (chunk: string, final: boolean) => {
      const text = pending + chunk
      const { spans, undecidedFrom } = find(text)
      const to = final ? text.length : undecidedFrom
      pending = text.slice(to)
      return cover(text, 0, to, spans)
    }
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
function finderOf(spellings: readonly string[]): (text: string) => { spans: Span[]; undecidedFrom: number } {
  const { places, items } = trigramsOf(spellings.map((spelling) => [spelling, spelling]))
  const beginnings = new Set(spellings.flatMap((spelling) => [spelling.slice(0, 1), spelling.slice(0, 2)]))

  return (text) => {
    const spans: Span[] = []
    let undecidedFrom = text.length
    for (const tail of [text.slice(-1), text.slice(-2)]) {
      if (beginnings.has(tail)) undecidedFrom = text.length - tail.length
    }
    visitTrigrams(places, text, 0, text.length, (place, start) => {
      for (const spelling of items[place] ?? []) {
        const end = start + spelling.length
        if (end <= text.length) {
          if (text.startsWith(spelling, start)) spans.push({ start, end })
        } else if (start < undecidedFrom && spelling.startsWith(text.slice(start))) {
          undecidedFrom = start
        }
      }
    })
    return { spans, undecidedFrom }
  }
}
