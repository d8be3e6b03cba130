// Runs one contract script in the sandbox, and makes its report.

import { isObject, messageOf } from '../base/json.ts'
import type { Issue } from '../model/schema.ts'
import type { GuestEnd, Isolates, Place } from '../sandbox/isolate.ts'
import { boundedCopy, maxTextLength, maxValues } from './budget.ts'
import { asContractError, ContractError } from './errors.ts'
import { contractSurface } from './guest.ts'
import { failureReport, type Report, successReport } from './report.ts'
import { defaultTimeoutMs, resolveBindings, type ScriptRequest, sourceIssues, stateOf } from './request.ts'
import type { Slots, Surroundings } from './surroundings.ts'

/** How a script ended. There is a report whatever happened. */
export type ScriptEnd =
  | { readonly type: 'returned'; readonly report: unknown }
  | { readonly type: 'invalid'; readonly message: string; readonly issues: readonly Issue[]; readonly report: Report }
  /** `inner` is the call that failed, where nothing caught it. */
  | { readonly type: 'failed'; readonly message: string; readonly report: Report; readonly inner?: ContractError }
  | { readonly type: 'stopped' | 'too-busy'; readonly message: string; readonly report: Report }
  | { readonly type: 'timed-out'; readonly message: string; readonly afterMs: number; readonly report: Report }

export interface ScriptOptions {
  /** The state where the request gives none. Default `{}`. */
  readonly state?: unknown
  readonly slots?: Slots | undefined
  /** Whether the request is known to be plain data that is not too large, as the engine's copy of it is. Default false. */
  readonly isBounded?: boolean
  /** Calls a contract or a tool by its id, for as long as the signal has not fired. */
  readonly call: (id: string, input: unknown, signal: AbortSignal) => Promise<unknown>
}

export async function runScript(
  request: ScriptRequest,
  surroundings: Surroundings,
  options: ScriptOptions,
): Promise<ScriptEnd> {
  const prepared = prepare(request, surroundings, options)
  if (!prepared.ok) return invalid(prepared.issues, [])

  const place = await enter(surroundings)
  if (place === 'full') return { type: 'too-busy', ...noPlace(surroundings.maxWaitMs) }
  if (place === 'stopped') return { type: 'stopped', ...stopped([]) }
  const { source, timeoutMs = defaultTimeoutMs, tools = [] } = request
  const deadline = surroundings.deadline(timeoutMs)
  const { signal, end: endAll } = untilAny(surroundings.signal, deadline.signal)
  const answers = new Set<Promise<unknown>>()
  const failures: ContractError[] = []
  const logs: unknown[] = []
  const end = await place.run({
    source,
    others: tools,
    given: prepared.given,
    signal,
    maxBusyMs: timeoutMs,
    maxTextLength,
    maxValues,
    onAsk: (kind, value) => {
      const given = answer(kind, value, options, signal)
      answers.add(given)
      const done = () => answers.delete(given)
      given.then(done, (error: unknown) => {
        done()
        if (kind === 'call' || error instanceof ContractError) failures.push(asContractError(error))
        if (failures.length > mostFailures) failures.shift()
      })
      return given
    },
    onLog: (level, values) => {
      for (const value of values) logs.push(value)
      surroundings.log(
        level,
        values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(' '),
      )
    },
    ...surroundings.fixed,
  })
  const isLate = deadline.cause() === 'timed-out' || (end.type === 'stopped' && end.isSpent === true)
  deadline.stop()
  // What it called and did not wait for ends with it.
  endAll()
  await Promise.allSettled(answers)
  const told = end.droppedLogs ? [...logs, `${end.droppedLogs} more messages were dropped.`] : logs
  return isLate && end.type === 'stopped' ? late(timeoutMs, told) : ended(end, told, failures)
}

/** So many calls that failed are kept, to tell whether one of them is what a script threw in the end. */
const mostFailures = 100

/** A signal that fires with the first of these, or at the end. */
function untilAny(...signals: readonly AbortSignal[]): { readonly signal: AbortSignal; readonly end: () => void } {
  const controller = new AbortController()
  const end = () => {
    for (const each of signals) each.removeEventListener('abort', end)
    controller.abort()
  }
  for (const each of signals) each.addEventListener('abort', end, { once: true })
  if (signals.some(({ aborted }) => aborted)) end()
  return { signal: controller.signal, end }
}

type Prepared =
  | { readonly ok: true; readonly given: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly issues: readonly Issue[] }

