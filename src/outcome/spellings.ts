// How a secret may look after a program has encoded it.

/** Shorter encodings than this occur by chance. */
const shortestEncoding = 6

/** The value itself, and its JSON-escaped, percent-encoded, base64 and hexadecimal forms. White space around it does not count. */
export function spellingsOf(value: string): string[] {
  const plain = value.trim()
  if (plain === '') return []
  const bytes = Buffer.from(plain, 'utf8')
  const hex = bytes.toString('hex')
  const encoded = [...percentEncoded(plain), ...base64(bytes), hex, hex.toUpperCase()]
  const long = encoded.filter((spelling) => spelling.length >= shortestEncoding)
  return [...new Set([plain, ...jsonEscaped(plain), ...long])]
}

function jsonEscaped(plain: string): string[] {
  const escaped = JSON.stringify(plain).slice(1, -1)
  const slashes = escaped.replaceAll('/', '\\/')
  const html = escaped.replace(/[<>&'\u2028\u2029]/g, unicodeEscape)
  const ascii = escaped.replace(/[^\x00-\x7f]/g, unicodeEscape)
  const twice = JSON.stringify(escaped).slice(1, -1)
  return [escaped, slashes, html, ascii, twice]
}

function unicodeEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function percentEncoded(plain: string): string[] {
  const wellFormed = plain.toWellFormed()
  const component = encodeURIComponent(wellFormed)
  const strict = component.replace(/[!'()*~]/g, percent)
  const form = new URLSearchParams([['', wellFormed]]).toString().slice(1)
  const spellings = [component, strict, form, encodeURI(wellFormed), wellFormed.replaceAll(' ', '+')]
  return [...spellings, ...spellings.map((spelling) => spelling.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))]
}

function percent(unit: string): string {
  return `%${unit.charCodeAt(0).toString(16).toUpperCase()}`
}

/**
 * The value may stand anywhere inside the bytes that were encoded: three alignments, of each the digits that the value alone
 * determines.
 */
function base64(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const digits = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
    const own = digits.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6))
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')]
  })
}
