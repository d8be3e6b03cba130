// Contract scripts and compose files as tools: what the engine runs on the one path.

import { isObject } from '../base/json.ts'
import type { Call } from '../model/call.ts'
import type { Effects } from '../model/effects.ts'
import { endedBy } from '../model/inner-failure.ts'
import { anySchema, type Issue } from '../model/schema.ts'
import type { Ran, RunContext, ToolDefinition } from '../model/tool.ts'
import { boundedCopy } from './budget.ts'
import { callContract } from './built-in.ts'
import { type ComposeStep, composeInside, runCompose } from './compose.ts'
import { composeIssues } from './compose-check.ts'
import type { ContractFile } from './compose-file.ts'
import { effectsOf } from './effects.ts'
import { asContractError, type ContractError } from './errors.ts'
import { fileCalls } from './file-calls.ts'
import type { Files } from './files.ts'
import { Pace, unlessStopped } from './pace.ts'
import { defaultTimeoutMs, maxTimeoutMs, requestSchema, type ScriptRequest } from './request.ts'
import { runScript, type ScriptEnd } from './script.ts'
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
  /** The files that contracts may touch; each read and each write is a call that the policy decides on. Default none. */
  readonly files?: Files | undefined
  /** Calls what is no contract of ours. Default: the tools of the engine. */
  readonly call?: ((id: string, input: unknown) => unknown) | undefined
  /** What `api.runSlot` runs, by name. Default none. */
  readonly slots?: Readonly<Record<string, SlotFunction>> | undefined
  /** How long a script waits for a thread that is free, in milliseconds; its own time begins after that. Default 10,000. */
  readonly maxWaitMs?: number | undefined
  /** What `Math.random` begins with. Default: by chance. */
  readonly seed?: number | undefined
  /** The time that a script sees, in milliseconds since the epoch. Default: the true time. */
  readonly now?: number | undefined
}

/**
 * What a call of a contract can be given besides. `timeoutMs` bounds the whole call, waiting for a thread included; the
 * request's own `timeoutMs` bounds the script alone.
 */
export interface ContractCallOptions
  extends ContractOptions,
    Pick<Call, 'signal' | 'caller' | 'timeoutMs' | 'approvalWaitMs'> {}

export type SlotFunction = (state: unknown, variables: Readonly<Record<string, unknown>>) => unknown

/**
 * A request as a tool that is in no catalogue. It is called with the request itself as its input. Whatever it is, there is a
 * tool for it: the call then says what is wrong.
 */
export function contractDefinition(request: ContractRequest, options: ContractOptions = {}): ToolDefinition {
  const common = { kind: 'contract', trust: 'org', ownersOwn: true, effects: ownEffects } as const
  if (isObject(request) && 'compose' in request) {
    return {
      ...common,
      name: { path: ['compose'] },
      description: 'Runs the steps of a compose.',
      input: anySchema,
      // All that it runs is its input.
      fingerprint: () => '',
      run: async (input, context) => {
        const { compose, input: state } = objectOf(input)
        return runSteps(compose, state, surroundingsOf(context, options))
      },
    }
  }
  return {
    ...common,
    name: { path: ['contract'] },
    description: 'Runs a contract script.',
    input: requestSchema,
    limits: scriptLimits(request, options.maxWaitMs),
    fingerprint: () => '',
    run: (input, context) => runRequest(input as ScriptRequest, surroundingsOf(context, options), options.slots),
  }
}

/** A file as a tool of the catalogue: its input is the state. */
export function fileDefinition(
  name: string,
  file: ContractFile,
  options: Pick<ContractOptions, 'files'>,
): ToolDefinition {
  const { does, id, description, input } = file
  const run = (state: unknown, context: RunContext) => {
    const surroundings = surroundingsOf(context, options)
    if (does.type === 'compose') return runSteps(does.steps, withDefaults(does.input, state), surroundings)
    return runRequest({ ...does.request, input: withDefaults(does.request.input, state) }, surroundings, undefined)
  }
  return {
    name: { module: 'contract', path: [name], ...(id !== undefined && { aliases: [id] }) },
    kind: 'contract',
    description,
    input: { type: 'json', schema: input },
    effects: effectsOf(file),
    trust: 'org',
    ownersOwn: true,
    ...(does.type === 'script' && { limits: scriptLimits(does.request) }),
    fingerprint: () => JSON.stringify(does),
    run,
  }
}

