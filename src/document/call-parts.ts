// What stands inside a call: its parameters and its stored result, parsed when they are wanted.

import { isObject, type JsonObject, maxJsonDepth, parseJson, toJson } from '../base/json.ts'
import type { ReadParameters, RunnableBlock, StoredParameters } from './document.ts'
import type { Finding } from './faults.ts'
import { plainText, type VariableValue } from './rich-text.ts'
import type { ReadResult } from './stored-results.ts'

/** The parameters as an object; `{}` when there are none. A new one each time. */
export function parametersOf({ parameters }: Pick<RunnableBlock, 'parameters'>): ReadParameters {
  if (!parameters?.raw.trim()) return { ok: true, value: {} }
  if (parameters.fault) return { ok: false, fault: parameters.fault }
  return { ok: true, value: JSON.parse(parameters.raw) as JsonObject }
}

/** The instructions as a tool gets them; the empty text when there are none. */
export function contentOf({ content }: Pick<RunnableBlock, 'content'>, valueFor?: VariableValue): string {
  return content ? plainText(content.rich, valueFor) : ''
}

/** The result that the document holds, or nothing. Text that is no JSON is a text. */
export function storedResult({ result }: Pick<RunnableBlock, 'result'>): ReadResult | undefined {
  if (!result) return undefined
  const raw = result.raw.trim()
  const parsed = parseJson(raw)
  const { error } = result.attributes
  if (error !== undefined) {
    const said = parsed.ok && isObject(parsed.value) ? parsed.value.message : undefined
    return { ok: false, code: error, message: typeof said === 'string' ? said : raw }
  }
  if (!raw) return undefined
  if (!parsed.ok) return { ok: true, value: raw }
  const value = toJson(parsed.value)
  return value.ok ? { ok: true, value: value.json } : { ok: false, code: 'tool-failed', message: value.message }
}

export const parametersHint = 'Write a JSON object such as {"name": "value"}.'

/** Why the parameters are no JSON object that could be passed on, if they are none. */
export function parametersFinding(text: string, { raw, source }: StoredParameters): Finding | undefined {
  if (!raw.trim()) return undefined
  const parsed = parseJson(raw)
  const code = 'INVALID_PARAMETERS'
  if (!parsed.ok) {
    const offset = jsonOffset(text, raw, source, parsed.message)
    const why = parsed.message.replace(/ at position \d+( \(line \d+ column \d+\))?/, '')
    return { code, message: `The parameters are no JSON: ${why}.`, hint: parametersHint, offset }
  }
  const { value } = parsed
  if (!isObject(value)) {
    const what = Array.isArray(value) ? 'a list' : JSON.stringify(value).slice(0, 40)
    return { code, message: `The parameters are ${what}, not an object.`, hint: parametersHint, offset: source.start }
  }
  // Each level takes two letters at least.
  if (raw.length <= 2 * maxJsonDepth || !isDeeper(value, maxJsonDepth)) return undefined
  const message = `The parameters have more than ${maxJsonDepth} levels.`
  return { code, message, hint: 'Nest less deeply.', offset: source.start }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1))
}

/** The very place where that can be told: not behind entities or several pieces of CDATA. */
function jsonOffset(text: string, raw: string, source: StoredParameters['source'], message: string): number {
  const position = /at position (\d+)/.exec(message)?.[1]
  const inner = text.slice(source.contentStart, source.contentEnd)
  const shift = inner.indexOf(raw)
  return position === undefined || shift < 0 ? source.start : source.contentStart + shift + Number(position)
}
