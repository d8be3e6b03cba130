// What saxes says is wrong, in words that help: where exactly, and what to write instead.

import { attributesAt } from './attributes.ts'
import { type Finding, maxFaults } from './faults.ts'

/** `position` is just after the letter that was too much; `tokenEnd` where the last whole thing ended. */
export function describeError(text: string, message: string, position: number, tokenEnd: number): Finding {
  const before = Math.max(0, Math.min(position, text.length) - 1)
  if (message.includes('entity')) return invalidEntity(text, before)
  if (message === 'unexpected end.') {
    const offset = Math.max(0, text.slice(tokenEnd).search(/[<&]/)) + tokenEnd
    const hint = 'Finish it: a tag ends with ">", a comment with "-->", CDATA with "]]>", an entity with ";".'
    return { code: 'NOT_WELL_FORMED', message: 'The text ends in the middle of what begins here.', hint, offset }
  }
  if (message === 'disallowed character.' && text[before] !== '<') {
    const code = (text.codePointAt(before) ?? 0).toString(16).toUpperCase().padStart(4, '0')
    const hint = 'Remove it; inside JSON it can be written as an escape such as \\u0000.'
    return { code: 'INVALID_CHARACTER', message: `The character U+${code} is not allowed.`, hint, offset: before }
  }
  const hint = hints.find(([known]) => message.startsWith(known))?.[1] ?? 'Write it as XML has it.'
  return { code: 'NOT_WELL_FORMED', message: `This is not well-formed: ${message}`, hint, offset: before }
}

/** All those of one tag, each where it stands. */
export function duplicateAttributes(text: string, start: number, end: number): Finding[] {
  const seen = new Map<string, number>()
  const findings: Finding[] = []
  for (const { name, start: offset } of attributesAt(text, start, end)) {
    const relatedOffset = seen.get(name)
    const message = `The attribute "${name}" is there twice.`
    if (relatedOffset === undefined) seen.set(name, offset)
    else findings.push({ code: 'DUPLICATE_ATTRIBUTE', message, hint: 'Keep one of them.', offset, relatedOffset })
  }
  return findings
}

export function loneSurrogates(text: string): Finding[] {
  const pattern = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g
  const findings: Finding[] = []
  for (const { index: offset } of text.matchAll(pattern)) {
    if (findings.length === maxFaults) break
    const code = text.charCodeAt(offset).toString(16).toUpperCase()
    const message = `Half of a character (U+${code}) stands alone.`
    findings.push({ code: 'INVALID_CHARACTER', message, hint: 'Remove it, or write the whole character.', offset })
  }
  return findings
}

/**
 * Plain ampersands, and the text with another letter of the same length in the place of each: saxes would take all that follows,
 * up to the next ";", for the name of an entity.
 */
export function plainAmpersands(text: string): { readonly text: string; readonly findings: readonly Finding[] } {
  const findings: Finding[] = []
  if (!plainAmpersand.test(text)) return { text, findings }
  const mended = text.replace(ampersandOrVerbatim, (part, offset: number) => {
    if (part !== '&') return part
    const message = 'A plain "&" stands here.'
    findings.push({ code: 'INVALID_ENTITY', message, hint: 'Write &amp; for it.', offset })
    return '\uff06'
  })
  return { text: mended, findings }
}

const plainAmpersand = /&(?!#?[^\s;&<>"'#]+;)/
/** In CDATA, comments and instructions an ampersand is a letter like any other. */
const ampersandOrVerbatim = new RegExp(
  String.raw`<!\[CDATA\[[^]*?(?:\]\]>|$)|<!--[^]*?(?:-->|$)|<\?[^]*?(?:\?>|$)|${plainAmpersand.source}`,
  'g',
)

export function tooLarge(why: string, offset = 0): Finding {
  return { code: 'TOO_LARGE', message: `This document is too large. ${why}`, hint: 'Split it into several.', offset }
}

function invalidEntity(text: string, before: number): Finding {
  const offset = Math.max(0, text.lastIndexOf('&', before))
  const entity = text.slice(offset, Math.min(before + 1, offset + 40))
  const hint = 'Known are &amp; &lt; &gt; &quot; &apos; and numbers such as &#10;. Write &amp; for a plain "&".'
  return { code: 'INVALID_ENTITY', message: `"${entity}" is no entity.`, hint, offset }
}

const hints: readonly (readonly [string, string])[] = [
  ['disallowed character in tag name', 'Write &lt; for a plain "<".'],
  ['disallowed character.', 'Write &lt; for a plain "<" in a value.'],
  ['disallowed character in attribute name', 'Attributes are written name="value".'],
  ['attribute without value', 'Write name="value".'],
  ['unquoted attribute value', 'Put the value in quotes.'],
  ['no whitespace between attributes', 'Put a space between the attributes.'],
  ['the string "]]>"', 'Write ]]&gt; instead.'],
  ['malformed comment', 'A comment may not contain "--".'],
  ['incorrect syntax', 'After "<!" only a comment (<!-- -->) or CDATA (<![CDATA[ ]]>) may follow.'],
]