/** What a run does by itself. What it calls, files included, is decided call by call. */
const ownEffects: Effects = {
  destructive: false,
  network: false,
  filesystem: { read: false, write: false, delete: false },
}

async function runRequest(
  request: ScriptRequest,
  surroundings: Surroundings,
  slots: ContractOptions['slots'],
): Promise<Ran> {
  const step = { ...surroundings, slots: undefined, state: {}, compose: composeInside }
  const call = (id: string, input: unknown, signal: AbortSignal) => callContract(id, input, { ...step, signal })
  const own = slots && slotsOf(slots, surroundings.signal)
  return asRan(await runScript(request, surroundings, { call, slots: own, isBounded: true }))
}

async function runSteps(compose: unknown, state: unknown, surroundings: Surroundings): Promise<Ran> {
  const issues = [...composeIssues(compose, 'compose'), ...stateIssues(state)]
  if (issues.length) return { ok: false, code: 'invalid-input', message: 'The steps have faults.', issues }
  try {
    const left = await runCompose(compose as readonly ComposeStep[], objectOf(state), surroundings)
    return { ok: true, value: boundedCopy(left) }
  } catch (error) {
    return stepFailed(asContractError(error))
  }
}

function stateIssues(state: unknown): readonly Issue[] {
  if (state === undefined || state === null || isObject(state)) return []
  return [{ path: 'input', code: 'INVALID_TYPE', message: 'The state of steps is an object. Write { … }.' }]
}

function stepFailed({ code, data, where, message: why, outcome }: ContractError): Ran {
  const message = `${where ? `In ${where}: ` : ''}${why}`
  return endedBy(outcome, message, { error: { message: why, code, data, where } })
}

function surroundingsOf(context: RunContext, options: ContractOptions): Surroundings {
  const { files, call, seed, now, maxWaitMs = defaultWaitMs } = options
  const { signal, deadline, log } = context
  const own: Surroundings['call'] | undefined =
    call && ((id, input, stop) => unlessStopped(stop, () => call(id, input)))
  return {
    call: own ?? callThrough(context),
    streams: new Streams(),
    files: fileCalls(context, files),
    signal,
    deadline,
    log,
    pace: new Pace(),
    depth: 0,
    maxWaitMs,
    fixed: { ...(seed !== undefined && { seed }), ...(now !== undefined && { now }) },
  }
}

function slotsOf(slots: NonNullable<ContractOptions['slots']>, ends: AbortSignal): Slots {
  return {
    has: (name) => Object.hasOwn(slots, name),
    run: (name, state, variables = {}, signal = ends) => unlessStopped(signal, () => slots[name]?.(state, variables)),
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
    case 'too-busy':
      return { ok: false, code: 'too-busy', message: end.message, value: end.report }
    case 'failed':
      return endedBy(end.inner?.outcome, end.message, end.report)
    case 'stopped':
      return { ok: false, code: 'tool-failed', message: end.message, value: end.report }
    default:
      return end satisfies never
  }
}

const defaultWaitMs = 10_000

/** The engine's bound is above the script's own, which begins when there is a thread for it. */
function scriptLimits(request: unknown, maxWaitMs = defaultWaitMs): { timeoutMs: number } {
  const timeoutMs = isObject(request) ? request.timeoutMs : undefined
  const isFit =
    typeof timeoutMs === 'number' && Number.isInteger(timeoutMs) && timeoutMs >= 1 && timeoutMs <= maxTimeoutMs
  return { timeoutMs: (isFit ? timeoutMs : defaultTimeoutMs) + Math.min(maxWaitMs, defaultWaitMs) }
}

function withDefaults(defaults: unknown, input: unknown): unknown {
  return isObject(defaults) ? { ...defaults, ...objectOf(input) } : input
}
