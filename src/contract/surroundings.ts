// What a script or a step can reach: everything that it calls goes through here.

import { isObject } from '../base/json.ts'
import { failureMessage } from '../model/inner-failure.ts'
import type { Failure } from '../model/outcome.ts'
import type { RunContext } from '../model/tool.ts'
import { ContractError } from './errors.ts'
import type { FileCalls } from './file-calls.ts'
import type { Pace } from './pace.ts'
import type { Streams } from './streams.ts'

export interface Surroundings {
  /** Calls a tool that is no contract of ours; throws when it fails. */
  readonly call: (id: string, input: unknown, signal: AbortSignal) => Promise<unknown>
  readonly streams: Streams
  readonly files: FileCalls
  /** Fires when whatever this is a part of has ended, in any way: nothing goes on after it. */
  readonly signal: AbortSignal
  readonly deadline: RunContext['deadline']
  readonly log: RunContext['log']
  readonly pace: Pace
  /** How many scripts and checks hold this one. Each holds a thread, or the memory of its steps. */
  readonly depth: number
  /** How long a script waits for a thread that is free, in milliseconds. */
  readonly maxWaitMs: number
  /** What `Math.random` begins with, and the time that scripts see, for replays. Missing: as it comes. */
  readonly fixed: { readonly seed?: number; readonly now?: number }
}

/** The slots of one step. */
export interface Slots {
  readonly has: (name: string) => boolean
  /** Runs the steps of a slot and gives the state they leave. Without a state, the step's own; without a signal, the step's. */
  readonly run: (
    name: string,
    state?: unknown,
    variables?: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ) => Promise<unknown>
}

/** What a contract of ours is called with besides its input. */
export interface Step extends Surroundings {
  readonly slots: Slots | undefined
  readonly collectPath?: string
  /** The state around the step. */
  readonly state: Readonly<Record<string, unknown>>
  /** Runs steps of its own, whatever they are: they are looked at first. */
  readonly compose: (
    steps: unknown,
    state: Readonly<Record<string, unknown>>,
    surroundings: Surroundings,
  ) => Promise<Record<string, unknown>>
}

const maxDepth = 8

/** The same, one script or check further in. */
export function deeper<S extends Surroundings>(surroundings: S): S {
  if (surroundings.depth < maxDepth) return { ...surroundings, depth: surroundings.depth + 1 }
  throw new ContractError('denied', `Scripts and checks stand more than ${maxDepth} deep in one another.`)
}

/** Calls through the engine: policy, journal and all. */
export function callThrough({ call }: RunContext): Surroundings['call'] {
  return async (tool, input, signal) => {
    const outcome = await call({ tool, input, signal, caller: { front: 'contract' } })
    if (outcome.ok) return outcome.value
    throw errorOf(outcome)
  }
}

/** A call that failed, as whoever made it hears of it. */
export function errorOf(outcome: Failure): ContractError {
  return new ContractError(outcome.code, failureMessage(outcome), { outcome })
}

export function objectOf(input: unknown): Record<string, unknown> {
  if (input === undefined || input === null) return {}
  if (isObject(input)) return input
  throw new ContractError('invalid-input', 'The input of a contract is an object. Write { … }.')
}
