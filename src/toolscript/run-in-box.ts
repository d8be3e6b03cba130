// One run in a box that is ready: opens its door, hands the program over, serves its calls, and ends it.

import type { Caller } from '../model/call.ts'
import type { Outcome } from '../model/outcome.ts'
import type { Ran, RunContext } from '../model/tool.ts'
import type { Box } from '../sandbox/deno-box.ts'
import { type Circumstances, ranFrom, type Said } from './ending.ts'
import type { RunCallOptions, RunDoor } from './run-door.ts'

/** How many calls a run may make, and how many of them at once. The client in the box keeps to them; this is for one that does not. */
export const maxCalls = 1_000
export const maxConcurrentCalls = 16

export async function runInBox(
  box: Box & { readonly door: RunDoor },
  code: string,
  context: RunContext,
  about: Pick<Circumstances, 'graph' | 'workspace' | 'memoryMb'>,
): Promise<Ran> {
  const { door } = box
  const said = Promise.withResolvers<Said>()
  const calls = new Set<Promise<unknown>>()
  const call = bounded((wire, input, options) => nested(context, wire, input, options))
  const stop = () => box.kill()
  context.signal.addEventListener('abort', stop, { once: true })
  if (context.signal.aborted) stop()
  door.open({
    call: (wire, input, options) => {
      const outcome = call(wire, input, options)
      calls.add(outcome)
      return outcome.finally(() => calls.delete(outcome))
    },
    end: (how, body) => said.resolve({ how, body }),
  })
  box.run(code, context.output)

  const end = await Promise.race([said.promise, box.ended.then(() => undefined)])
  // What was called and not awaited is awaited here, for as long as the run has time.
  if (end) await Promise.race([Promise.allSettled(calls), box.ended])
  if (end) box.kill()
  const report = await box.ended
  context.signal.removeEventListener('abort', stop)
  const argv = [...box.argv, about.graph.entry.path]
  return ranFrom(end, { ...about, report: { ...report, argv }, url: door.url, warnings: box.notes })
}

type CallTool = (wire: string, input: unknown, options: RunCallOptions) => Promise<Outcome>

function nested(context: RunContext, wire: string, input: unknown, options: RunCallOptions): Promise<Outcome> {
  const { name, readOnly } = context.caller
  const caller: Caller = {
    front: 'toolscript',
    ...(name !== undefined && { name }),
    ...(readOnly !== undefined && { readOnly }),
  }
  return context.call({ ...options, tool: wire, input, caller })
}

/** So many at once, the others wait; and so many in all, after which each is refused. */
function bounded(call: CallTool): CallTool {
  let made = 0
  let active = 0
  const waiting: (() => void)[] = []
  return async (wire, input, options) => {
    if (++made > maxCalls) return tooMany(wire)
    if (active >= maxConcurrentCalls) await new Promise<void>((turn) => waiting.push(turn))
    active++
    try {
      return await call(wire, input, options)
    } finally {
      active--
      waiting.shift()?.()
    }
  }
}

function tooMany(tool: string): Outcome {
  const message = `A script may make ${maxCalls} calls; this was one more.`
  const startedAt = new Date().toISOString()
  return {
    ok: false,
    code: 'too-busy',
    callId: '',
    tool,
    message,
    text: message,
    startedAt,
    durationMs: 0,
    warnings: [],
  }
}