/** What the script is given: a copy of the state with the handles of streams in it, and what the bindings find there. */
function prepare(
  request: ScriptRequest,
  surroundings: Surroundings,
  { state: otherwise = {}, slots, isBounded = false }: ScriptOptions,
): Prepared {
  try {
    const { meta = {}, config = {}, imports = {} } = request
    const from = stateOf({ ...request }, otherwise)
    const state = isBounded && !request.streams?.length ? from : (boundedCopy(from) ?? null)
    const faults = request.streams?.length ? streamFaults(request, surroundings, state) : []
    const { values: input, issues: bindingIssues } = resolveBindings(request.bindings, state)
    const issues = [...sourceIssues(request), ...faults, ...bindingIssues]
    if (issues.length) return { ok: false, issues }
    const others = boundedCopy({ input, meta, config, imports })
    return { ok: true, given: { ...(isObject(others) && others), state, slots: slots !== undefined } }
  } catch (error) {
    return { ok: false, issues: [{ path: 'input', code: 'TOO_LARGE', message: messageOf(error) }] }
  }
}

let isolates: Promise<Isolates> | undefined

/** All scripts share the threads. They are started when the first script runs. */
function sharedIsolates(): Promise<Isolates> {
  isolates ??= import('../sandbox/isolate.ts').then(({ Isolates }) => new Isolates({ surface: contractSurface }))
  return isolates
}

/** The time for it is another than the script's own. */
async function enter({ deadline, signal, maxWaitMs }: Surroundings): Promise<Place | 'full' | 'stopped'> {
  const threads = await sharedIsolates()
  const free = threads.enterNow()
  if (free) return free
  const waiting = deadline(maxWaitMs)
  const either = untilAny(signal, waiting.signal)
  const place = await threads.enter(either.signal)
  either.end()
  waiting.stop()
  return place ?? (signal.aborted ? 'stopped' : 'full')
}

/** Bounded before it is written down: a value of a megabyte may stand in another a thousand times. */
async function answer(
  kind: string,
  value: unknown,
  { call, slots }: ScriptOptions,
  signal: AbortSignal,
): Promise<unknown> {
  const [first, ...rest] = Array.isArray(value) ? value : []
  const name = String(first)
  if (kind === 'call') return boundedCopy(await call(name, rest[0], signal))
  if (!slots?.has(name)) throw new Error(`There is no slot "${name}".`)
  return boundedCopy(await slots.run(name, rest[0] ?? {}, isObject(rest[1]) ? rest[1] : {}, signal))
}

function streamFaults({ streams = [] }: ScriptRequest, surroundings: Surroundings, state: unknown): readonly Issue[] {
  if (isObject(state)) return surroundings.streams.register(streams, state)
  return [{ path: 'streams', code: 'INVALID_VALUE', message: 'Streams need a state that is an object.' }]
}

function ended(end: GuestEnd, logs: readonly unknown[], failures: readonly ContractError[]): ScriptEnd {
  if (end.type === 'stopped') return { type: 'stopped', ...stopped(logs) }
  if (end.type === 'failed') {
    const { fault } = end
    const nothingRan = fault.reason === 'syntax' || fault.reason === 'no-function'
    if (nothingRan) return invalid([{ path: 'source', code: 'INVALID_VALUE', message: fault.message }], logs, fault)
    const told = fault.reason === 'memory' ? { ...fault, message: 'The script ran out of memory.' } : fault
    const inner = failures.findLast(({ message }) => message === told.message)
    const report = failureReport({ ...told, ...(inner && { code: inner.code }) }, logs)
    return { type: 'failed', message: told.message, report, ...(inner && { inner }) }
  }
  return { type: 'returned', report: successReport(JSON.parse(end.text), logs) }
}

function invalid(
  issues: readonly Issue[],
  logs: readonly unknown[],
  fault: { readonly name: string; readonly message: string; readonly stack?: string } = {
    name: 'TypeError',
    message: issues.map(({ path, message }) => `${path}: ${message}`).join(' '),
  },
): ScriptEnd {
  return { type: 'invalid', message: fault.message, issues, report: failureReport(fault, logs) }
}

function late(timeoutMs: number, logs: readonly unknown[]): ScriptEnd {
  const message = `The script did not end within ${timeoutMs} ms and was stopped.`
  const report = failureReport({ name: 'TimeoutError', message }, logs)
  return { type: 'timed-out', message, afterMs: timeoutMs, report }
}

function stopped(logs: readonly unknown[]): { message: string; report: Report } {
  const message = 'The script was stopped.'
  return { message, report: failureReport({ name: 'AbortError', message }, logs) }
}

function noPlace(maxWaitMs: number): { message: string; report: Report } {
  const message = `No thread became free for the script within ${maxWaitMs} ms; it did not run. Try again.`
  return { message, report: failureReport({ name: 'BusyError', message }, []) }
}
