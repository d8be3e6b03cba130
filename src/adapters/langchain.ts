// The subpath `legwork/langchain`: the whole catalogue as LangChain tools. Needs `@langchain/core` beside Legwork.

import { DynamicStructuredTool, type ToolRunnableConfig } from '@langchain/core/tools'
import type { Legwork } from '../legwork.ts'
import { LegworkError } from '../model/errors.ts'
import type { Failure, Outcome } from '../model/outcome.ts'
import { type OfferOptions, offer } from './offered.ts'

type LangChainSchema = DynamicStructuredTool['schema']

/** A call that failed or was refused. Its message is what the model is shown. */
export class ToolOutcomeError extends LegworkError {
  readonly outcome: Failure

  constructor(outcome: Failure) {
    super('execution-failed', outcome.text)
    this.outcome = outcome
  }
}

/**
 * The content of a tool message is the outcome's text, its artifact the whole outcome. LangChain checks arguments against the
 * schema before a tool hears of them, so what it refuses never becomes a call and stands in no journal.
 */
export async function langChainTools(legwork: Legwork, options: OfferOptions = {}): Promise<DynamicStructuredTool[]> {
  const offered = await offer(legwork, 'langchain', options)
  return offered.map(({ name, description, schema, run }) => {
    const func = async (
      input: unknown,
      _manager?: unknown,
      config?: ToolRunnableConfig,
    ): Promise<[string, Outcome]> => {
      const outcome = await run(input, { signal: config?.signal })
      if (!outcome.ok) throw new ToolOutcomeError(outcome)
      return [outcome.text, outcome]
    }
    const responseFormat = 'content_and_artifact'
    return new DynamicStructuredTool<LangChainSchema>({
      name,
      description,
      schema: asSchema(schema),
      responseFormat,
      func,
    })
  })
}

/** LangChain spells out each keyword's type; what comes from here is an object of plain parameters. */
function asSchema(schema: object): LangChainSchema {
  return schema as LangChainSchema
}
