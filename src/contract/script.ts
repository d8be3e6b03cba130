// Runs one contract script in the sandbox, and makes its report.

import { isObject } from '../base/json.ts'
import type { Issue } from '../model/schema.ts'
import type { GuestEnd, Isolates, Place } from '../sandbox/isolate.ts'
import { contractSurface } from './guest.ts'
import { failureReport, isTooDeep, type Report, successReport } from './report.ts'
import { defaultTimeoutMs, resolveBindings, type ScriptRequest, sourceIssues, stateOf } from './request.ts'
import type { Slots, Surroundings } from './surroundings.ts'

/** How a script ended. There is a report whatever happened. */
export type ScriptEnd =
  | { readonly type: 'returned'; readonly report: unknown }
  | { readonly type: 'invalid'; readonly message: string; readonly issues: readonly Issue[]; readonly report: Report }
  | { readonly type: 'failed' | 'stopped'; readonly message: string; readonly report: Report }
  | { readonly type: 'timed-out'; readonly message: string; readonly afterMs: number; readonly report: Report }

export interface ScriptOptions {
  /** The state where the request gives none. Default `{}`. */
  readonly state?: unknown
  readonly slots?: Slots | undefined
  /** Calls a contract or a tool by its id. */
  readonly call: (id: string, input: unknown) => Promise<unknown>
}

/** How long a script waits for a thread that is free. Its own time begins after that. */
export const maxWaitMs = 10_000

export async function runScript(
  request: ScriptRequest,
  surroundings: Surroundings,
  { state: otherwise = {}, slots, call }: ScriptOptions,
): Promise<ScriptEnd> {
  const { source, timeoutMs = defaultTimeoutMs, meta = {}, config = {}, tools = [], imports = {} } = request
  const given = stateOf({ ...request }, otherwise)
  // It crosses as text, so it is copied in any case; only handles of streams are put into it here.
  const state = request.streams?.length ? structuredClone(given) : given
  const faults = request.streams?.length ? streamFaults(request, surroundings, state) : []
  const { values: input, issues } = resolveBindings(request.bindings, state)
  const found = [...sourceIssues(request), ...faults, ...issues]
  if (found.length) return invalid(found, [])

  const place = await enter(surroundings)
  if (place === 'full') return { type: 'failed', ...noPlace() }
  if (place === 'stopped') return { type: 'stopped', ...stopped([]) }
  const deadline = surroundings.deadline(timeoutMs)
  const logs: unknown[] = []
  const end = await place.run({
    source,
    others: tools,
    given: { input, state, meta, config, imports, slots: slots !== undefined },
    signal: deadline.signal,
    onAsk: (kind, value) => answer(kind, value, call, slots),
    onLog: (level, values) => {
      logs.push(...values)
      surroundings.log(
        level,
        values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(' '),
      )
    },
    ...surroundings.fixed,
  })
  const isLate = deadline.cause() === 'timed-out'
  deadline.stop()
  const told = end.droppedLogs ? [...logs, `${end.droppedLogs} more messages were dropped.`] : logs
  return isLate && end.type === 'stopped' ? late(timeoutMs, told) : ended(end, told)
}

let isolates: Promise<Isolates> | undefined

/** All scripts share the threads. They are started when the first script runs. */
function sharedIsolates(): Promise<Isolates> {
  isolates ??= import('../sandbox/isolate.ts').then(({ Isolates }) => new Isolates({ surface: contractSurface }))
  return isolates
}

/** The time for it is another than the script's own. */
async function enter({ deadline, signal }: Surroundings): Promise<Place | 'full' | 'stopped'> {
  const waiting = deadline(maxWaitMs)
  const place = await (await sharedIsolates()).enter(waiting.signal)
  waiting.stop()
  return place ?? (signal.aborted ? 'stopped' : 'full')
}

async function answer(
  kind: string,
  value: unknown,
  call: ScriptOptions['call'],
  slots: Slots | undefined,
): Promise<unknown> {
  const [name, ...rest] = Array.isArray(value) ? value : []
  if (kind === 'call') return call(String(name), rest[0])
  if (!slots?.has(String(name))) throw new Error(`There is no slot "${name}".`)
  return slots.run(String(name), rest[0] ?? {}, isObject(rest[1]) ? rest[1] : {})
}

function streamFaults({ streams = [] }: ScriptRequest, surroundings: Surroundings, state: unknown): readonly Issue[] {
  if (isObject(state)) return surroundings.streams.register(streams, state)
  return [{ path: 'streams', code: 'INVALID_VALUE', message: 'Streams need a state that is an object.' }]
}

function ended(end: GuestEnd, logs: readonly unknown[]): ScriptEnd {
  if (end.type === 'stopped') return { type: 'stopped', ...stopped(logs) }
  if (end.type === 'failed') {
    const { fault } = end
    const nothingRan = fault.reason === 'syntax' || fault.reason === 'no-function'
    if (nothingRan) return invalid([{ path: 'source', code: 'INVALID_VALUE', message: fault.message }], logs, fault)
    const told = fault.reason === 'memory' ? { ...fault, message: 'The script ran out of memory.' } : fault
    return { type: 'failed', message: told.message, report: failureReport(told, logs) }
  }
  if (!isTooDeep(end.text)) return { type: 'returned', report: successReport(JSON.parse(end.text), logs) }
  const fault = { name: 'TypeError', message: 'The returned value is nested too deeply.' }
  return { type: 'failed', message: fault.message, report: failureReport(fault, logs) }
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

function noPlace(): { message: string; report: Report } {
  const message = `No thread became free for the script within ${maxWaitMs} ms; it did not run. Try again.`
  return { message, report: failureReport({ name: 'BusyError', message }, []) }
}
