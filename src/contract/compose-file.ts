// Reads a compose file or a script's request, in YAML or JSON, and says what a tool made of it would be like.

import { isObject, messageOf, parseJson } from '../base/json.ts'
import { LegworkError } from '../model/errors.ts'
import type { JsonSchema } from '../model/schema.ts'
import { boundedCopy } from './budget.ts'
import type { ComposeStep } from './compose.ts'
import { composeIssues } from './compose-check.ts'
import { isScriptRequest, type ScriptRequest } from './request.ts'

export interface ContractFile {
  readonly does:
    | { readonly type: 'script'; readonly request: ScriptRequest }
    | { readonly type: 'compose'; readonly steps: readonly ComposeStep[] }
  /** Its own id, such as `lcod://acme/report@1`. */
  readonly id?: string
  readonly description: string
  /** What it takes, as JSON Schema. */
  readonly input: Exclude<JsonSchema, boolean>
}

/** Whether the text is that of a script's request rather than of steps. */
export function hasSource(text: string): boolean {
  const json = text.trimStart().startsWith('{') ? parseJson(text) : undefined
  if (json?.ok) return isObject(json.value) && 'source' in json.value
  return /^["']?source["']?\s*:/m.test(text)
}

/** Throws with what is wrong, and where, when the text is neither steps nor a request. */
export async function readContractFile(text: string, name: string): Promise<ContractFile> {
  const value = await parseComposeText(text)
  const file: Record<string, unknown> = Array.isArray(value) ? { compose: value } : isObject(value) ? value : {}
  const head = {
    ...(typeof file.id === 'string' && { id: file.id }),
    description: typeof file.description === 'string' ? file.description : `Runs the contract "${name}".`,
  }
  if (isScriptRequest(file)) {
    const { id: _, description: __, inputs, ...request } = { ...file }
    return { ...head, does: { type: 'script', request }, input: inputSchema(inputs, pathsOf(request.bindings)) }
  }
  const issues = composeIssues(file.compose, 'compose')
  if (issues.length)
    throw new LegworkError('invalid-tool', issues.map(({ path, message }) => `${path}: ${message}`).join(' '))
  const steps = file.compose as readonly ComposeStep[]
  return { ...head, does: { type: 'compose', steps }, input: inputSchema(file.inputs, referredNames(steps)) }
}

/** YAML, of which JSON is a part. */
export async function parseComposeText(text: string): Promise<unknown> {
  const { parse } = await import('yaml')
  try {
    return boundedCopy(parse(text, { prettyErrors: true }))
  } catch (error) {
    throw new LegworkError('invalid-tool', `It cannot be read: ${messageOf(error)}`)
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
