// What the policy would decide on a call. Resolves, validates and decides as the one path does, and stops there.

import type { Catalogue } from '../catalogue/catalogue.ts'
import { type Call, type Caller, libraryCaller } from '../model/call.ts'
import type { Decision, Plan } from '../model/decision.ts'
import { type LimitName, makeLimits } from '../model/limits.ts'
import type { Tool, ToolDefinition } from '../model/tool.ts'
import { decide } from '../policy/decide.ts'
import type { Policy } from '../policy/policy.ts'
import { check } from './check.ts'
import { toolOf } from './execute.ts'
import { questionKey } from './question-key.ts'
import { invalidInput, unknownTool } from './refusals.ts'

export type Why =
  | {
      readonly ok: true
      readonly tool: string
      readonly argv?: readonly string[]
      readonly decision: Decision
      /** Where a person would be asked about this input: what a call says in `approved` once they have said yes. */
      readonly question?: string
    }
  | { readonly ok: false; readonly code: 'unknown-tool' | 'invalid-input'; readonly message: string }

export interface WhyParts {
  readonly catalogue: Catalogue
  readonly policy: Policy
  readonly limits: { readonly [Name in LimitName]?: number | undefined }
}

/** A call without an input is decided by the tool alone. */
export function createWhy({ catalogue, policy, limits }: WhyParts): (call: Call) => Promise<Why> {
  return async (call) => {
    const tool = await catalogue.resolve(call.tool)
    if (!tool) return unknownTool(call, call.tool, catalogue)
    const caller = call.caller ?? libraryCaller
    if (call.input === undefined)
      return { ok: true, tool: tool.id, decision: decide(policy, tool, questionsOf(tool), caller) }
    const checked = await check(tool, call, makeLimits(limits))
    if (!checked.ok) return invalidInput(tool.id, checked.issues)
    const { argv } = checked.plan ?? {}
    const decision = decide(policy, tool, checked.plan, caller)
    const question = decision.verdict === 'ask' ? questionKey(tool, checked, call) : undefined
    return { ok: true, tool: tool.id, ...(argv && { argv }), decision, ...(question !== undefined && { question }) }
  }
}

/** The same on a tool that is in no catalogue. */
export type WhyTool = (definition: ToolDefinition, caller: Caller) => Decision

export function createWhyTool({ policy }: Pick<WhyParts, 'policy'>): WhyTool {
  return (definition, caller) => {
    const tool = toolOf(definition)
    return decide(policy, tool, questionsOf(tool), caller)
  }
}

/** What the tool itself wants to have asked, whatever its input is. */
function questionsOf(tool: Tool): Plan | undefined {
  try {
    const planned = tool.plan?.({})
    return planned?.ok && planned.plan.questions ? { questions: planned.plan.questions } : undefined
  } catch {
    return undefined
  }
}
