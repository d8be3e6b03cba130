// The subpath `legwork/langchain`: the whole catalogue as LangChain tools. Needs `@langchain/core` beside Legwork.

import { DynamicStructuredTool, type ToolRunnableConfig } from '@langchain/core/tools'
import type { Legwork } from '../legwork.ts'
import { LegworkError } from '../model/errors.ts'
import type { Failure, Outcome } from '../model/outcome.ts'
import { type ResultPart, resultParts } from '../outcome/result-parts.ts'
import { type LangChainSchema, langChainSchema } from './langchain-schema.ts'
import { type OfferOptions, offer } from './offered.ts'

/** A call that failed or was refused. Its message is what the model is shown. */
export class ToolOutcomeError extends LegworkError {
  readonly outcome: Failure

  constructor(outcome: Failure) {
    super('execution-failed', outcome.text)
    this.outcome = outcome
  }
}

/**
 * The content of a tool message is the outcome's text, with the images in it as images; its artifact is the whole outcome.
 * LangChain checks arguments against the schema before a tool hears of them, so what it refuses never becomes a call and stands in
 * no journal.
 */
export async function langChainTools(legwork: Legwork, options: OfferOptions = {}): Promise<DynamicStructuredTool[]> {
  const offered = await offer(legwork, 'langchain', options)
  return offered.map(({ name, kind, description, schema, run }) => {
    const func = async (
      input: unknown,
      _manager?: unknown,
      config?: ToolRunnableConfig,
    ): Promise<[string | LangChainBlock[], Outcome]> => {
      const outcome = await run(input, { signal: config?.signal })
      if (!outcome.ok) throw new ToolOutcomeError(outcome)
      return [resultParts(outcome, kind)?.map(toBlock) ?? outcome.text, outcome]
    }
    const responseFormat = 'content_and_artifact'
    return new DynamicStructuredTool<LangChainSchema>({
      name,
      description,
      schema: langChainSchema(schema),
      responseFormat,
      func,
    })
  })
}

/** As the models of most providers take them, and those of the others after LangChain's own translation. */
type LangChainBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } }

function toBlock(part: ResultPart): LangChainBlock {
  if (part.type === 'text') return part
  return { type: 'image_url', image_url: { url: `data:${part.mediaType};base64,${part.data}` } }
}
