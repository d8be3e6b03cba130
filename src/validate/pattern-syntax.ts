// Reads a regular expression into a tree. Only the structure is read here; what a single letter, escape or class stands
// for is left to the platform's own regular expressions, which cannot be slow on one letter.

export type PatternNode =
  | { readonly type: 'letter'; readonly matches: (code: number) => boolean }
  | { readonly type: 'sequence' | 'choice'; readonly parts: readonly PatternNode[] }
  | { readonly type: 'repeat'; readonly body: PatternNode; readonly min: number; readonly max: number }
  | { readonly type: 'start' | 'end' | 'boundary' | 'inside' }
  | { readonly type: 'look'; readonly ahead: boolean; readonly negative: boolean; readonly body: PatternNode }

/** Why a pattern cannot be used, as the end of a sentence. */
export class UnusablePattern extends Error {}

/** The source must be a valid regular expression under the flag. */
export function parsePattern(source: string, flag: 'u' | ''): PatternNode {
  const reader: Reader = { source, flag, at: 0, depth: 0 }
  return readChoice(reader)
}

interface Reader {
  readonly source: string
  readonly flag: 'u' | ''
  at: number
  depth: number
}

const deepest = 200

function readChoice(reader: Reader): PatternNode {
  if (++reader.depth > deepest) throw new UnusablePattern('is nested too deeply')
  const options = [readSequence(reader)]
  while (reader.source[reader.at] === '|') {
    reader.at++
    options.push(readSequence(reader))
  }
  reader.depth--
  return options.length === 1 && options[0] ? options[0] : { type: 'choice', parts: options }
}

function readSequence(reader: Reader): PatternNode {
  const parts: PatternNode[] = []
  while (reader.at < reader.source.length && !'|)'.includes(reader.source.charAt(reader.at))) {
    parts.push(readQuantifier(reader, readTerm(reader)))
  }
  return { type: 'sequence', parts }
}

function readTerm(reader: Reader): PatternNode {
  switch (reader.source[reader.at]) {
    case '^':
      reader.at++
      return { type: 'start' }
    case '$':
      reader.at++
      return { type: 'end' }
    case '(':
      return readGroup(reader)
    case '[':
      return readClass(reader)
    case '\\':
      return readEscape(reader)
    default:
      return letter(reader, reader.flag ? ((reader.source.codePointAt(reader.at) ?? 0) > 0xffff ? 2 : 1) : 1)
  }
}

function readGroup(reader: Reader): PatternNode {
  const opening = groupOpening(reader)
  reader.at += opening.length
  const body = readChoice(reader)
  reader.at++
  const look = looks[opening]
  return look ? { type: 'look', ...look, body } : body
}

const looks: { readonly [opening: string]: { readonly ahead: boolean; readonly negative: boolean } } = {
  '(?=': { ahead: true, negative: false },
  '(?!': { ahead: true, negative: true },
  '(?<=': { ahead: false, negative: false },
  '(?<!': { ahead: false, negative: true },
}

function groupOpening({ source, at }: Reader): string {
  if (source[at + 1] !== '?') return '('
  for (const opening of ['(?:', ...Object.keys(looks)]) if (source.startsWith(opening, at)) return opening
  if (source.startsWith('(?<', at)) return source.slice(at, source.indexOf('>', at) + 1)
  throw new UnusablePattern('switches flags inside a group')
}

function readClass(reader: Reader): PatternNode {
  let end = reader.at + 1
  while (reader.source[end] !== ']') end += reader.source[end] === '\\' ? 2 : 1
  return letter(reader, end + 1 - reader.at)
}

function readEscape(reader: Reader): PatternNode {
  const rest = reader.source.slice(reader.at, reader.at + 80)
  if (/^\\b/i.test(rest)) {
    reader.at += 2
    return { type: rest[1] === 'b' ? 'boundary' : 'inside' }
  }
  if (/^\\(?:[1-9]|k<)/.test(rest)) throw new UnusablePattern('refers back to a group')
  const escaped = (reader.flag ? unicodeEscape : plainEscape).exec(rest)
  return letter(reader, escaped?.[0].length ?? 2)
}

const plainEscape = /^\\(?:x[\da-fA-F]{2}|u[\da-fA-F]{4}|c[a-zA-Z]|0[0-7]{0,2}|[\s\S])/
const unicodeEscape =
  /^\\(?:x[\da-fA-F]{2}|u\{[\da-fA-F]+\}|u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|[pP]\{[^}]*\}|c[a-zA-Z]|[\s\S])/

function letter(reader: Reader, length: number): PatternNode {
  const source = reader.source.slice(reader.at, reader.at + length)
  reader.at += length
  const native = new RegExp(`^(?:${source})$`, reader.flag)
  const known = new Uint8Array(128)
  const matches = (code: number) => {
    if (code >= 128) return native.test(String.fromCodePoint(code))
    const seen = known[code]
    if (seen) return seen === 2
    const matched = native.test(String.fromCharCode(code))
    known[code] = matched ? 2 : 1
    return matched
  }
  return { type: 'letter', matches }
}

function readQuantifier(reader: Reader, body: PatternNode): PatternNode {
  const quantifier = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(reader.source.slice(reader.at, reader.at + 64))
  if (!quantifier) return body
  reader.at += quantifier[0].length
  const [text, least = '', comma, most] = quantifier
  if (text.startsWith('*')) return { type: 'repeat', body, min: 0, max: Number.POSITIVE_INFINITY }
  if (text.startsWith('+')) return { type: 'repeat', body, min: 1, max: Number.POSITIVE_INFINITY }
  if (text.startsWith('?')) return { type: 'repeat', body, min: 0, max: 1 }
  const max = most ? Number(most) : comma ? Number.POSITIVE_INFINITY : Number(least)
  return { type: 'repeat', body, min: Number(least), max }
}
