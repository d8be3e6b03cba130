// What LangChain takes for a tool's schema.

import type { DynamicStructuredTool } from '@langchain/core/tools'
import type { JsonSchema } from '../model/schema.ts'

export type LangChainSchema = DynamicStructuredTool['schema']

/** LangChain spells out each keyword's type; what comes from here is an object of plain parameters. */
export function langChainSchema(schema: JsonSchema): LangChainSchema {
  return schema as LangChainSchema
}
