// What a variable's value has to be. It is text whatever its type says, and only checked.

import type { VariableDeclaration } from './document.ts'

/** A longer one is no answer to a prompt. */
export const maxValueLength = 100_000

const types: Readonly<Record<string, { readonly pattern: RegExp; readonly words: string }>> = {
  number: { pattern: /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d{1,3})?$/i, words: 'a number' },
  integer: { pattern: /^[-+]?\d+$/, words: 'a whole number' },
  boolean: { pattern: /^(true|false)$/, words: '"true" or "false"' },
}

/** Why a value does not fit, as the end of a sentence that begins with the variable. */
export function misfitOf(
  { type = 'text', options, optional }: VariableDeclaration,
  value: unknown,
): string | undefined {
  if (typeof value !== 'string') return 'is no text.'
  if (value.length > maxValueLength) return `has ${value.length} characters; at most ${maxValueLength} are taken.`
  const text = value.trim()
  if (text === '' && optional) return undefined
  const { pattern, words } = (Object.hasOwn(types, type) && types[type]) || {}
  if (pattern && !pattern.test(text)) return `is ${shown(text)}, not ${words}.`
  if (options && !options.includes(text)) return `is ${shown(text)}, not one of ${options.join(', ')}.`
  return undefined
}

function shown(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
}
