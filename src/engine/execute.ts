// The one path. Every call, from every front, to every kind of tool, takes these steps in this order.

import { type Call, libraryCaller } from '../model/call.ts'
import type { Listener } from '../model/event.ts'
import { spell } from '../model/name.ts'
import type { Outcome } from '../model/outcome.ts'
import type { Tool, ToolDefinition } from '../model/tool.ts'
import { decide } from '../policy/decide.ts'
import { approve } from './approve.ts'
import { check } from './check.ts'
import { checkCall } from './check-call.ts'
import type { EngineParts } from './engine.ts'
import { CallRecord } from './record.ts'
import { brokenPath, denied, invalidInput, journalFailed, tooBusy, unknownTool } from './refusals.ts'
import { runTool } from './run-tool.ts'
import { traced } from './span.ts'

export type Execute = (call: Call, listener?: Listener) => Promise<Outcome>

/** Runs a tool that is in no catalogue, such as a script, on the same path. */
export type ExecuteTool = (
  definition: ToolDefinition,
  call: Omit<Call, 'tool'>,
  listener?: Listener,
) => Promise<Outcome>

/** Resolves, validates, decides, runs, finishes and records. Never throws for what a tool or a caller does wrong. */
export function createExecute(parts: EngineParts): { execute: Execute; executeTool: ExecuteTool } {
  const { catalogue, policy, limits, queue } = parts

  async function path(call: Call, record: CallRecord, given: Tool | undefined): Promise<Outcome> {
    const tool = given ?? (await catalogue.resolve(call.tool))
    if (!tool) return record.end(unknownTool(call, record.name, catalogue))
    record.found(tool)

    const checked = await check(tool, call, record.limits)
    if (!checked.ok) return record.end(checked.refusal ?? invalidInput(tool.id, checked.issues))
    record.checked(checked)

    const decision = record.tooDeep() ?? decide(policy, tool, checked.plan, call.caller ?? libraryCaller)
    record.decided(decision)
    if (decision.verdict === 'deny') return record.end(denied(decision))
    if (call.refusal) return record.end({ ok: false, ...call.refusal })

    const journalled = await record.start()
    if (!journalled.ok) return record.end(journalFailed(journalled.error))

    const approval =
      decision.verdict === 'ask' ? await approve(parts, record, { tool, checked, decision, call, given }) : undefined
    if (approval && !approval.ok) return record.end(approval.ending)

    const turn = record.isNested ? undefined : await queue.enter(call.signal)
    if (turn === 'full') return record.end(tooBusy(limits.maxQueuedCalls))
    try {
      return await record.end(await runTool({ execute, executeTool }, record, tool, checked, call))
    } finally {
      turn?.leave()
    }
  }

  const start = (call: Call, listener: Listener | undefined, given?: Tool) =>
    traced(call, parts, async () => {
      const record = new CallRecord(parts, call, listener)
      return path(call, record, given).catch((error: unknown) => record.end(brokenPath(error)))
    })
  const execute: Execute = async (call, listener) => {
    checkCall(call)
    return start(call, listener)
  }
  const executeTool: ExecuteTool = async (definition, call, listener) => {
    checkCall(call)
    const tool = toolOf(definition)
    return start({ ...call, tool: tool.id }, listener, tool)
  }
  return { execute, executeTool }
}

/** A tool that is in no catalogue, under its plain names. */
export function toolOf(definition: ToolDefinition): Tool {
  const { spellings } = spell(definition.kind, definition.name, () => false)
  return { ...definition, id: spellings.id, source: definition.kind, spellings }
}
