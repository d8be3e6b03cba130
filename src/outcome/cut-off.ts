// The end of a text that was cut off: where a secret may begin that is no longer whole enough to be told by its shape.

import { closing, name, sign, spaces } from './named-shapes.ts'
import { maxSecretLength } from './patterns.ts'
import { isHarmlessSuffix } from './secret-value.ts'

/** Where the last word begins: one without blanks, quotes and equal signs. */
export function lastWordStart(text: string): number {
  const least = Math.max(0, text.length - maxSecretLength)
  let start = text.length
  while (start > least && !/[\s"'`=]/.test(text.charAt(start - 1))) start--
  return start
}

/** Where the value begins of which the name, the scheme or the address stands before it; the length of the text if there is none. */
export function namedCutFrom(text: string): number {
  const match = atEnd.exec(text.slice(-longest))
  if (!match || isHarmlessSuffix(match.groups?.suffix ?? '')) return text.length
  return text.length - (match.groups?.secret ?? '').length
}

const longest = 1_024

const atEnd = new RegExp(
  [
    `(?:${name}${sign}\\\\{0,3}["'\`]?`,
    `authorization${closing}${spaces}[:=]${spaces}\\\\{0,3}["'\`]?(?:[A-Za-z][A-Za-z0-9-]{1,30}[ \\t]{1,4})?`,
    `bearer[ \\t]{1,4}`,
    `://[^\\s/?#@:"'<>\`]{0,256}:(?!\\d{1,5}$))(?<secret>[^\\s"'\`]{1,512})$`,
  ].join('|'),
  'i',
)
