// How a secret may look after a program has encoded it: JSON-escaped up to three levels deep, percent-encoded once or twice, with
// HTML entities, quoted for a shell or a program, in hexadecimal, and in base64 of any text that it is part of, also where that
// is wrapped at any column and indented. Not looked for: capitals and small letters changed, compressed or encrypted forms, base32,
// base64 of another encoding or of base64, hexadecimal with signs between the bytes, numbered HTML entities for every letter,
// octal escapes, and wrapped base64 whose line breaks were escaped in turn.

import { visibleText } from './visible.ts'

export interface Spelling {
  readonly letters: string
  /** Whether line breaks may stand anywhere in it. */
  readonly wraps: boolean
}

/** Shorter encodings than this occur by chance. */
const shortestEncoding = 6

/** The value itself and its encoded forms. White space around it does not count. */
export function spellingsOf(value: string): Spelling[] {
  const plain = value.trim().replaceAll('\r\n', '\n')
  if (plain === '') return []
  // A line break in it is found as `\r\n` too; where it is encoded, that has to be said. What is hidden in it may be dropped.
  const visible = visibleText(plain)
  const shown = visible.length >= shortestEncoding ? [plain, visible] : [plain]
  const forms = [...new Set([...shown, plain.replaceAll('\n', '\r\n')])]
  const encoded = forms.flatMap((form) => [
    ...percentEncoded(form),
    ...hexadecimal(form),
    ...withEntities(form),
    ...quotedForShell(form),
  ])
  const long = encoded.filter((letters) => letters.length >= shortestEncoding)
  const wrapping = forms.flatMap(base64).filter((letters) => letters.length >= shortestEncoding)
  return [
    ...[...new Set([...shown, ...forms.flatMap(jsonEscaped), ...long])].map(spelled(false)),
    ...[...new Set(wrapping)].map(spelled(true)),
  ]
}

function spelled(wraps: boolean): (letters: string) => Spelling {
  return (letters) => ({ letters, wraps })
}

function jsonEscaped(plain: string): string[] {
  const escaped = jsonEscape(plain)
  const slashes = escaped.replaceAll('/', '\\/')
  const html = escaped.replace(/[<>&'\u2028\u2029]/g, unicodeEscape)
  const ascii = escaped.replace(/[^\x00-\x7f]/g, unicodeEscape)
  return [escaped, slashes, html, ascii].flatMap((once) => [once, jsonEscape(once), jsonEscape(jsonEscape(once))])
}

function jsonEscape(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

function unicodeEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function percentEncoded(plain: string): string[] {
  const wellFormed = plain.toWellFormed()
  const component = encodeURIComponent(wellFormed)
  const strict = component.replace(/[!'()*~]/g, percent)
  const form = new URLSearchParams([['', wellFormed]]).toString().slice(1)
  const capitals = [component, strict, form, encodeURI(wellFormed)]
  const small = capitals.map((spelling) => spelling.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))
  const once = [...capitals, ...small]
  return [...once, wellFormed.replaceAll(' ', '+'), ...once.map(encodeURIComponent)]
}

function percent(unit: string): string {
  return `%${unit.charCodeAt(0).toString(16).toUpperCase()}`
}

function hexadecimal(plain: string): string[] {
  const hex = Buffer.from(plain, 'utf8').toString('hex')
  return [hex, hex.toUpperCase()]
}

/** What libraries write for the two quotes; for the other three signs there is one way. */
const quoteEntities = [
  ['"', "'"],
  ['&quot;', "'"],
  ['&quot;', '&#39;'],
  ['&quot;', '&#039;'],
  ['&quot;', '&#x27;'],
  ['&quot;', '&apos;'],
  ['&#34;', '&#39;'],
] as const

function withEntities(plain: string): string[] {
  const signs = plain.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return quoteEntities.map(([double, single]) => signs.replaceAll('"', double).replaceAll("'", single))
}

/** As `printf %q` has it; in `$'…'`, which is also how programs quote; in double quotes; in single quotes, both ways. */
function quotedForShell(plain: string): string[] {
  const lines = plain.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t')
  return [
    plain.replace(/[ !"$&'()*,;<>?[\\\]^`{|}]/g, '\\$&'),
    lines,
    plain.replace(/["$`\\]/g, '\\$&'),
    plain.replaceAll("'", `'\\''`),
    plain.replaceAll("'", `'"'"'`),
  ]
}

/**
 * The value may stand anywhere inside the bytes that were encoded: three alignments, of each the digits that the value alone
 * determines. A break among the first three of them would hide where it begins, so it is looked for from the second and third on too.
 */
function base64(plain: string): string[] {
  const bytes = Buffer.from(plain, 'utf8')
  return [0, 1, 2].flatMap((offset) => {
    const digits = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
    const own = digits.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6))
    return [own, own.slice(1), own.slice(2)].flatMap((part) => [part, part.replaceAll('+', '-').replaceAll('/', '_')])
  })
}
