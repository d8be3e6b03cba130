// Puts what jsonc-parser finds wrong with a text into words, and leaves out what only follows from an earlier error.

import { quoted } from './words.ts'

export interface SyntaxError {
  /** Such as `CommaExpected`. */
  readonly name: string
  readonly offset: number
  readonly length: number
}

export interface DescribedSyntax {
  readonly faults: readonly { readonly offset: number; readonly message: string }[]
  /** Where the structure is first lost. */
  readonly readableUntil: number
}

/** After these the rest of the text is read wrongly: only single tokens can still be judged. */
const structural: Readonly<Record<string, string>> = {
  CloseBracketExpected: 'The list is not closed. Write "]".',
  CloseBraceExpected: 'The object is not closed. Write "}".',
  UnexpectedEndOfComment: 'The comment is not closed. Write "*/".',
  EndOfFileExpected: 'There is more after the end. Write one object in braces and nothing behind it.',
  ColonExpected: 'A colon is missing between the key and its value.',
  PropertyNameExpected: 'A key in double quotes is missing here.',
}

const grammatical: Readonly<Record<string, string>> = {
  ValueExpected: 'A value is missing here.',
  CommaExpected: 'A comma is missing before this.',
}

const lexical: Readonly<Record<string, string>> = {
  InvalidNumberFormat: 'This is not a number. Write digits, such as 30000.',
  UnexpectedEndOfNumber: 'The number is not finished. Write digits, such as 30000.',
  UnexpectedEndOfString: 'The text is not closed. Write a double quote at its end.',
  InvalidUnicode: 'Four hexadecimal digits must follow "\\u".',
  InvalidEscapeCharacter: 'This text has a backslash that escapes nothing. Write "\\\\" for a backslash.',
  InvalidCharacter: 'This text has a control character. Write "\\t" for a tab.',
}

const messages: Readonly<Record<string, string>> = { ...structural, ...grammatical, ...lexical }

export function describeSyntax(text: string, errors: readonly SyntaxError[]): DescribedSyntax {
  const faults: { offset: number; message: string }[] = []
  let readableUntil = Number.POSITIVE_INFINITY
  for (const group of groupErrors(
    text,
    errors.map((error) => recogniseUnclosed(text, error)),
  )) {
    const [{ name, offset, length }] = group
    const isToken = name in lexical || name === 'InvalidSymbol' || name === 'UnexpectedEndOfComment'
    if (isToken || offset < readableUntil) {
      const token = text.slice(offset, offset + length)
      const message = name === 'InvalidSymbol' ? invalidSymbol(token, text.slice(offset + length)) : messages[name]
      faults.push({ offset, message: message ?? 'This is not JSON.' })
    }
    if (group.some((error) => error.name in structural)) readableUntil = Math.min(readableUntil, offset)
  }
  return { faults, readableUntil }
}

/** Where the wrong bracket closes, the parser asks for a comma. */
function recogniseUnclosed(text: string, error: SyntaxError): SyntaxError {
  const closing = text.charAt(error.offset)
  if (error.name === 'CommaExpected' && closing === '}') return { ...error, name: 'CloseBracketExpected' }
  if (error.name !== 'ValueExpected' && closing === ']') return { ...error, name: 'CloseBraceExpected' }
  return error
}

type Group = [SyntaxError, ...SyntaxError[]]

/** Errors with nothing but blanks between them have one cause, unless the later one is a bad token of its own. */
function groupErrors(text: string, errors: readonly SyntaxError[]): Group[] {
  const groups: Group[] = []
  let end = 0
  for (const error of errors) {
    const group = groups.at(-1)
    const isNew = error.name === 'InvalidSymbol' && group?.at(-1)?.name !== 'InvalidSymbol'
    if (group && !isNew && text.slice(end, error.offset).trim() === '') group.push(error)
    else groups.push([error])
    end = Math.max(end, error.offset + error.length)
  }
  return groups
}

function invalidSymbol(token: string, rest: string): string {
  if (/^['‘’“”`]/.test(token)) return 'Keys and texts stand in straight double quotes. Write "…".'
  if (/^\s*:/.test(rest)) return `The key ${token} stands without quotes. Write ${quoted(token)}.`
  const known = { true: 'true', yes: 'true', on: 'true', false: 'false', no: 'false', off: 'false' } as const
  const flag = Object.entries(known).find(([word]) => word === token.toLowerCase())?.[1]
  if (flag) return `${token} is not JSON. Write ${flag}, or ${quoted(token)} for text.`
  if (/^[\p{L}\p{N}_.$/~-]/u.test(token)) return `${quoted(token)} is not JSON. Write text in double quotes.`
  return `${quoted(token)} does not belong here. Remove it.`
}
