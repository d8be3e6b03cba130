// Where the attributes of an opening tag stand. Worked out from the text when somebody asks: most are never asked for.

import type { AttributeSource } from './document.ts'

/** Every attribute of the tag at this offset, in order, one that is there twice included. The tag is well-formed. */
export function* attributesAt(text: string, start: number, end: number): Generator<AttributeSource & { name: string }> {
  const pattern = /([^\s=/>"']+)\s*=\s*("[^"]*"|'[^']*')/y
  const gap = /[\s/]*/y
  gap.lastIndex = start + 1 + (/[^\s/>]*/.exec(text.slice(start + 1, Math.min(end, start + 1_000)))?.[0].length ?? 0)
  while (gap.lastIndex < end) {
    gap.exec(text)
    pattern.lastIndex = gap.lastIndex
    const found = pattern.exec(text)
    if (!found || pattern.lastIndex > end) return
    const [whole, name = '', quoted = ''] = found
    const valueEnd = found.index + whole.length - 1
    yield {
      name,
      start: found.index,
      end: valueEnd + 1,
      valueStart: valueEnd - quoted.length + 2,
      valueEnd,
    }
    gap.lastIndex = pattern.lastIndex
  }
}

export function attributeAt(text: string, start: number, end: number, name: string): AttributeSource | undefined {
  for (const { name: found, ...source } of attributesAt(text, start, end)) if (found === name) return source
  return undefined
}

/** A value as it may stand between double quotes; a character that XML does not have becomes U+FFFD. */
export function escapeAttribute(value: string): string {
  return xmlText(value).replace(/[&<>"\t\n\r]/g, (letter) => attributeEscapes[letter] ?? letter)
}

/** XML 1.0 has no place for most control characters and for halves of pairs. */
export function xmlText(text: string): string {
  return text.toWellFormed().replace(noXml, '\uFFFD')
}

const noXml = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu

const attributeEscapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
}
