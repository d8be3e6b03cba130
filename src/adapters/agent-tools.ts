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

export interface AgentTools {
  /** By the names that the model knows them by. */
  readonly tools: ReadonlyMap<string, AgentTool>
  readonly warnings: readonly string[]
}

/** Providers take no more. */
const mostTools = 128

/** What there is now. Of a name that is taken, the agent's own tool counts. */
export async function agentTools(host: AgentHost, document: Document, caller: Caller): Promise<AgentTools> {
  const patterns = document.attributes.tools?.split(/[\s,]+/).filter(Boolean)
  const { tools: found, unmatched } = await catalogueTools(host, patterns, caller)
  const warnings: string[] = []
  const tools = new Map(
    [...found, ...ownTools(host, document, caller, warnings)].map(({ name, description, schema, run }) => {
      return [name, { name, ...host.redactor.value({ description, schema }), run }]
    }),
  )
  warnings.push(...unmatched.map((pattern) => `The agent's tools "${pattern}" match none that it may call.`))
  if (tools.size > mostTools) {
    const advice = patterns ? 'Name fewer.' : 'Name those that it needs: <agent tools="git:* demo:echo">.'
    warnings.push(`The agent has ${tools.size} tools, and most models take at most ${mostTools}. ${advice}`)
  }
  return { tools, warnings }
}

async function catalogueTools(host: AgentHost, patterns: readonly string[] = ['*'], caller: Caller) {
  const rules = patterns.map((pattern) => ({ pattern, matches: wildcard(pattern) }))
  const allowed: ToolDescription[] = []
  const matched = new Set(['*'])
  for (const tool of await host.tools()) {
    const fitting = rules.filter(({ matches }) => matches(tool.id))
    if (fitting.length === 0) continue
    const why = await host.why({ tool: tool.id, caller })
    if (!why.ok || why.decision.verdict === 'deny') continue
    allowed.push(tool)
    for (const { pattern } of fitting) matched.add(pattern)
  }
  const tools = allowed.flatMap((tool) =>
    compileTools('anthropic', [tool]).map(({ name, description, input_schema: schema }): AgentTool => {
      const run: AgentTool['run'] = (input, context) => context.call({ tool: name, input, caller })
      return { name, description, schema, run }
    }),
  )
  return { tools, unmatched: patterns.filter((pattern) => !matched.has(pattern)) }
}

function ownTools(host: AgentHost, document: Document, caller: Caller, warnings: string[]): readonly AgentTool[] {
  const allowed = host
    .toolsOf(document, warnings)
    .filter((definition) => host.whyTool(definition, caller).verdict !== 'deny')
  return allowed.flatMap((definition) => {
    const { spellings } = spell(definition.kind, definition.name, () => false)
    return compileTools('anthropic', [{ ...definition, spellings }]).map(
      ({ name, description, input_schema: schema }) => {
        return { name, description, schema, run: (input, context) => context.callTool(definition, { input, caller }) }
      },
    )
  })
}
