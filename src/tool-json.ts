// A tool as programs read it, from the command line and from the gateway.

import type { ToolDescription } from './model/tool.ts'
import { jsonSchemaOf } from './validate/json-schema-of.ts'

export function toolJson(tool: ToolDescription) {
  const { id, kind, description, effects, trust, source, spellings } = tool
  return { id, kind, description, effects, trust, source, spellings, input: jsonSchemaOf(tool.input) }
}
