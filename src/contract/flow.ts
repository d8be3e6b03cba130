// The contracts of `flow/`: which steps run, how often, and what happens when one fails.

import { isObject, messageOf } from '../base/json.ts'
import type { Contract } from './built-in-core.ts'
import { ContractError } from './errors.ts'
import { parsePath, readPath } from './path.ts'
import type { Slots, Step } from './surroundings.ts'

/** Leaves the body of a loop. */
class LoopSignal extends ContractError {
  readonly signal: 'break' | 'continue'

  constructor(signal: 'break' | 'continue') {
    super(`flow-${signal}`, `"flow/${signal}" stands in no loop.`)
    this.signal = signal
  }
}

/** The state that a contract of `flow/` leaves to the steps after it, unless `out` says otherwise; nothing for any other. */
export function stateLeft(name: string | undefined, result: unknown): Record<string, unknown> | undefined {
  const left = name === 'flow/while' && isObject(result) ? result.state : result
  return name !== undefined && keepsState.has(name) && isObject(left) ? left : undefined
}

const keepsState = new Set(['flow/if', 'flow/try', 'flow/while'])

const maxRounds = 100_000

export const flowContracts: Readonly<Record<string, Contract>> = {
  'flow/if': ({ cond }, { slots }) => runFirst(slots, cond ? ['then', 'body'] : ['else']),
  'flow/foreach': forEach,
  'flow/while': loop,
  'flow/parallel': parallel,
  'flow/try': attempt,
  'flow/throw': ({ message, code, data }) => {
    throw new ContractError(textOr(code, 'flow_throw'), textOr(message, 'A step threw.'), { data })
  },
  'flow/break': () => {
    throw new LoopSignal('break')
  },
  'flow/continue': () => {
    throw new LoopSignal('continue')
  },
}

async function forEach({ list, stream }: Record<string, unknown>, step: Step): Promise<unknown> {
  const items = Array.isArray(list) ? list : stream === undefined ? [] : step.streams.texts(stream)
  const results: unknown[] = []
  if (items.length === 0) {
    const variables = { index: -1 }
    collect(results, await runFirst(step.slots, ['else'], variables), variables, step)
    return { results }
  }
  for (const [index, item] of items.entries()) {
    await step.pace.next(step.signal)
    const variables = { item, index }
    const round = await bodyOf(step.slots, variables)
    if (round.signal === 'break') break
    if (round.signal === 'continue') continue
    if (step.collectPath === undefined) results.push(item)
    else collect(results, round.state, variables, step)
  }
  return { results }
}

/** While the slot `condition` leaves a true `continue`, `cond` or `value`. */
async function loop({ state: given, maxIterations }: Record<string, unknown>, step: Step): Promise<unknown> {
  let state: unknown = isObject(given) ? given : step.state
  const most = typeof maxIterations === 'number' && maxIterations > 0 ? Math.min(maxIterations, maxRounds) : maxRounds
  let iterations = 0
  for (;;) {
    await step.pace.next(step.signal)
    const variables = { index: iterations, state }
    if (!isTrue(await step.slots?.run('condition', state, variables))) break
    if (iterations >= most) throw new ContractError('tool-failed', `The loop was still going after ${most} rounds.`)
    const round = await bodyOf(step.slots, variables, state)
    iterations++
    if (round.signal === 'break') break
    if (round.signal === undefined) state = round.state
  }
  if (iterations === 0 && step.slots?.has('else')) state = await step.slots.run('else', state, { index: -1, state })
  return { state, iterations }
}

async function parallel({ tasks, parallelism }: Record<string, unknown>, step: Step): Promise<unknown> {
  const items = Array.isArray(tasks) ? tasks : []
  const atOnce = typeof parallelism === 'number' && parallelism >= 1 ? Math.min(16, Math.floor(parallelism)) : 8
  const results: unknown[] = new Array(items.length).fill(null)
  const rest = items.entries()
  const others = new AbortController()
  const signal = AbortSignal.any([step.signal, others.signal])
  const work = async () => {
    for (const [index, item] of rest) {
      await step.pace.next(signal)
      const variables = { item, index }
      const state = await runFirst(step.slots, ['tasks', 'body'], variables, signal)
      results[index] = (step.collectPath === undefined ? state : reached(step.collectPath, state, variables)) ?? null
    }
  }
  // The first failure stops the others, and is told when they have stopped.
  let failure: { readonly error: unknown } | undefined
  const stopOthers = (error: unknown) => {
    failure ??= { error }
    others.abort()
  }
  await Promise.all(Array.from({ length: atOnce }, () => work().catch(stopOthers)))
  if (failure) throw failure.error
  return { results }
}

/** `catch` sees `$slot.error`; `finally` runs whatever happened. */
async function attempt(_input: Record<string, unknown>, { slots }: Step): Promise<unknown> {
  const runFinally = async (state: unknown) => {
    if (!slots?.has('finally')) return state
    const left = await slots.run('finally', state)
    return isObject(state) && isObject(left) ? { ...state, ...left } : left
  }
  let state: unknown
  try {
    state = await runFirst(slots, ['try', 'children', 'body']).catch((error: unknown) => {
      if (error instanceof LoopSignal || !slots?.has('catch')) throw error
      return slots.run('catch', undefined, { error: describe(error) })
    })
  } catch (error) {
    await runFinally(undefined)
    throw error
  }
  return runFinally(state)
}

interface Round {
  readonly signal?: 'break' | 'continue'
  readonly state: unknown
}

async function bodyOf(slots: Slots | undefined, variables: Record<string, unknown>, state?: unknown): Promise<Round> {
  try {
    return { state: await slots?.run('body', state, variables) }
  } catch (error) {
    if (error instanceof LoopSignal) return { signal: error.signal, state: undefined }
    throw error
  }
}

/** The first of the slots that is there; without any, the state as it is. */
async function runFirst(
  slots: Slots | undefined,
  names: readonly string[],
  variables?: Record<string, unknown>,
  signal?: AbortSignal,
): Promise<unknown> {
  const name = names.find((each) => slots?.has(each)) ?? names[0] ?? ''
  return slots?.run(name, undefined, variables, signal)
}

function collect(results: unknown[], state: unknown, variables: Record<string, unknown>, { collectPath }: Step): void {
  const value = collectPath === undefined ? undefined : reached(collectPath, state, variables)
  if (value !== undefined) results.push(value)
}

function reached(path: string, state: unknown, variables: Record<string, unknown>): unknown {
  const isOfSlot = path.startsWith('$slot')
  const parsed = parsePath(isOfSlot ? `$${path.slice('$slot'.length)}` : path)
  if (!parsed.ok) throw new ContractError('invalid-input', parsed.message)
  return readPath(isOfSlot ? variables : state, parsed.path)
}

function isTrue(left: unknown): boolean {
  const value = isObject(left) ? (left.continue ?? left.cond ?? left.value) : left
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0
  return Boolean(value)
}

function describe(error: unknown): Record<string, unknown> {
  const { code, data } = error instanceof ContractError ? error : { code: 'tool-failed', data: undefined }
  return { message: messageOf(error), code, ...(data !== undefined && { data }) }
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' && value !== '' ? value : otherwise
}
