// The third step of redaction: secrets that can be told by their shape or by what stands beside them.
// One pass finds the keywords; each shape is tried only where a keyword of its own stands, and only there. A text that is nothing
// but keywords costs no more than as many short trials.

import { createCover, type Span, type Stage, type Step } from './cover.ts'
import { lastWordStart, namedCutFrom } from './cut-off.ts'
import { namedShapes } from './named-shapes.ts'
import { maxSecretLength, type Shape, vendorShapes } from './patterns.ts'
import { createKeyBody, type KeyBody, maxKeyLine, privateKeyHeading, privateKeyShape } from './private-key.ts'
import { trigramsOf, visitTrigrams } from './trigrams.ts'

const shapes: readonly Shape[] = [...vendorShapes, ...namedShapes, privateKeyShape, privateKeyHeading]
/** Of each keyword, what it may be the beginning of. */
const trials = [...new Set(shapes.flatMap((shape) => shape.keywords))].map((keyword) => ({
  keyword,
  candidates: shapes.filter((shape) => shape.keywords.includes(keyword)),
}))
const { places, items } = trigramsOf(trials.map((trial) => [trial.keyword, trial]))
/** How far shapes look back. */
const contextLength = 256

export const shapeStep: Step = { start, mayChange: (text) => keywordAt(text, shapes) >= 0, cutFrom }

/** How often a shape is tried within one stretch that it matched and that then was no secret. */
const maxTries = 8

/** The last stretch of the whole text, from its first chunk on, that a shape matched, and how often it was tried there. */
interface Attempt {
  end: number
  tries: number
}

/**
 * Lines are taken when they are complete; nothing but a private key goes over a line's end. Of a line that does not end, all
 * but its last part is taken.
 */
function start(): Stage {
  const cover = createCover()
  const attempts = new Map<Shape, Attempt>()
  let pending = ''
  /** How much of `pending` was taken already, and is only kept to be looked back at; and how much came before it. */
  let taken = 0
  let offset = 0
  /** What was found already and stands after what was taken: a name before that point, its value behind it. */
  let ahead: readonly Span[] = []
  let keyBody: KeyBody | undefined

  const take = (chunk: string, final: boolean) => {
    pending += chunk
    const mayTake = final || /[\r\n]/.test(chunk) || pending.length >= taken + 2 * maxSecretLength
    if (!mayTake) return ''
    const text = pending
    const lineEnd = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1
    const to = final ? text.length : Math.max(lineEnd, text.length - maxSecretLength)
    const spans: Span[] = [...ahead]
    if (keyBody) keyBody = addKeyBody(spans, text, taken, to, keyBody)
    keyBody = addShapes(spans, text, taken, to, attempts, offset) ?? keyBody
    const shown = cover(text, taken, to, spans)
    const kept = Math.max(0, to - contextLength)
    ahead = spans.flatMap(({ start, end }) => (start >= to ? [{ start: start - kept, end: end - kept }] : []))
    pending = text.slice(kept)
    taken = to - kept
    offset += kept
    return shown
  }
  return { take, holds: () => pending.length > taken }
}

/** Adds what begins between two offsets. Gives the private key that goes on after the second, if one does. */
function addShapes(
  spans: Span[],
  text: string,
  from: number,
  to: number,
  attempts: Map<Shape, Attempt>,
  offset: number,
): KeyBody | undefined {
  let keyBody: KeyBody | undefined
  visitTrigrams(places, text, from, to, (place, start) => {
    for (const { keyword, candidates } of items[place] ?? []) {
      if (!hasKeyword(text, keyword, start)) continue
      let shut: RegExp | undefined
      for (const shape of candidates) {
        if (shape.gate && (shape.gate === shut || !matchesAt(shape.gate, text, start))) {
          shut = shape.gate
          continue
        }
        const span = tryShape(shape, text, start, attempts, offset)
        if (!span) continue
        spans.push(span)
        if (shape !== privateKeyHeading) continue
        const prefix = /[^\r\n]{0,120}$/.exec(text.slice(Math.max(0, start - 120), start))?.[0] ?? ''
        keyBody = addKeyBody(spans, text, span.end, to, createKeyBody(prefix))
      }
    }
  })
  return keyBody
}

/** The first place where a keyword of one of the shapes stands; -1 if there is none. */
function keywordAt(text: string, among: readonly Shape[]): number {
  let first = -1
  visitTrigrams(places, text, 0, text.length, (place, start) => {
    if (first >= 0) return
    const found = items[place]?.some(
      ({ keyword, candidates }) =>
        hasKeyword(text, keyword, start) && (among === shapes || candidates.some((shape) => among.includes(shape))),
    )
    if (found) first = start
  })
  return first
}

/** In the last word of a text that was cut off, the beginning of a vendor's token is enough; so is a value with its name. */
function cutFrom(text: string): number {
  const wordStart = lastWordStart(text)
  const at = keywordAt(text.slice(wordStart), vendorShapes)
  return Math.min(at < 0 ? text.length : wordStart + at, namedCutFrom(text))
}

/** Keywords are in lower case; the bit that tells the cases apart is left out. */
function hasKeyword(text: string, keyword: string, at: number): boolean {
  for (let offset = 0; offset < keyword.length; offset++) {
    if (((text.charCodeAt(at + offset) ^ keyword.charCodeAt(offset)) & ~32) !== 0) return false
  }
  return true
}

function matchesAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at
  return pattern.test(text)
}

function tryShape(
  shape: Shape,
  text: string,
  at: number,
  attempts: Map<Shape, Attempt>,
  offset: number,
): Span | undefined {
  const attempt = attempts.get(shape)
  const again = attempt !== undefined && offset + at < attempt.end
  if (again && attempt.tries >= maxTries) return undefined
  shape.pattern.lastIndex = at
  const match = shape.pattern.exec(text)
  if (!match) return undefined
  const end = at + match[0].length
  const secret = match.groups?.secret ?? match[0]
  const isSecret = shape.isSecret?.(secret, match) ?? true
  const tries = isSecret ? maxTries : again ? attempt.tries + 1 : 1
  attempts.set(shape, { end: again ? Math.max(attempt.end, offset + end) : offset + end, tries })
  return isSecret ? { start: end - secret.length - (match.groups?.before?.length ?? 0), end } : undefined
}

/** As much of a line as tells whether it belongs to a key. */
const keyLine = new RegExp(`[^\\r\\n]{0,${maxKeyLine + 1}}`, 'y')

/** Covers the lines of a private key. Gives it back if it goes on. */
function addKeyBody(spans: Span[], text: string, from: number, to: number, body: KeyBody): KeyBody | undefined {
  let at = from
  while (at < to && body.open()) {
    keyLine.lastIndex = at
    const line = keyLine.exec(text)?.[0] ?? ''
    const length = body.take(line)
    at += body.open() ? Math.min(length + 1, to - at) : length
  }
  if (at > from) spans.push({ start: from, end: at })
  return body.open() ? body : undefined
}
