// What stands inside a call: its parameters and its stored result, parsed when they are wanted.

import { isObject, type JsonObject, parseJson, toJson } from '../base/json.ts'
import type { FunctionCallBlock, ReadParameters, StoredParameters, TriggerBlock } from './document.ts'
import type { Finding } from './faults.ts'
import { plainText, type VariableValue } from './rich-text.ts'
import type { ReadResult } from './stored-results.ts'

type Caller = Pick<FunctionCallBlock | TriggerBlock, 'parameters' | 'content' | 'result'>

/** The parameters as an object; `{}` when there are none. A new one each time. */
export function parametersOf({ parameters }: Caller): ReadParameters {
  if (!parameters?.raw.trim()) return { ok: true, value: {} }
  if (parameters.fault) return { ok: false, fault: parameters.fault }
  return { ok: true, value: JSON.parse(parameters.raw) as JsonObject }
}

/** The instructions as a tool gets them; the empty text when there are none. */
export function contentOf({ content }: Caller, valueFor?: VariableValue): string {
  return content ? plainText(content.rich, valueFor) : ''
}

/** The result that the document holds, or nothing. Text that is no JSON is a text. */
export function storedResult({ result }: Caller): ReadResult | undefined {
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

/** Why the parameters are no JSON object, if they are none. */
export function parametersFinding(text: string, { raw, source }: StoredParameters): Finding | undefined {
  if (!raw.trim()) return undefined
  const parsed = parseJson(raw)
  if (parsed.ok && isObject(parsed.value)) return undefined
  const code = 'INVALID_PARAMETERS'
  const hint = 'Write a JSON object such as {"name": "value"}.'
  if (!parsed.ok) {
    const offset = jsonOffset(text, raw, source, parsed.message)
    return { code, message: `The parameters are no JSON: ${parsed.message}.`, hint, offset }
  }
  const what = Array.isArray(parsed.value) ? 'a list' : JSON.stringify(parsed.value).slice(0, 40)
  return { code, message: `The parameters are ${what}, not an object.`, hint, offset: source.start }
}

/** The very place where that can be told: not behind entities or several pieces of CDATA. */
function jsonOffset(text: string, raw: string, source: StoredParameters['source'], message: string): number {
  const position = /at position (\d+)/.exec(message)?.[1]
  const inner = text.slice(source.contentStart, source.contentEnd)
  const shift = inner.indexOf(raw)
  return position === undefined || shift < 0 ? source.start : source.contentStart + shift + Number(position)
}
