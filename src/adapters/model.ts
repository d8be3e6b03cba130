// The language model that the configuration names, through the AI SDK. Nothing of the SDK is loaded before a model is wanted, and
// none is needed where none is.

import { isLoopback } from '../base/host.ts'
import { isObject, messageOf } from '../base/json.ts'
import { didYouMean, nearest } from '../base/text.ts'
import { boundedFetch } from '../mcp/bounded-fetch.ts'
import type { Effects } from '../model/effects.ts'
import { LegworkError } from '../model/errors.ts'
import { effectsOfModel, modelEffects, modelKeyVariable } from './configured.ts'

/** A model of the AI SDK, as its providers make them. */
export interface Model {
  readonly specificationVersion: string
  readonly provider: string
  readonly modelId: string
}

export interface OpenModelOptions {
  /** Another model of the same provider, at the same address: a document may ask for this much. Default: the one that is named. */
  readonly name?: string | undefined
  /** Where keys are looked for. Default: the process's own. */
  readonly environment?: Readonly<Record<string, string | undefined>>
}

/** Who makes the models of a provider: a package, and what it exports. The provider reads its key from its own variable. */
const providers: Readonly<Record<string, readonly [packageName: string, exported: string]>> = {
  'amazon-bedrock': ['@ai-sdk/amazon-bedrock', 'bedrock'],
  anthropic: ['@ai-sdk/anthropic', 'anthropic'],
  azure: ['@ai-sdk/azure', 'azure'],
  cerebras: ['@ai-sdk/cerebras', 'cerebras'],
  cohere: ['@ai-sdk/cohere', 'cohere'],
  deepinfra: ['@ai-sdk/deepinfra', 'deepinfra'],
  deepseek: ['@ai-sdk/deepseek', 'deepseek'],
  fireworks: ['@ai-sdk/fireworks', 'fireworks'],
  gateway: ['@ai-sdk/gateway', 'gateway'],
  google: ['@ai-sdk/google', 'google'],
  'google-vertex': ['@ai-sdk/google-vertex', 'vertex'],
  groq: ['@ai-sdk/groq', 'groq'],
  mistral: ['@ai-sdk/mistral', 'mistral'],
  openai: ['@ai-sdk/openai', 'openai'],
  perplexity: ['@ai-sdk/perplexity', 'perplexity'],
  togetherai: ['@ai-sdk/togetherai', 'togetherai'],
  xai: ['@ai-sdk/xai', 'xai'],
}

const compatible = 'openai-compatible'
const compatiblePackage = '@ai-sdk/openai-compatible'

/** No reply, and no event of a stream, is larger. */
const maxReplyBytes = 10 * 1_048_576

/** Opens `provider:name`, or `openai-compatible:ADDRESS#name`. Throws when it is neither, or its package is not installed. */
export async function openModel(
  spelling: string,
  { name, environment = process.env }: OpenModelOptions = {},
): Promise<Model> {
  const { provider, rest } = readSpelling(spelling)
  const wanted = name === undefined ? undefined : otherName(name, provider, spelling)
  const model =
    provider === compatible
      ? await openCompatible(rest, wanted, environment[modelKeyVariable] || undefined)
      : await openFrom(provider, wanted ?? rest)
  const shown = provider === compatible ? model.modelId : (wanted ?? rest)
  configured.set(model, { name: `${provider}:${shown}`, effects: effectsOfModel(spelling) })
  return model
}

/** What the configuration says of the models that were opened from it. */
const configured = new WeakMap<Model, { readonly name: string; readonly effects: Effects }>()

/** `provider:name` as it is configured, for people and for the outcome. */
export function modelName(model: Model): string {
  return configured.get(model)?.name ?? `${model.provider}:${model.modelId}`
}

/** What asking it does to the world. */
export function effectsOf(model: Model): Effects {
  return configured.get(model)?.effects ?? modelEffects
}

