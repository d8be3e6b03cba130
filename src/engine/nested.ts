// The calls that a running tool makes. They are part of its own call: linked to it, bounded by it, ended with it.

import { type Above, type Call, shownCaller } from '../model/call.ts'
import type { Outcome } from '../model/outcome.ts'
import type { NestedCall, ToolDefinition } from '../model/tool.ts'
import { checkCall } from './check-call.ts'
import type { Execute, ExecuteTool } from './execute.ts'
import type { CallRecord } from './record.ts'

export interface Nested {
  readonly call: (call: NestedCall) => Promise<Outcome>
  readonly callTool: (definition: ToolDefinition, call: Omit<NestedCall, 'tool'>) => Promise<Outcome>
  /** Ends whatever the tool did not wait for. */
  readonly end: () => Promise<void>
}

export interface Executors {
  readonly execute: Execute
  readonly executeTool: ExecuteTool
}

export function nestedCalls(
  { execute, executeTool }: Executors,
  record: CallRecord,
  parent: Call,
  signal: AbortSignal,
  key: Above['key'],
): Nested {
  const pending = new Set<Promise<Outcome>>()
  let controller: AbortController | undefined
  let over: AbortSignal | undefined
  let isOver = false
  const above: Above = { tool: record.name, caller: shownCaller(parent), key }

  const nested = <C extends Omit<NestedCall, 'tool'>>(given: C, run: (call: C) => Promise<Outcome>) => {
    checkCall(given)
    controller ??= isOver ? aborted() : new AbortController()
    over ??= AbortSignal.any([signal, controller.signal])
    const told = record.running.place()
    const work = run({
      ...given,
      parentId: record.callId,
      above,
      // Who is asked, and what was answered, is not for a tool to say.
      ...{ approve: parent.approve, approved: undefined, refusal: undefined },
      ...(parent.client && { client: parent.client }),
      ...(parent.approvalWaitMs !== undefined && { approvalWaitMs: parent.approvalWaitMs }),
      caller: narrowed(given.caller ?? parent.caller, parent.caller),
      signal: given.signal ? AbortSignal.any([over, given.signal]) : over,
    })
    pending.add(work)
    const done = () => pending.delete(work)
    work.then(done, done)
    work.then(told, () => {})
    return work
  }
  const call = (given: NestedCall) => nested(given, execute)
  const callTool = (definition: ToolDefinition, given: Omit<NestedCall, 'tool'>) =>
    nested(given, (joined) => executeTool(definition, joined))
  const end = async () => {
    isOver = true
    controller?.abort()
    if (pending.size === 0) return
    await Promise.allSettled(pending)
  }
  return { call, callTool, end }
}

/** What a tool calls after its end is given up before it begins. */
function aborted(): AbortController {
  const controller = new AbortController()
  controller.abort()
  return controller
}

/** Whoever may only look has nothing else done for them either; and what is done for one of several of a name is not for the others. */
function narrowed(caller: Call['caller'], parent: Call['caller']): NonNullable<Call['caller']> {
  const own = caller ?? { front: 'library' }
  const { readOnly, session, isOneOfMany } = parent ?? {}
  return {
    ...own,
    ...(readOnly && { readOnly }),
    ...(session !== undefined && { session }),
    ...(isOneOfMany && { isOneOfMany }),
  }
}
