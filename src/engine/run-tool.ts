// Runs a tool that may run, within its time. A tool that does not settle is not waited for.

import { setImmediate as turn } from 'node:timers/promises'
import { type Deadline, startDeadline } from '../base/deadline.ts'
import { messageOf } from '../base/json.ts'
import { type Call, libraryCaller } from '../model/call.ts'
import type { AskedClient } from '../model/client.ts'
import type { Ran, RunContext, Tool } from '../model/tool.ts'
import type { Ending } from '../outcome/finish.ts'
import type { Valid } from './check.ts'
import { type Executors, nestedCalls } from './nested.ts'
import { questionKey } from './question-key.ts'
import type { CallRecord } from './record.ts'

/** How long whatever ends processes may take about it once it was told to. */
const endingMs = 2_000

export async function runTool(
  executors: Executors,
  record: CallRecord,
  tool: Tool,
  valid: Valid,
  call: Call,
): Promise<Ending> {
  const { input, plan } = valid
  const { limits } = record
  const { timeoutMs } = limits
  const deadline = startDeadline(timeoutMs, call.signal)
  record.running.deadline = deadline
  const nested = nestedCalls(executors, record, call, deadline.signal, () => questionKey(tool, valid, call))
  const context: RunContext = {
    callId: record.callId,
    caller: call.caller ?? libraryCaller,
    ...(call.client && { client: pausing(call.client, record) }),
    content: call.content ?? '',
    signal: deadline.signal,
    deadline: deadline.part,
    limits,
    plan,
    progress: record.progress,
    output: record.output,
    log: record.log,
    usedModel: record.usedModel,
    call: nested.call,
    callTool: nested.callTool,
  }
  try {
    const ran = deadline.signal.aborted ? undefined : await settled(tool, input, context, deadline)
    return ending(ran, deadline, timeoutMs, tool.id)
  } finally {
    deadline.stop()
    await nested.end()
  }
}

function pausing(client: AskedClient, { running }: CallRecord): AskedClient {
  return { ...client, ask: (questions, signal) => running.whileItAsks(() => client.ask(questions, signal)) }
}

/** What the tool gave back; undefined when it was told to stop and did not. */
async function settled(tool: Tool, input: unknown, context: RunContext, deadline: Deadline): Promise<Ran | undefined> {
  let giveUp: (nothing: undefined) => void = () => {}
  const stopped = new Promise<undefined>((resolve) => {
    giveUp = resolve
  })
  const stop = async () => {
    if (tool.kind === 'function') await turn()
    else await new Promise((resolve) => setTimeout(resolve, endingMs).unref())
    giveUp(undefined)
  }
  deadline.signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([run(tool, input, context), stopped])
  } finally {
    deadline.signal.removeEventListener('abort', stop)
  }
}

async function run(tool: Tool, input: unknown, context: RunContext): Promise<Ran> {
  try {
    return await tool.run(input, context)
  } catch (error) {
    return { ok: false, code: 'tool-failed', message: messageOf(error) }
  }
}

/** Code that keeps the thread to itself cannot be stopped; what it gave back counts, and that it was late is told. */
function told(ran: Ran, lateMs: number, timeoutMs: number, id: string): Ran {
  if (lateMs < toleratedMs) return ran
  const took = Math.round(timeoutMs + lateMs)
  const warning = `"${id}" took ${took} ms, longer than the ${timeoutMs} ms it may take, and could not be stopped: code of this process kept it busy.`
  return { ...ran, warnings: [...(ran.warnings ?? []), warning] }
}

const toleratedMs = 100

/** Once the signal has fired, what the tool says counts no more, but what its process printed and its report are kept. */
function ending(ran: Ran | undefined, deadline: Deadline, timeoutMs: number, id: string): Ending {
  const cause = deadline.cause()
  if (!cause && ran) return told(ran, deadline.lateMs(), timeoutMs, id)
  const report = ran && !ran.ok && 'value' in ran && ran.value !== undefined && { value: ran.value }
  const { process, record } = ran ?? {}
  const kept = { ...(process && { process }), ...report, ...(record !== undefined && { record }) }
  if (cause === 'timed-out') {
    const message = `"${id}" did not end within ${timeoutMs} ms and was stopped.`
    return { ok: false, code: 'timed-out', afterMs: timeoutMs, message, ...kept }
  }
  return { ok: false, code: 'cancelled', message: `"${id}" was cancelled.`, ...kept }
}
