// A result as it stands in a document: JSON that any XML reader gives back unchanged, whatever is in it.

import { type Json, toJson } from '../base/json.ts'
import type { ReadResult, ResultLike } from './stored-results.ts'

/** On one line up to here. */
const shortLength = 80

export interface Layout {
  /** What each further line begins with. Undefined: everything on one line. */
  readonly indent: string | undefined
  readonly unit: string
  readonly lineBreak: string
}

/** A result that JSON cannot hold is an error of its block. */
export function readGiven({ result, error }: ResultLike): ReadResult {
  if (error)
    return { ok: false, code: typeof error.code === 'string' ? error.code : 'tool-failed', message: error.message }
  const made = toJson(result)
  return made.ok ? { ok: true, value: made.json } : { ok: false, code: 'tool-failed', message: made.message }
}

/** What stands between the tags, from the result and its JSON on one line. */
export function resultBody(result: ReadResult, json: string, layout: Layout): string {
  if (!result.ok) return escapeText(safeJson(json))
  const body = safeJson(isShort(result.value, json, layout) ? json : indented(result.value, layout))
  return `<![CDATA[${body.replaceAll(']]>', ']]]]><![CDATA[>')}]]>`
}

function isShort(value: Json, json: string, { indent }: Layout): boolean {
  return json.length <= shortLength || indent === undefined || typeof value !== 'object'
}

function indented(value: Json, { indent = '', unit, lineBreak }: Layout): string {
  return JSON.stringify(value, null, unit).replaceAll('\n', lineBreak + indent)
}

/** Characters that XML does not allow or that change how a text is shown, as escapes; they can only be inside strings. */
function safeJson(json: string): string {
  return json.replace(unsafe, (letters) =>
    Array.from(
      { length: letters.length },
      (_, at) => `\\u${letters.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  )
}

const unsafe = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffe\uffff]|[\u{e0000}-\u{e007f}]/gu

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
