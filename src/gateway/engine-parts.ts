// A gateway in front of an engine and its catalogue, with the module that scripts import.

import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Engine } from '../engine/engine.ts'
import { describeTool } from '../model/tool.ts'
import { clientModule } from '../toolscript/client.ts'
import { declarations } from '../toolscript/declarations.ts'
import type { GatewayParts } from './parts.ts'

/** What a gateway, or the runs' listener alone, needs of them. */
export function engineParts(
  { execute, executeTool }: Pick<Engine, 'execute' | 'executeTool'>,
  catalogue: Catalogue,
): GatewayParts {
  return {
    tools: async () => (await catalogue.list()).map(describeTool),
    search: async (words, most) => (await catalogue.search(words, most)).map(describeTool),
    execute: (call, listener) => execute(call, listener),
    executeTool: (definition, call, listener) => executeTool(definition, call, listener),
    onChange: (listener) => catalogue.onChange(listener),
    runtime: { client: (tools) => clientModule(tools), declarations },
  }
}
