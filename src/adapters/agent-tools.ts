// What an agent may call: the tools that its own document defines, and those of the catalogue that it names and the policy does not
// deny. Nothing else is offered to its model.

import type { Document } from '../document/document.ts'
import type { Caller } from '../model/call.ts'
import { spell } from '../model/name.ts'
import type { Outcome } from '../model/outcome.ts'
import type { RunContext, ToolDescription } from '../model/tool.ts'
import { wildcard } from '../policy/wildcard.ts'
import { compileTools } from '../toolcall/compile.ts'
import type { ParametersSchema } from '../toolcall/wire.ts'
import type { AgentHost } from './agent.ts'

/** One tool, in the words that go to a model. */
export interface AgentTool {
  readonly name: string
  readonly description: string
  readonly schema: ParametersSchema
  readonly run: (input: unknown, context: RunContext) => Promise<Outcome>
}

/** Of a name that is taken, the agent's own tool counts. */
export async function agentTools(
  host: AgentHost,
  document: Document,
  caller: Caller,
): Promise<ReadonlyMap<string, AgentTool>> {
  const tools = [...(await catalogueTools(host, document, caller)), ...ownTools(host, document, caller)]
  return new Map(
    tools.map(({ name, description, schema, run }) => {
      return [name, { name, ...host.redactor.value({ description, schema }), run }]
    }),
  )
}

/** Providers take no more. */
const mostTools = 128

export function offeredWarnings(document: Document, tools: ReadonlyMap<string, AgentTool>): readonly string[] {
  if (tools.size <= mostTools) return []
  const advice =
    document.attributes.tools === undefined
      ? 'Name those that it needs: <agent tools="git:* demo:echo">.'
      : 'Name fewer.'
  return [`The agent has ${tools.size} tools, and most models take at most ${mostTools}. ${advice}`]
}

async function catalogueTools(host: AgentHost, document: Document, caller: Caller): Promise<readonly AgentTool[]> {
  const named = document.attributes.tools?.split(/[\s,]+/).filter(Boolean)
  const patterns = named?.map(wildcard)
  const allowed = new Set<string>()
  for (const { id } of await host.tools()) {
    if (patterns && !patterns.some((matches) => matches(id))) continue
    const why = await host.why({ tool: id, caller })
    if (why.ok && why.decision.verdict !== 'deny') allowed.add(id)
  }
  const only = ({ id }: ToolDescription) => allowed.has(id)
  const compiled = await host.tools('anthropic', { only })
  return compiled.map(({ name, description, input_schema: schema }) => {
    return { name, description, schema, run: (input, context) => context.call({ tool: name, input, caller }) }
  })
}

function ownTools(host: AgentHost, document: Document, caller: Caller): readonly AgentTool[] {
  return host.toolsOf(document).flatMap((definition) => {
    const { spellings } = spell(definition.kind, definition.name, () => false)
    return compileTools('anthropic', [{ ...definition, spellings }]).map(
      ({ name, description, input_schema: schema }) => {
        return { name, description, schema, run: (input, context) => context.callTool(definition, { input, caller }) }
      },
    )
  })
}
