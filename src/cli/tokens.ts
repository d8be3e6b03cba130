// `legwork tools --tokens`: what the tools cost a model before it has called any, all of them or the few that stand for them.

import { estimateTokens } from '../base/tokens.ts'
import { metaTools } from '../gateway/meta-tools.ts'
import type { ToolDescription } from '../model/tool.ts'
import { compileTools } from '../toolcall/compile.ts'
import { columns, print, printJson } from './print.ts'
import type { Globals } from './program.ts'

export interface TokenCost {
  readonly direct: ListCost
  readonly meta: ListCost
  /** The dearest first. */
  readonly tools: readonly { readonly id: string; readonly source: string; readonly tokens: number }[]
}

interface ListCost {
  readonly tools: number
  readonly tokens: number
}

/** Each tool as a model reads it: its name, its description and the schema of its input. */
export function tokenCost(tools: readonly ToolDescription[]): TokenCost {
  const costs = compileTools('anthropic', tools).map((compiled) => estimateTokens(JSON.stringify(compiled)))
  const priced = tools.map(({ id, source }, at) => ({ id, source, tokens: costs[at] ?? 0 }))
  const meta = metaTools.map(({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema }))
  return {
    direct: { tools: tools.length, tokens: sum(costs) },
    meta: { tools: meta.length, tokens: sum(meta.map((tool) => estimateTokens(JSON.stringify(tool)))) },
    tools: priced.toSorted((a, b) => b.tokens - a.tokens || a.id.localeCompare(b.id)),
  }
}

export function printTokens(tools: readonly ToolDescription[], { json }: Globals): number {
  const cost = tokenCost(tools)
  if (json) {
    printJson(cost)
    return 0
  }
  const row = (name: string, tokens: number, about: string) => [name, `about ${tokens} tokens`, about]
  const lists = (['direct', 'meta'] as const).map((name) => row(name, cost[name].tokens, `${cost[name].tools} tools`))
  for (const line of columns(lists)) print(line)
  const dearest = cost.tools.slice(0, shown)
  for (const line of columns(dearest.map(({ id, tokens, source }) => row(id, tokens, source)))) print(`  ${line}`)
  if (cost.tools.length > shown) print(`  and ${cost.tools.length - shown} more; --json lists them all.`)
  return 0
}

const shown = 10

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
