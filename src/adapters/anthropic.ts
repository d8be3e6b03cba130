// The subpath `legwork/anthropic`: the catalogue as tools for the tool runner of Anthropic's SDK. Nothing of it is loaded here.

import type { Legwork } from '../legwork.ts'
import { LegworkError } from '../model/errors.ts'
import { resultParts } from '../outcome/result-parts.ts'
import { anthropicPart } from '../toolcall/result.ts'
import type { AnthropicContent, ParametersSchema } from '../toolcall/wire.ts'
import { type OfferOptions, offer } from './offered.ts'

export interface AnthropicRunnableTool {
  name: string
  description: string
  input_schema: ParametersSchema
  run: (input: unknown, context?: { signal?: AbortSignal | null | undefined }) => Promise<string | AnthropicContent[]>
  parse: (content: unknown) => unknown
}

/** The runner has no question of its own: what asks is asked by Legwork's approval handler. */
export async function anthropicTools(legwork: Legwork, options: OfferOptions = {}): Promise<AnthropicRunnableTool[]> {
  const offered = await offer(legwork, 'anthropic', options)
  return offered.map(({ name, kind, description, schema, run }) => ({
    name,
    description,
    input_schema: schema,
    parse: (content) => content,
    run: async (input, context) => {
      const outcome = await run(input, { signal: context?.signal ?? undefined })
      // A throw is how a runnable tool tells the model of a failure; the text is redacted like every other.
      if (!outcome.ok) throw new LegworkError('execution-failed', outcome.text)
      return resultParts(outcome, kind)?.map(anthropicPart) ?? outcome.text
    },
  }))
}
