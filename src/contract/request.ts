// What a contract script is asked to do, in the words of `tooling/script@1`.

import type { Issue, Schema } from '../model/schema.ts'
import { parsePath, readPath } from './path.ts'
import type { StreamSpec } from './streams.ts'

export interface Binding {
  /** Where in the state it stands, such as `$.user.name`. */
  readonly path?: string
  /** The value itself; goes before `path`. */
  readonly value?: unknown
  /** Taken when nothing stands at `path`; null there is a value. */
  readonly default?: unknown
}

export interface ScriptRequest {
  /** One JavaScript function, called with `({ input, state, meta, imports, api }, api)`. */
  readonly source: string
  /** Default `javascript`, and nothing else. */
  readonly language?: string
  /** The state. Default: the keys of the request that mean nothing here, else `{}`. */
  readonly input?: unknown
  readonly meta?: unknown
  /** What `scope.input` holds, by name. Default nothing. */
  readonly bindings?: Readonly<Record<string, Binding>>
  /** Streams whose handles are put into the state. Default none. */
  readonly streams?: readonly StreamSpec[]
  /** Longest it may run once it has a thread, in milliseconds, time in which a person is asked aside. Default 1,000. */
  readonly timeoutMs?: number
  /** What `api.config(path, default)` reads. Default `{}`. */
  readonly config?: unknown
  /** Functions that `api.run(name, payload)` runs in the same sandbox. Default none. */
  readonly tools?: readonly { readonly name: string; readonly source: string }[]
  /** Names for contracts and tools: `scope.imports.alias(payload)`. Default none. */
  readonly imports?: Readonly<Record<string, string>>
}

export const defaultTimeoutMs = 1_000
export const maxTimeoutMs = 590_000
/** Compiling more takes longer than a script may, and more memory than it has. */
const maxSourceLength = 1_048_576

const ownKeys = new Set([
  'source',
  'language',
  'input',
  'meta',
  'bindings',
  'streams',
  'timeoutMs',
  'config',
  'tools',
  'imports',
])

const text = { type: 'string' } as const
const source = { ...text, description: 'One JavaScript function.' } as const

/** What a request must look like. Other keys are the state. */
export const requestSchema: Schema = {
  type: 'json',
  schema: {
    type: 'object',
    properties: {
      source,
      language: { enum: ['javascript'] },
      input: {},
      meta: {},
      bindings: {
        type: 'object',
        additionalProperties: { type: 'object', properties: { path: text, value: {}, default: {} } },
      },
      streams: {
        type: 'array',
        items: {
          type: 'object',
          properties: { target: text, chunks: { type: 'array', items: text }, encoding: text, mediaType: text },
          required: ['target', 'chunks'],
        },
      },
      timeoutMs: { type: 'integer', minimum: 1, maximum: maxTimeoutMs },
      config: {},
      tools: {
        type: 'array',
        items: {
          type: 'object',
          properties: { name: { ...text, minLength: 1 }, source },
          required: ['name', 'source'],
        },
      },
      imports: { type: 'object', additionalProperties: text },
    },
    required: ['source'],
  },
}

/** The state as the request gives it; `otherwise` where it gives none. */
export function stateOf(request: Readonly<Record<string, unknown>>, otherwise: unknown): unknown {
  if (request.input !== undefined) return request.input
  const others = Object.entries(request).filter(([key]) => !ownKeys.has(key))
  return others.length ? Object.fromEntries(others) : otherwise
}

/** What is wrong with the texts of functions before anything is compiled. */
export function sourceIssues({ source, tools = [] }: ScriptRequest): readonly Issue[] {
  const texts = [
    { path: 'source', source },
    ...tools.map((tool, at) => ({ path: `tools[${at}].source`, source: tool.source })),
  ]
  return texts.flatMap(({ path, source: given }): readonly Issue[] => {
    if (given.length > maxSourceLength) {
      const message = `It has ${given.length} characters; at most ${maxSourceLength} are taken.`
      return [{ path, code: 'TOO_LARGE', message }]
    }
    return given.trim() === '' ? [{ path, code: 'INVALID_VALUE', message: emptySource }] : []
  })
}

const emptySource = 'It is empty. Write a function, such as ({ state }, api) => ({ success: true }).'

export interface Resolved {
  readonly values: Readonly<Record<string, unknown>>
  readonly issues: readonly Issue[]
}

/** The bindings by name. A path that leads nowhere and has no default gives no value. */
export function resolveBindings(bindings: ScriptRequest['bindings'], state: unknown): Resolved {
  const issues: Issue[] = []
  const entries = Object.entries(bindings ?? {}).flatMap(([name, binding]) => {
    if (Object.hasOwn(binding, 'value')) return [[name, binding.value]]
    const parsed = parsePath(binding.path ?? '')
    if (binding.path === undefined || !parsed.ok) {
      const message =
        parsed.ok || binding.path === undefined ? 'A binding needs a "path" or a "value".' : parsed.message
      issues.push({ path: `bindings.${name}`, code: 'INVALID_VALUE', message })
      return []
    }
    const found = readPath(state, parsed.path)
    const value = found === undefined ? binding.default : found
    return value === undefined ? [] : [[name, value]]
  })
  return { values: Object.fromEntries(entries), issues }
}
