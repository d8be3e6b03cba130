// The subpath `legwork/openai-agents`: the catalogue as tools of the OpenAI Agents SDK. Needs `@openai/agents` beside Legwork.

import { randomUUID } from 'node:crypto'
import { type RunContext, type Tool, tool } from '@openai/agents'
import { isObject } from '../base/json.ts'
import type { Legwork } from '../legwork.ts'
import type { Refusal } from '../model/call.ts'
import type { Outcome } from '../model/outcome.ts'
import type { ToolKind } from '../model/tool.ts'
import { resultParts } from '../outcome/result-parts.ts'
import type { ParametersSchema } from '../toolcall/wire.ts'
import { type HowToRun, type Offered, type OfferOptions, offer } from './offered.ts'
import { notAsked, type SdkApprovals, type SdkCall, sdkApprovals } from './sdk-approvals.ts'

/** What asks becomes an interruption of the run; once it is approved there, exactly that call runs. */
export async function openAiAgentTools(legwork: Legwork, options: OfferOptions = {}): Promise<Tool[]> {
  const offered = await offer(legwork, 'openai-agents', options)
  const approvals = sdkApprovals(legwork)
  const always: AlwaysApproved = new WeakMap()
  const names = new Set<string>()
  const tools = offered.map(async (each) => {
    const name = plainName(each.name, names)
    return tool({
      name,
      description: each.description,
      parameters: openSchema(each.schema),
      strict: false,
      needsApproval: (await neverAsks(each)) ? false : needsApproval(each, name, approvals),
      execute: async (input: unknown, context, details) => {
        const call = { tool: each, id: details?.toolCall?.callId, input }
        const how = await answerTo(call, name, context, approvals, always)
        const outcome = await each.run(input, { signal: details?.signal, ...how })
        return shown(outcome, each.kind)
      },
    })
  })
  return Promise.all(tools)
}

/** The tools that a person has approved for the rest of a run, each with what they were told about it. */
type AlwaysApproved = WeakMap<RunContext, Map<string, string>>

/** The kinds of which every call is decided alike, whatever its input. */
const decidedAlike: ReadonlySet<ToolKind> = new Set(['function', 'mcp', 'document', 'contract'])

/** With a question that depends on the input, the SDK asks a person about every input that is no JSON as well. */
async function neverAsks({ kind, why }: Offered): Promise<boolean> {
  if (!decidedAlike.has(kind)) return false
  const known = await why()
  return known.ok && known.decision.verdict !== 'ask'
}

function needsApproval(each: Offered, toolName: string, approvals: SdkApprovals) {
  return async (context: RunContext, input: unknown, callId?: string): Promise<boolean> => {
    // A run that was stored and goes on: its question is asked already.
    if (callId !== undefined && context.isToolApproved({ toolName, callId })) return true
    return (await approvals.ask({ tool: each, id: callId, input })) !== undefined
  }
}

async function answerTo(
  call: SdkCall,
  toolName: string,
  context: RunContext | undefined,
  approvals: SdkApprovals,
  always: AlwaysApproved,
): Promise<HowToRun> {
  const isApproved = (callId: string) => context?.isToolApproved({ toolName, callId }) === true
  // An id that nobody has: only an approval for all further calls holds for it.
  const isForAll = isApproved(randomUUID())
  const why = await call.tool.why(call.input)
  const isAsked = why.ok && why.decision.verdict === 'ask'
  if (!isAsked || call.id === undefined || !isApproved(call.id)) return {}
  const told = why.decision.reasons.join(' ')
  const known = context && always.get(context)
  if (approvals.approve(call)) {
    if (context && isForAll) always.set(context, new Map([...(known ?? []), [toolName, told]]))
    return { approved: approvals.use(call) }
  }
  if (isForAll && known?.get(toolName) === told) return { approved: why.question }
  return { refusal: isForAll ? notAskedForAll(toolName) : notAsked(call) }
}

function notAskedForAll(toolName: string): Refusal {
  const message = `"${toolName}" was approved for all further calls, but not in this run of this Legwork: that holds for one run, for the question that was asked then, and is not kept with its state. Nothing ran. Approve each call by itself, or allow the tool by a rule.`
  return { code: 'denied', message }
}

function shown(outcome: Outcome, kind: ToolKind) {
  const parts = resultParts(outcome, kind)
  if (!parts) return outcome.text
  return parts.map((part) =>
    part.type === 'text' ? part : { type: part.type, image: { data: part.data, mediaType: part.mediaType } },
  )
}

/** The SDK makes `_` of every `-`; two names that become one are told apart by a number. */
function plainName(name: string, taken: Set<string>): string {
  const plain = name.replaceAll('-', '_')
  let free = plain
  for (let count = 2; taken.has(free); count++) free = `${plain.slice(0, 60)}_${count}`
  taken.add(free)
  return free
}

/** The engine checks; here a schema only tells the model what to write. */
function openSchema(schema: ParametersSchema) {
  const { properties, required = [], ...rest } = schema
  return {
    ...rest,
    type: 'object' as const,
    properties: isObject(properties) ? properties : {},
    required,
    additionalProperties: true as const,
  }
}
