// The subpath `legwork/openai-agents`: the catalogue as tools of the OpenAI Agents SDK. Needs `@openai/agents` beside Legwork.

import { type Tool, tool } from '@openai/agents'
import { isObject } from '../base/json.ts'
import type { Legwork } from '../legwork.ts'
import type { ParametersSchema } from '../toolcall/wire.ts'
import { type OfferOptions, offer, SdkApprovals } from './offered.ts'

/** What asks becomes an interruption of the run; once it is approved there, exactly that call runs. */
export async function openAiAgentTools(legwork: Legwork, options: OfferOptions = {}): Promise<Tool[]> {
  const offered = await offer(legwork, 'openai-agents', options)
  const approvals = new SdkApprovals()
  const names = new Set<string>()
  return offered.map(({ name, description, schema, run }) =>
    tool({
      name: plainName(name, names),
      description,
      parameters: openSchema(schema),
      strict: false,
      needsApproval: async (_context: unknown, input: unknown, callId?: string) =>
        (await approvals.verdict(legwork, callId, name, input)).verdict === 'ask',
      execute: async (input: unknown, _context, details) => {
        const approve = approvals.answer(details?.toolCall?.callId, name, input)
        return (await run(input, { signal: details?.signal, approve })).text
      },
    }),
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
