// Values of variables by a language model: one question for all of them, answered as JSON that fits. What is sent is redacted, and
// all of it is data: whatever it says, the answer can be nothing but the values.

import { isObject, messageOf } from '../base/json.ts'
import type { VariableDeclaration } from '../document/document.ts'
import type { ResolveVariables, VariableContext } from '../document/resolve-variables.ts'
import { isBlank, misfitOf } from '../document/variable-type.ts'
import { type Model, modelName } from './model.ts'
import { countedModel, jsonIn, loadSdk } from './sdk.ts'
import { variablesQuestion } from './variables-question.ts'

export interface ModelResolverOptions {
  /** Hides secrets in what the model is told. Default: nothing is hidden. */
  readonly redact?: (text: string) => string
  /** How long the model may take, a second try included, in milliseconds. Default 60,000. */
  readonly timeoutMs?: number
  /** How often a request that did not come through is sent again. Default 2. */
  readonly maxRetries?: number
}

/** Asks once, and once more when the answer is no JSON that fits; a second such answer is an error. */
export function modelResolver(
  model: Model | (() => Promise<Model>),
  { redact = (text) => text, timeoutMs = 60_000, maxRetries = 2 }: ModelResolverOptions = {},
): ResolveVariables {
  return async (variables, context) => {
    const opened = typeof model === 'function' ? await model() : model
    const keys = keysOf(variables)
    const time = AbortSignal.timeout(timeoutMs)
    try {
      const asked = { opened, keys, maxRetries, redact, signal: AbortSignal.any([context.signal, time]) }
      return valuesOf(keys, await ask(asked, context))
    } catch (error) {
      if (time.aborted && !context.signal.aborted) {
        throw new Error(`The model "${modelName(opened)}" did not answer within ${timeoutMs} ms.`)
      }
      throw new Error(redact(`The model "${modelName(opened)}" gave no values. ${messageOf(error)}`))
    }
  }
}

interface Asked {
  readonly opened: Model
  readonly keys: ReadonlyMap<string, VariableDeclaration>
  readonly maxRetries: number
  readonly redact: (text: string) => string
  readonly signal: AbortSignal
}

type Message = { readonly role: 'user' | 'assistant'; readonly content: string }

async function ask({ opened, keys, maxRetries, redact, signal }: Asked, context: VariableContext) {
  const sdk = await loadSdk()
  const { generateText, jsonSchema, NoObjectGeneratedError, Output } = sdk
  const { instructions, prompt } = variablesQuestion(keys, context, redact)
  const schema = jsonSchema(schemaOf(keys), { validate: (value) => validate(keys, value) })
  const output = Output.object({ name: 'variables', schema })
  const { model, say } = countedModel(sdk, opened, jsonIn)
  const common = { model, instructions, output, maxRetries, abortSignal: signal }

  const once = async (...messages: readonly Message[]): Promise<Answer> => {
    try {
      const result = await generateText({ ...common, messages: [...messages] })
      say(context.used, result.usage)
      checkEnd(result.finishReason)
      return { ok: true, values: result.output }
    } catch (error) {
      const isAnswer = NoObjectGeneratedError.isInstance(error)
      say(context.used, isAnswer ? error.usage : undefined)
      if (!isAnswer) throw error
      checkEnd(error.finishReason)
      return { ok: false, text: error.text ?? '', fault: faultIn(error) }
    }
  }
  const question: Message = { role: 'user', content: prompt }
  const first = await once(question)
  if (first.ok) return first.values
  const said = first.text ? [{ role: 'assistant', content: redact(first.text.slice(0, 10_000)) } as const] : []
  const complaint = redact(`That does not fit: ${first.fault} Answer with the JSON object alone.`)
  const second = await once(question, ...said, { role: 'user', content: complaint })
  if (second.ok) return second.values
  throw new Error(`Twice its answer did not fit: ${second.fault}`)
}

type Answer =
  | { readonly ok: true; readonly values: Record<string, unknown> }
  | { readonly ok: false; readonly text: string; readonly fault: string }

/** An answer that the model did not bring to its end is none, whatever it says so far. */
function checkEnd(finishReason: string | undefined): void {
  if (finishReason === 'content-filter') throw new Error('It refused to answer.')
  if (finishReason === 'length') throw new Error('Its answer was cut off.')
}

function faultIn({ text, cause }: { readonly text?: string | undefined; readonly cause?: unknown }): string {
  let deepest = cause
  while (deepest instanceof Error && deepest.cause instanceof Error) deepest = deepest.cause
  const why = deepest instanceof Error ? messageOf(deepest).slice(0, 500) : 'it is no JSON.'
  return text ? `${why} It said ${JSON.stringify(text.slice(0, 200))}.` : why
}

/** Names as keys, where every provider takes them as such; else a number. */
function keysOf(variables: readonly VariableDeclaration[]): ReadonlyMap<string, VariableDeclaration> {
  const names = new Set(variables.map(({ name }) => name))
  return new Map(
    variables.map((variable, at) => {
      const isPlain = /^[a-zA-Z]\w{0,63}$/.test(variable.name) && !(variable.name in {})
      let key = isPlain ? variable.name : `variable_${at + 1}`
      while (!isPlain && names.has(key)) key += '_'
      return [key, variable]
    }),
  )
}

function schemaOf(keys: Asked['keys']) {
  const properties = Object.fromEntries(
    [...keys].map(([key, { name, prompt = name, options, optional }]) => {
      const type = optional ? (['string', 'null'] as const) : ('string' as const)
      const choice = options?.length ? { enum: optional ? [...options, null] : [...options] } : {}
      return [key, { type: Array.isArray(type) ? [...type] : type, description: prompt, ...choice }]
    }),
  )
  return { type: 'object' as const, properties, required: [...keys.keys()], additionalProperties: false }
}

function validate(keys: Asked['keys'], value: unknown) {
  if (!isObject(value)) return { success: false as const, error: new Error('it is no JSON object.') }
  const fault = faultOf(keys, value)
  return fault === undefined ? { success: true as const, value } : { success: false as const, error: new Error(fault) }
}

/** What the model did wrong, in words that it can mend it by. */
function faultOf(keys: Asked['keys'], value: Record<string, unknown>): string | undefined {
  const unknown = Object.keys(value).find((key) => !keys.has(key))
  if (unknown !== undefined) return `"${unknown.slice(0, 100)}" was not asked for.`
  for (const [key, variable] of keys) {
    const given = asText(value[key])
    if (given === undefined && variable.optional) continue
    if (given === undefined || (typeof given === 'string' && isBlank(given) && !variable.optional)) {
      return `"${key}" has no value.`
    }
    const misfit = misfitOf(variable, given)
    if (misfit) return `"${key}" ${misfit}`
  }
  return undefined
}

/** A number or a truth is taken by its text: the variable may say that it is one. */
function asText(value: unknown): unknown {
  return Number.isFinite(value) || typeof value === 'boolean' ? String(value) : (value ?? undefined)
}

function valuesOf(keys: Asked['keys'], given: Record<string, unknown>): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  for (const [key, { name }] of keys) {
    const text = asText(given[key])
    if (typeof text === 'string') values.set(name, text)
  }
  return values
}
