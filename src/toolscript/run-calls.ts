// The calls that a run makes: each on the one path as the run's own, so many at once, and so many in all. The client in the box
// keeps to the same bounds; this is for one that does not.

import type { Caller } from '../model/call.ts'
import type { Failure, Outcome } from '../model/outcome.ts'
import type { RunContext } from '../model/tool.ts'
import type { RunCallOptions, RunService } from './run-door.ts'

export const maxCalls = 1_000
export const maxConcurrentCalls = 16

/** Those above the bound at once wait; those above the bound in all are refused. Those that fail are added to `failures`. */
export function callsOf(context: RunContext, failures: Failure[]): RunService['call'] {
  let made = 0
  let active = 0
  const waiting: (() => void)[] = []
  return async (wire, input, options) => {
    if (++made > maxCalls) return tooMany(wire)
    if (active >= maxConcurrentCalls) await new Promise<void>((turn) => waiting.push(turn))
    active++
    try {
      const outcome = await nested(context, wire, input, options)
      if (!outcome.ok) failures.push(outcome)
      return outcome
    } finally {
      active--
      waiting.shift()?.()
    }
  }
}

function nested(context: RunContext, wire: string, input: unknown, options: RunCallOptions): Promise<Outcome> {
  const { name, readOnly } = context.caller
  const caller: Caller = {
    front: 'toolscript',
    ...(name !== undefined && { name }),
    ...(readOnly !== undefined && { readOnly }),
  }
  return context.call({ ...options, tool: wire, input, caller })
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