async function openFrom(provider: string, name: string): Promise<Model> {
  const [packageName, exported] = providers[provider] ?? ['', '']
  const make = (await load(packageName))[exported]
  const made: unknown = typeof make === 'function' ? make(name) : undefined
  if (isModel(made)) return made
  throw refused(`The package "${packageName}" gives no language model "${name}". Look for another version.`)
}

function readSpelling(spelling: string): { provider: string; rest: string } {
  const at = spelling.indexOf(':')
  const provider = spelling.slice(0, Math.max(0, at))
  const rest = spelling.slice(at + 1)
  const known = [compatible, ...Object.keys(providers)]
  if (known.includes(provider) && rest.trim() !== '') return { provider, rest }
  const hint = didYouMean(nearest(provider || spelling, known))
  throw refused(
    `The model "${spelling}" is not "provider:name" or "${compatible}:http://127.0.0.1:11434/v1#name".${hint} Known providers: ${known.join(', ')}.`,
  )
}

/**
 * A document says which model, never where: another address would get the conversation, and the key with it. So whatever it says
 * is a name at the place that the owner chose.
 */
function otherName(name: string, provider: string, spelling: string): string | undefined {
  if (name === spelling) return undefined
  if (name.includes('://')) {
    throw refused(
      `The model "${name}" has an address. A document names a model alone: its address is "model" in the configuration.`,
    )
  }
  return name.startsWith(`${provider}:`) ? name.slice(provider.length + 1) : name
}

async function openCompatible(rest: string, wanted: string | undefined, apiKey: string | undefined): Promise<Model> {
  const at = rest.indexOf('#')
  const baseURL = at < 0 ? rest : rest.slice(0, at)
  const modelId = wanted ?? (at < 0 ? '' : rest.slice(at + 1))
  const { protocol, hostname, username, password } = addressOf(baseURL)
  if (!modelId)
    throw refused(`The model "${compatible}:${baseURL}" has no name. Write "${compatible}:${baseURL}#name".`)
  if (username || password) {
    throw refused(
      `The address of the model "${modelId}" holds a key. Put the key into the variable ${modelKeyVariable}.`,
    )
  }
  if (apiKey && protocol === 'http:' && !isLoopback(hostname)) {
    throw refused(
      `The key in ${modelKeyVariable} would go to "${baseURL}" unencrypted. Use https, or unset the variable.`,
    )
  }
  const { fetch } = boundedFetch(maxReplyBytes)
  const { createOpenAICompatible } = await installed(compatiblePackage, () => import('@ai-sdk/openai-compatible'))
  const create = createOpenAICompatible({
    name: compatible,
    baseURL,
    includeUsage: true,
    supportsStructuredOutputs: true,
    // Another address would get the conversation, and perhaps the key.
    fetch: (input, init) => fetch(input, { ...init, redirect: 'error' }),
    ...(apiKey && { apiKey }),
  })
  return create(modelId)
}

function addressOf(baseURL: string): URL {
  const url = URL.parse(baseURL)
  if (url && (url.protocol === 'http:' || url.protocol === 'https:')) return url
  throw refused(
    `The model's address "${baseURL}" is no http or https address. Write "${compatible}:http://127.0.0.1:11434/v1#name".`,
  )
}

async function load(packageName: string): Promise<Record<string, unknown>> {
  const loaded: unknown = await installed(packageName, () => import(packageName))
  return isObject(loaded) ? loaded : {}
}

/** Loads a package that people install only when they want it. */
export async function installed<T>(packageName: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    if (Reflect.get(Object(error), 'code') !== 'ERR_MODULE_NOT_FOUND') {
      throw refused(`The package "${packageName}" cannot be loaded: ${messageOf(error)}`)
    }
    const names = packageName === 'ai' ? 'ai' : `ai ${packageName}`
    throw refused(`The model needs the package "${packageName}", which is not installed. Run "npm install ${names}".`)
  }
}

export function isModel(value: unknown): value is Model {
  return (
    isObject(value) &&
    typeof value.provider === 'string' &&
    typeof value.modelId === 'string' &&
    typeof value.doGenerate === 'function'
  )
}

function refused(message: string): LegworkError {
  return new LegworkError('unknown-provider', message)
}
