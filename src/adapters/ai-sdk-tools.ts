// The catalogue as tools of the AI SDK, for `generateText`, `streamText` and its agents. Nothing of the AI SDK is loaded here: what
// it takes are plain objects.

import type { Outcome } from '../model/outcome.ts'
import type { ParametersSchema } from '../toolcall/wire.ts'
import { type Offered, type OfferingLegwork, type OfferOptions, offer, SdkApprovals } from './offered.ts'

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
  /** The model reads the text of the outcome; the program has the whole of it. */
  readonly toModelOutput: (result: { readonly output: Outcome }) => {
    readonly type: 'text' | 'error-text'
    readonly value: string
  }
}

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
  options: { readonly toolCallId: string },
) => Promise<'approved' | 'user-approval'>

export async function aiSdkTools(legwork: OfferingLegwork, options: OfferOptions = {}): Promise<AiSdkTools> {
  const offered = await offer(legwork, 'ai-sdk', options)
  const approvals = new SdkApprovals()
  return {
    tools: Object.fromEntries(offered.map((tool) => [tool.name, toTool(tool, approvals)])),
    toolApproval: Object.fromEntries(offered.map(({ name }) => [name, approvalOf(legwork, name, approvals)])),
  }
}

function toTool({ name, description, schema, run }: Offered, approvals: SdkApprovals): AiSdkTool {
  return {
    description,
    inputSchema: aiSdkSchema(schema),
    execute: (input, { toolCallId, abortSignal }) =>
      run(input, { signal: abortSignal, approve: approvals.answer(toolCallId, name, input) }),
    toModelOutput: ({ output }) => ({ type: output.ok ? 'text' : 'error-text', value: output.text }),
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

function approvalOf(legwork: OfferingLegwork, name: string, approvals: SdkApprovals): AiSdkApproval {
  return async (input, { toolCallId }) => {
    const { verdict } = await approvals.verdict(legwork, toolCallId, name, input)
    // What is denied goes down the path all the same, so that the refusal is in the journal and the model reads why.
    return verdict === 'ask' ? 'user-approval' : 'approved'
  }
}
