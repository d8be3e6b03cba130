// What a variable's value has to be. It is text whatever its type says, and only checked.

import type { VariableDeclaration } from './document.ts'

/** A longer one is no answer to a prompt. */
export const maxValueLength = 100_000

const types: Readonly<Record<string, { readonly fits: (text: string) => boolean; readonly words: string }>> = {
  number: { fits: isNumber, words: 'a number' },
  integer: { fits: (text) => /^[-+]?\d+$/.test(text), words: 'a whole number' },
  boolean: { fits: (text) => /^(true|false)$/.test(text), words: '"true" or "false"' },
}

/** Why a value does not fit, as the end of a sentence that begins with the variable. */
export function misfitOf({ type, options, optional }: VariableDeclaration, value: unknown): string | undefined {
  if (typeof value !== 'string') return 'is no text.'
  if (value.length > maxValueLength) return `has ${value.length} characters; at most ${maxValueLength} are taken.`
  const text = value.trim()
  if (text === '' && optional) return undefined
  const checked = typeOf(type)
  if (checked && !checked.fits(text)) return `is ${shown(text)}, not ${checked.words}.`
  if (options && !options.includes(text)) return `is ${shown(text)}, not one of ${options.join(', ')}.`
  return undefined
}

/** What is filled in: where a value was checked without the spaces around it, that. */
export function filledIn({ type, options }: VariableDeclaration, value: string): string {
  return options || typeOf(type) ? value.trim() : value
}

/** Whether there is nothing in a text that anybody could see. */
export function isBlank(text: string): boolean {
  return /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*$/u.test(text)
}

function typeOf(type = 'text') {
  return Object.hasOwn(types, type) ? types[type] : undefined
}

/** One that is too large for any number is none. */
function isNumber(text: string): boolean {
  return /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d{1,3})?$/i.test(text) && Number.isFinite(Number(text))
}

function shown(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
}
