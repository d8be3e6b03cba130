// The catalogue as tools of the AI SDK, for `generateText`, `streamText` and its agents. Nothing of the AI SDK is loaded here: what
// it takes are plain objects.

import type { Outcome } from '../model/outcome.ts'
import { type ResultPart, resultParts } from '../outcome/result-parts.ts'
import type { ParametersSchema } from '../toolcall/wire.ts'
import { type AiSdkMessage, isAnswered, refusalsIn } from './ai-sdk-messages.ts'
import { type Offered, type OfferingLegwork, type OfferOptions, offer } from './offered.ts'
import { notAsked, type SdkApprovals, sdkApprovals } from './sdk-approvals.ts'

export interface AiSdkTools {
  readonly tools: Record<string, AiSdkTool>
  /** The policy's answer before each call: what asks becomes the SDK's own question to a person. */
  readonly toolApproval: Record<string, AiSdkApproval>
}

export interface AiSdkTool {
  readonly description: string
  readonly inputSchema: AiSdkSchema
  readonly execute: (
    input: unknown,
    options: { readonly toolCallId: string; readonly abortSignal?: AbortSignal | undefined },
  ) => Promise<Outcome>
  /** The model reads the text of the outcome and sees its images; the program has the whole of it. */
  readonly toModelOutput: (result: { readonly output: Outcome }) => AiSdkOutput
}

export type AiSdkOutput = { type: 'text' | 'error-text'; value: string } | { type: 'content'; value: AiSdkPart[] }

export type AiSdkPart =
  | { type: 'text'; text: string }
  | { type: 'file'; mediaType: string; data: { type: 'data'; data: string } }

/** A Standard Schema that lets everything through: the engine checks, so that what it refuses is in the journal. */
export interface AiSdkSchema {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: 'legwork'
    readonly validate: (value: unknown) => { readonly value: unknown }
    readonly jsonSchema: {
      readonly input: (options?: unknown) => Record<string, unknown>
      readonly output: (options?: unknown) => Record<string, unknown>
    }
  }
}

export type AiSdkApproval = (
  input: unknown,
  options: { readonly toolCallId: string; readonly messages: readonly AiSdkMessage[] },
) => Promise<AiSdkApprovalStatus>

export type AiSdkApprovalStatus = 'not-applicable' | 'approved' | { type: 'user-approval' | 'denied'; reason: string }

export async function aiSdkTools(legwork: OfferingLegwork, options: OfferOptions = {}): Promise<AiSdkTools> {
  const offered = await offer(legwork, 'ai-sdk', options)
  const byName = new Map(offered.map((tool) => [tool.name, tool]))
  const approvals = sdkApprovals(legwork)
  return {
    tools: Object.fromEntries(offered.map((tool) => [tool.name, toTool(tool, approvals)])),
    toolApproval: Object.fromEntries(offered.map((tool) => [tool.name, approvalOf(tool, byName, approvals)])),
  }
}

function toTool(tool: Offered, approvals: SdkApprovals): AiSdkTool {
  return {
    description: tool.description,
    inputSchema: aiSdkSchema(tool.schema),
    execute: (input, { toolCallId, abortSignal }) => {
      const approved = approvals.hasOpen ? approvals.use({ tool, id: toolCallId, input }) : undefined
      return tool.run(input, { signal: abortSignal, approved })
    },
    toModelOutput: ({ output }) => {
      const parts = resultParts(output, tool.kind)
      if (parts) return { type: 'content', value: parts.map(toPart) }
      return { type: output.ok ? 'text' : 'error-text', value: output.text }
    },
  }
}

export function aiSdkSchema(schema: ParametersSchema): AiSdkSchema {
  // A copy each time: the SDK writes into what it gets.
  const copy = () => structuredClone(schema)
  return {
    '~standard': {
      version: 1,
      vendor: 'legwork',
      validate: (value) => ({ value }),
      jsonSchema: { input: copy, output: copy },
    },
  }
}

function toPart(part: ResultPart): AiSdkPart {
  if (part.type === 'text') return { ...part }
  return { type: 'file', mediaType: part.mediaType, data: { type: 'data', data: part.data } }
}

/** The SDK asks this twice: about a call of the model's, and again before it carries out what the messages say was approved. */
function approvalOf(tool: Offered, byName: ReadonlyMap<string, Offered>, approvals: SdkApprovals): AiSdkApproval {
  return async (input, { toolCallId, messages }) => {
    const call = { tool, id: toolCallId, input }
    await noteRefusals(messages, byName, approvals)
    if (isAnswered(messages, toolCallId)) {
      if (approvals.approve(call)) return 'approved'
      const { text } = await tool.run(input, { refusal: notAsked(call) })
      return { type: 'denied', reason: text }
    }
    const asked = await approvals.ask(call)
    // What is denied goes down the path all the same, so that the refusal is in the journal and the model reads why.
    return asked ? { type: 'user-approval', reason: asked.decision?.reasons.join(' ') ?? '' } : 'not-applicable'
  }
}

/** Nobody tells of a no when it is given, so it is looked for in the messages, and written down once. */
async function noteRefusals(
  messages: readonly AiSdkMessage[],
  byName: ReadonlyMap<string, Offered>,
  approvals: SdkApprovals,
): Promise<void> {
  if (!approvals.hasOpen) return
  for (const { toolCallId, toolName, input, reason } of refusalsIn(messages)) {
    const tool = byName.get(toolName)
    if (!tool || !approvals.refuse({ tool, id: toolCallId, input })) continue
    const message = reason ? `A person said no: ${reason}` : 'A person said no.'
    await tool.run(input, { refusal: { code: 'denied', message } })
  }
}
