// Contract scripts and compose files as tools: what the engine runs on the one path.

import { messageOf } from '../base/json.ts'
import type { Call } from '../model/call.ts'
import type { Effects } from '../model/effects.ts'
import { anySchema } from '../model/schema.ts'
import type { Ran, RunContext, ToolDefinition } from '../model/tool.ts'
import { boundedCopy } from './budget.ts'
import { callContract } from './built-in.ts'
import { type ComposeStep, composeInside, runCompose } from './compose.ts'
import { composeIssues } from './compose-check.ts'
import type { ContractFile } from './compose-file.ts'
import { ContractError } from './errors.ts'
import type { Files } from './files.ts'
import { defaultTimeoutMs, maxTimeoutMs, requestSchema, type ScriptRequest } from './request.ts'
import { maxWaitMs, runScript, type ScriptEnd } from './script.ts'
import { Streams } from './streams.ts'
import { callThrough, objectOf, type Slots, type Surroundings } from './surroundings.ts'

/** Steps to run, with the state they begin with. */
export interface ComposeRequest {
  readonly compose: readonly ComposeStep[]
  /** Default `{}`. */
  readonly input?: unknown
}

export type ContractRequest = ScriptRequest | ComposeRequest

export interface ContractOptions {
  /** The files that the contracts of `core/fs` may touch, where the request names one of them. Default none. */
  readonly files?: Files | undefined
  /** Calls what is no contract of ours. Default: the tools of the engine. */
  readonly call?: ((id: string, input: unknown) => unknown) | undefined
  /** What `api.runSlot` runs, by name. Default none. */
  readonly slots?: Readonly<Record<string, SlotFunction>> | undefined
  /** What `Math.random` begins with. Default: by chance. */
  readonly seed?: number | undefined
  /** The time that a script sees, in milliseconds since the epoch. Default: the true time. */
  readonly now?: number | undefined
}

/** What a call of a contract can be given besides. */
export interface ContractCallOptions extends ContractOptions, Pick<Call, 'signal' | 'caller' | 'timeoutMs'> {}

export type SlotFunction = (state: unknown, variables: Readonly<Record<string, unknown>>) => unknown

/** A request as a tool that is in no catalogue. It is called with the request itself as its input. */
export function contractDefinition(request: ContractRequest, options: ContractOptions = {}): ToolDefinition {
  const files = filesFor(request, options.files)
  const common = { kind: 'contract', trust: 'org', ownersOwn: true, effects: effectsOf(request, files) } as const
  if ('compose' in request) {
    return {
      ...common,
      name: { path: ['compose'] },
      description: 'Runs the steps of a compose.',
      input: anySchema,
      run: async (input, context) => {
        const { compose, input: state } = objectOf(input)
        return runSteps(compose, state, surroundingsOf(context, { ...options, files }))
      },
    }
  }
  return {
    ...common,
    name: { path: ['contract'] },
    description: 'Runs a contract script.',
    input: requestSchema,
    limits: scriptLimits(request),
    run: (input, context) =>
      runRequest(input as ScriptRequest, surroundingsOf(context, { ...options, files }), options.slots),
  }
}

/** A file as a tool of the catalogue: its input is the state. */
export function fileDefinition(
  name: string,
  file: ContractFile,
  options: Pick<ContractOptions, 'files'>,
): ToolDefinition {
  const { does, id, description, input } = file
  const files = filesFor(does, options.files)
  const run = (state: unknown, context: RunContext) => {
    const surroundings = surroundingsOf(context, { files })
    if (does.type === 'compose') return runSteps(does.steps, state, surroundings)
    return runRequest({ ...does.request, input: withDefaults(does.request.input, state) }, surroundings, undefined)
  }
  return {
    name: { module: 'contract', path: [name], ...(id !== undefined && { aliases: [id] }) },
    kind: 'contract',
    description,
    input: { type: 'json', schema: input },
    effects: effectsOf(does, files),
    trust: 'org',
    ownersOwn: true,
    ...(does.type === 'script' && { limits: scriptLimits(does.request) }),
    run,
  }
}

async function runRequest(
  request: ScriptRequest,
  surroundings: Surroundings,
  slots: ContractOptions['slots'],
): Promise<Ran> {
  const step = { ...surroundings, slots: undefined, state: {}, compose: composeInside }
  const call = (id: string, input: unknown) => callContract(id, input, step)
  return asRan(await runScript(request, surroundings, { call, slots: slots && slotsOf(slots) }))
}

async function runSteps(compose: unknown, state: unknown, surroundings: Surroundings): Promise<Ran> {
  const issues = composeIssues(compose, 'compose')
  if (issues.length) return { ok: false, code: 'invalid-input', message: 'The steps have faults.', issues }
  try {
    const left = await runCompose(compose as readonly ComposeStep[], objectOf(state), surroundings)
    return { ok: true, value: boundedCopy(left) }
  } catch (error) {
    const { where, code = 'tool-failed', data } = error instanceof ContractError ? error : {}
    const message = `${where ? `In ${where}: ` : ''}${messageOf(error)}`
    return {
      ok: false,
      code: 'tool-failed',
      message,
      value: { error: { message: messageOf(error), code, data, where } },
    }
  }
}

function surroundingsOf(context: RunContext, { files, call, seed, now }: ContractOptions): Surroundings {
  const { signal, deadline, log } = context
  const own = call && (async (id: string, input: unknown) => call(id, input))
  const fixed = { ...(seed !== undefined && { seed }), ...(now !== undefined && { now }) }
  return { call: own ?? callThrough(context), streams: new Streams(), files, signal, deadline, log, depth: 0, fixed }
}

function slotsOf(slots: NonNullable<ContractOptions['slots']>): Slots {
  return {
    has: (name) => Object.hasOwn(slots, name),
    run: async (name, state, variables = {}) => slots[name]?.(state, variables),
  }
}

function asRan(end: ScriptEnd): Ran {
  switch (end.type) {
    case 'returned':
      return { ok: true, value: end.report }
    case 'invalid':
      return { ok: false, code: 'invalid-input', message: end.message, issues: end.issues, value: end.report }
    case 'timed-out':
      return { ok: false, code: 'timed-out', message: end.message, afterMs: end.afterMs, value: end.report }
    case 'failed':
    case 'stopped':
      return { ok: false, code: 'tool-failed', message: end.message, value: end.report }
    default:
      return end satisfies never
  }
}

/** The engine's bound is above the script's own, which begins when there is a thread for it. */
function scriptLimits({ timeoutMs = defaultTimeoutMs }: ScriptRequest): { timeoutMs: number } {
  const isFit = Number.isInteger(timeoutMs) && timeoutMs >= 1 && timeoutMs <= maxTimeoutMs
  return { timeoutMs: (isFit ? timeoutMs : defaultTimeoutMs) + maxWaitMs }
}

/** Files are there only for whoever names a contract of `core/fs` in plain words: then everybody can see that it does. */
function filesFor(text: unknown, files: Files | undefined): Files | undefined {
  return files && /core\/(fs|parse|hash)\/|composeRef/.test(JSON.stringify(text)) ? files : undefined
}

/** What it does by itself. What it calls is decided call by call. */
function effectsOf(text: unknown, files: Files | undefined): Effects {
  const writes = files !== undefined && /core\/fs\/write/.test(JSON.stringify(text))
  return { destructive: false, network: false, filesystem: { read: files !== undefined, write: writes, delete: false } }
}

function withDefaults(defaults: unknown, input: unknown): unknown {
  return typeof defaults === 'object' && defaults !== null && !Array.isArray(defaults)
    ? { ...defaults, ...objectOf(input) }
    : input
}
