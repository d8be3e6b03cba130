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
    const isBare = /^[^\S\n]*(?:[;}\n]|\/\/|$)/.test(text.slice(end, end + 1_000))
    const word = isBare ? 'throw 0;' : 'throw '
    checked += text.slice(last, start) + word
    if (isBare) shifts.push({ at: checked.length, by: word.length - 'return'.length })
    last = end
  }
  return {
    text: checked + text.slice(last),
    original: (offset) => shifts.reduce((at, shift) => (offset >= shift.at ? at - shift.by : at), offset),
  }
}
