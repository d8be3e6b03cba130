// Runs the steps of a compose file one after the other: each is called with what `in` refers to, and `out` says what of its
// result goes into the state.

import { isObject, setOwn } from '../base/json.ts'
import { boundedCopy } from './budget.ts'
import { callContract, contractName } from './built-in.ts'
import { composeIssues } from './compose-check.ts'
import { asContractError, ContractError } from './errors.ts'
import { stateLeft } from './flow.ts'
import { parsePath, readPath } from './path.ts'
import { deeper, type Slots, type Step, type Surroundings } from './surroundings.ts'

export interface ComposeStep {
  /** The contract or the tool. */
  readonly call: string
  /** Its input; `$.a` and `$slot.a` refer to the state and to the variables of the slot. Default `{}`. */
  readonly in?: Readonly<Record<string, unknown>>
  /** Names in the state, each with what of the result it takes: a key, a path, or `$` for all of it. Default nothing. */
  readonly out?: Readonly<Record<string, string>>
  /** Steps that the contract may run, by slot; a list is the slot `body`. Default none. */
  readonly slots?: ComposeSlots
  /** The older name of `slots`. */
  readonly children?: ComposeSlots
  /** What a loop collects of each round. */
  readonly collectPath?: string
}

export type ComposeSlots = readonly ComposeStep[] | Readonly<Record<string, readonly ComposeStep[]>>

type State = Record<string, unknown>
type Variables = Readonly<Record<string, unknown>>

/** Runs steps that are known to be well-formed, and gives the state they leave. */
export async function runCompose(
  steps: readonly ComposeStep[],
  initial: Readonly<State>,
  surroundings: Surroundings,
): Promise<State> {
  return runSteps(steps, initial, { ...surroundings, variables: {} })
}

interface Around extends Surroundings {
  readonly variables: Variables
}

async function runSteps(list: readonly ComposeStep[], given: Readonly<State>, around: Around): Promise<State> {
  let state: State = { ...given }
  for (const [at, step] of list.entries()) {
    await around.pace.next(around.signal)
    state = await runStep(step, state, around).catch((error: unknown) => {
      throw placed(error, at, step)
    })
  }
  return state
}

async function runStep(step: ComposeStep, state: State, around: Around): Promise<State> {
  const result = await callContract(step.call, inputOf(step, state, around.variables), {
    ...around,
    slots: slotsOf(step, state, around),
    state,
    compose: composeInside,
    ...(step.collectPath !== undefined && { collectPath: step.collectPath }),
  })
  if (step.out) return withOutputs(state, step.out, result)
  return stateLeft(contractName(step.call), result) ?? state
}

function slotsOf(step: ComposeStep, state: State, around: Around): Slots | undefined {
  if (!step.slots && !step.children) return undefined
  const slots = new Map([...entriesOf(step.children), ...entriesOf(step.slots)])
  return {
    has: (name) => slots.has(name),
    run: (name, given, own = {}, signal = around.signal) => {
      const variables = { ...around.variables, ...own }
      return runSteps(slots.get(name) ?? [], isObject(given) ? given : state, { ...around, variables, signal })
    },
  }
}

/** For a contract that runs steps of its own: whatever they are, they are looked at first. */
export const composeInside: Step['compose'] = async (steps, state, surroundings) => {
  const [first] = composeIssues(steps, 'compose')
  if (first) throw new ContractError('invalid-input', `${first.path}: ${first.message}`)
  return runCompose(steps as readonly ComposeStep[], state, deeper(surroundings))
}

function entriesOf(slots: ComposeSlots | undefined): [string, readonly ComposeStep[]][] {
  if (!slots) return []
  return isList(slots) ? [['body', slots]] : Object.entries(slots)
}

function isList(slots: ComposeSlots): slots is readonly ComposeStep[] {
  return Array.isArray(slots)
}

/** Steps and bindings inside an input are for whoever gets them: what they refer to is another state. */
const unresolved = new Set(['bindings', 'compose'])

function inputOf({ in: input = {} }: ComposeStep, state: State, variables: Variables): unknown {
  const kept = Object.entries(input).filter(([key, value]) => unresolved.has(key) && typeof value !== 'string')
  const others = Object.entries(input).filter(([key, value]) => !unresolved.has(key) || typeof value === 'string')
  const result = boundedCopy(Object.fromEntries(others), (text) => referred(text, state, variables))
  for (const [key, value] of kept) if (isObject(result)) setOwn(result, key, value)
  return result
}

function referred(text: string, state: State, variables: Variables): unknown {
  const isOfSlot = text.startsWith('$slot.')
  if (!isOfSlot && !text.startsWith('$.') && !text.startsWith('$[')) return text
  const parsed = parsePath(isOfSlot ? text.replace('$slot', '$') : text)
  if (!parsed.ok) throw new ContractError('invalid-input', parsed.message)
  return readPath(isOfSlot ? variables : state, parsed.path)
}

/** What the result does not have is taken out of the state. */
function withOutputs(state: State, out: Readonly<Record<string, string>>, result: unknown): State {
  const next = { ...state }
  for (const [name, from] of Object.entries(out)) {
    const parsed = parsePath(from)
    if (!parsed.ok) throw new ContractError('invalid-input', parsed.message)
    const value = readPath(result, parsed.path)
    if (value === undefined) delete next[name]
    else setOwn(next, name, value)
  }
  return next
}

/** The innermost step is named; what was thrown stays what it was. */
function placed(error: unknown, at: number, { call }: ComposeStep): ContractError {
  const thrown = asContractError(error)
  thrown.where ??= `step ${at + 1} (${call})`
  return thrown
}
