// Reads a compose file or a script's request, in YAML or JSON, and says what a tool made of it would be like.

import { isObject } from '../base/json.ts'
import { effectFaults, unknownEffects } from '../model/effect-faults.ts'
import type { Effects } from '../model/effects.ts'
import { LegworkError } from '../model/errors.ts'
import type { JsonSchema } from '../model/schema.ts'
import type { ComposeStep } from './compose.ts'
import { composeIssues } from './compose-check.ts'
import { asContractError } from './errors.ts'
import { compute } from './pure.ts'
import type { ScriptRequest } from './request.ts'

export interface ContractFile {
  readonly does:
    | { readonly type: 'script'; readonly request: ScriptRequest }
    | { readonly type: 'compose'; readonly steps: readonly ComposeStep[]; readonly input?: unknown }
  /** Its own id, such as `lcod://acme/report@1`. */
  readonly id?: string
  readonly description: string
  /** What it takes, as JSON Schema. */
  readonly input: Exclude<JsonSchema, boolean>
  /** What the file says that it does to the world. */
  readonly effects?: Effects
}

/** What a file's text is, before anybody has looked at the request or the steps themselves. */
export type ContractText =
  | { readonly type: 'script'; readonly head: Readonly<Record<string, unknown>>; readonly request: ScriptRequest }
  | {
      readonly type: 'compose'
      readonly head: Readonly<Record<string, unknown>>
      readonly steps: unknown
      readonly input?: unknown
    }

/** Whether the text is that of a script's request rather than of steps. What cannot be read is neither. */
export async function hasSource(text: string): Promise<boolean> {
  const parsed = await parseComposeText(text).catch(() => undefined)
  return isObject(parsed) && isScript(parsed)
}

/** A script has a `source`, steps are a list or a `compose`. Throws where the text is neither, with the keys it has. */
export async function readContractText(text: string): Promise<ContractText> {
  const value = await parseComposeText(text)
  if (Array.isArray(value)) return { type: 'compose', head: {}, steps: value }
  if (!isObject(value)) throw new LegworkError('invalid-tool', `It holds no contract. ${whatToWrite}`)
  const { id, description, inputs, effects, ...rest } = value
  const head = { id, description, inputs, effects }
  if (isScript(value)) return { type: 'script', head, request: rest as unknown as ScriptRequest }
  const { compose, input } = rest
  if ('compose' in value) return { type: 'compose', head, steps: compose, ...(input !== undefined && { input }) }
  const keys = Object.keys(value).slice(0, 10)
  const found = keys.length ? `It has ${keys.map((key) => `"${key}"`).join(', ')}` : 'It is empty'
  throw new LegworkError('invalid-tool', `${found}, and neither "source" nor "compose". ${whatToWrite}`)
}

const whatToWrite = 'Write "source" with one function, or "compose" with a list of steps.'

function isScript(value: Readonly<Record<string, unknown>>): boolean {
  return 'source' in value && !('compose' in value)
}

/** Throws with what is wrong, and where, when the text is neither steps nor a request. */
export async function readContractFile(text: string, name: string): Promise<ContractFile> {
  const read = await readContractText(text)
  const { id, description, inputs, effects } = read.head
  const head = {
    ...(typeof id === 'string' && { id }),
    description: typeof description === 'string' ? description : `Runs the contract "${name}".`,
    ...(effects !== undefined && { effects: readEffects(effects) }),
  }
  if (read.type === 'script') {
    const { request } = read
    if (typeof request.source !== 'string')
      throw new LegworkError('invalid-tool', 'source: It is no text. Write one function.')
    return { ...head, does: { type: 'script', request }, input: inputSchema(inputs, pathsOf(request.bindings)) }
  }
  const issues = composeIssues(read.steps, 'compose')
  if (issues.length)
    throw new LegworkError('invalid-tool', issues.map(({ path, message }) => `${path}: ${message}`).join(' '))
  const steps = read.steps as readonly ComposeStep[]
  const does = { type: 'compose', steps, input: read.input } as const
  return { ...head, does, input: inputSchema(inputs, referredNames(steps)) }
}

function readEffects(effects: unknown): Effects {
  const faults = [...effectFaults(effects, 'effects'), ...unknownEffects(effects, 'effects')]
  if (faults.length) throw new LegworkError('invalid-tool', faults.join(' '))
  return effects as Effects
}

/** YAML, of which JSON is a part. */
export async function parseComposeText(
  text: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<unknown> {
  try {
    const read = await compute('yaml', { text }, signal)
    return isObject(read) ? read.value : undefined
  } catch (error) {
    throw new LegworkError('invalid-tool', asContractError(error).message)
  }
}

/** The schema that the file gives, or one with the names that it refers to. */
function inputSchema(inputs: unknown, names: readonly string[]): Exclude<JsonSchema, boolean> {
  if (isObject(inputs) && (inputs.type === 'object' || isObject(inputs.properties)))
    return { type: 'object', ...inputs }
  if (!isObject(inputs)) return { type: 'object', properties: Object.fromEntries(names.map((name) => [name, {}])) }
  const properties = Object.entries(inputs).map(([name, about]) => [name, propertyOf(about)])
  const required = Object.entries(inputs).filter(([, about]) => isObject(about) && about.required === true)
  return { type: 'object', properties: Object.fromEntries(properties), required: required.map(([name]) => name) }
}

/** `name: text about it`, or a schema with `required: true` in it. */
function propertyOf(about: unknown): unknown {
  if (!isObject(about)) return typeof about === 'string' ? { description: about } : {}
  const { required: _, ...schema } = about
  return _ === true || _ === false ? schema : about
}

/** The names in the state that steps refer to before a step has put them there. */
function referredNames(steps: readonly ComposeStep[]): readonly string[] {
  const made = new Set<string>()
  const names = new Set<string>()
  for (const step of steps) {
    const { bindings, compose: _, ...input } = step.in ?? {}
    const own = [
      ...referencesIn(input),
      ...(isObject(bindings) ? pathsOf(bindings) : []),
      ...referencesIn([step.slots, step.children]),
    ]
    for (const name of own) if (!made.has(name)) names.add(name)
    for (const name of Object.keys(step.out ?? {})) made.add(name)
  }
  return [...names]
}

function referencesIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return firstName(value)
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(referencesIn) : []
}

function pathsOf(bindings: unknown): readonly string[] {
  return isObject(bindings)
    ? Object.values(bindings).flatMap((binding) => (isObject(binding) ? referencesIn(binding.path) : []))
    : []
}

function firstName(text: string): readonly string[] {
  const name = /^\$\.([^.[\]\s]+)/.exec(text)?.[1]
  return name === undefined ? [] : [name]
}
