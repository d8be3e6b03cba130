// The text that the checker sees: a `return` outside functions is a `throw` there, which has the same control flow, and whose
// expression is checked.

import type { Module } from './imports.ts'

export interface CheckedText {
  readonly text: string
  /** The offset in the user's own text. */
  readonly original: (offset: number) => number
}

export function checkedText({ text, parsed: { returns } }: Pick<Module, 'text' | 'parsed'>): CheckedText {
  if (returns.length === 0) return { text, original: (offset) => offset }
  const shifts: { readonly at: number; readonly by: number }[] = []
  let checked = ''
  let last = 0
  for (const start of returns) {
    const end = start + 'return'.length
    const word = thrown(text.slice(end, end + 10_000))
    checked += text.slice(last, start) + word
    if (word.length > 'return'.length) shifts.push({ at: checked.length, by: word.length - 'return'.length })
    last = end
  }
  return {
    text: checked + text.slice(last),
    original: (offset) => shifts.reduce((at, shift) => (offset >= shift.at ? at - shift.by : at), offset),
  }
}

/** A `return` without a value throws one; an `else` may follow its semicolon, so that there must not be another. */
function thrown(after: string): string {
  const rest = after.replace(/^(?:[^\S\n\r]|\/\*(?:(?!\*\/)[^\n\r])*\*\/)*/, '')
  if (rest.startsWith(';')) return 'throw 0'
  return /^(?:[}\n\r]|\/[/*]|$)/.test(rest) ? 'throw 0;' : 'throw '
}
