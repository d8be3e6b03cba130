// The arguments of a tool call as the model wrote them. Nothing a model writes can throw here.

import { isObject, parseJson } from '../base/json.ts'
import { grouped } from '../base/text.ts'

export type ReadArguments =
  | { readonly ok: true; readonly arguments: Record<string, unknown> }
  | { readonly ok: false; readonly error: ArgumentsError }

/** Why arguments cannot be used. */
export interface ArgumentsError {
  readonly code: 'not-json' | 'not-an-object' | 'too-large'
  /** Without anything of the text, which may hold a secret. */
  readonly message: string
  /** What the model wrote. */
  readonly text: string
}

/** An empty text, `null` and nothing at all count as no arguments. */
export function readArguments(given: unknown, maxBytes: number): ReadArguments {
  if (given === undefined || given === null) return { ok: true, arguments: {} }
  if (typeof given !== 'string') return asObject(given, given)
  if (given.length > maxBytes) {
    const most = grouped(maxBytes)
    return refused('too-large', `The arguments are longer than ${most} characters`, given)
  }
  if (given.trim() === '') return { ok: true, arguments: {} }
  const parsed = parseJson(given)
  return parsed.ok
    ? asObject(parsed.value, given)
    : refused('not-json', `The arguments are not JSON: ${withoutText(parsed.message)}`, given)
}

function asObject(value: unknown, given: unknown): ReadArguments {
  if (value === null) return { ok: true, arguments: {} }
  if (isObject(value)) return { ok: true, arguments: value }
  const what = Array.isArray(value) ? 'a list' : `a ${typeof value}`
  return refused('not-an-object', `The arguments are ${what}, not an object`, textOf(given))
}

function refused(code: ArgumentsError['code'], message: string, text: string): ReadArguments {
  return { ok: false, error: { code, message, text } }
}

/** The parser's message without the piece of the text that it shows. */
function withoutText(message: string): string {
  return message.replace(/, (?:\.\.\.)?".*$/s, '')
}

function textOf(given: unknown): string {
  if (typeof given === 'string') return given
  try {
    return JSON.stringify(given) ?? String(given)
  } catch {
    return ''
  }
}
