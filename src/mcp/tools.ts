// A server's tools as the catalogue takes them.

import { isObject } from '../base/json.ts'
import { anySchema, type Schema } from '../model/schema.ts'
import type { Loaded, Ran, RunContext, ToolDefinition } from '../model/tool.ts'
import { wildcard } from '../policy/wildcard.ts'
import { effectsOf } from './effects.ts'
import { type Listed, type ListedTool, some } from './list.ts'
import type { PinnedTool, PinState } from './pins-types.ts'
import type { McpSettings } from './settings.ts'

export type CallTool = (tool: ListedTool, input: Record<string, unknown>, context: RunContext) => Promise<Ran>

/** Everything that the server lists and that the owner wants, with what is odd about it. */
export function toolsOf(server: string, listed: Listed, settings: McpSettings, call: CallTool): Loaded {
  const { pin = 'ask', pins } = settings
  const warnings = [...listed.warnings]
  const wanted = listed.tools.filter(isWanted(settings))
  const states = pin === 'off' ? undefined : pins?.check(server, wanted.map(pinned))
  warnings.push(...(pins?.warnings?.() ?? []))
  const tools = wanted.map((tool) => {
    const guard = guarded(server, tool, states?.get(tool.name), settings)
    if (guard?.warning !== undefined) warnings.push(guard.warning)
    return definition(server, tool, settings, guard, call)
  })
  const unchecked = wanted.filter(({ inputSchema }) => !isObject(inputSchema)).map(({ name }) => name)
  if (unchecked.length)
    warnings.push(`Without a usable input schema, so that any input is passed on: ${some(unchecked)}.`)
  return { tools, warnings: warnings.map((warning) => `server ${server}: ${warning}`) }
}

/** By the server's own names. */
function isWanted({ include = [], exclude = [] }: McpSettings): (tool: ListedTool) => boolean {
  const taken = include.map(wildcard)
  const left = exclude.map(wildcard)
  return ({ name }) => (taken.length === 0 || taken.some((fits) => fits(name))) && !left.some((fits) => fits(name))
}

function definition(
  server: string,
  tool: ListedTool,
  { trust = 'community', names = 'prefixed' }: McpSettings,
  guard: Guard | undefined,
  call: CallTool,
): ToolDefinition {
  const { name, inputSchema, outputSchema, annotations } = tool
  return {
    name: names === 'plain' ? { path: [name] } : { module: server, path: [name] },
    kind: 'mcp',
    description: descriptionOf(tool),
    input: schemaOf(inputSchema),
    ...(isObject(outputSchema) && { output: schemaOf(outputSchema) }),
    effects: effectsOf(annotations, trust),
    trust,
    ...(guard && { plan: () => ({ ok: true, plan: { questions: guard.questions() } }) }),
    run: async (input, context) => {
      if (!isObject(input)) return noObject
      guard?.accept()
      return call(tool, input, context)
    },
  }
}

const noObject: Ran = {
  ok: false,
  code: 'invalid-input',
  message: 'A tool of an MCP server takes an object.',
  issues: [{ path: '', code: 'INVALID_TYPE', message: 'Write an object.' }],
}

function descriptionOf({ description, title }: ListedTool): string {
  return [description, title].find((text) => typeof text === 'string' && text !== '')?.toString() ?? ''
}

function schemaOf(schema: unknown): Schema {
  return isObject(schema) ? { type: 'json', schema } : anySchema
}

/** What stands between a tool that has changed and its next run. */
interface Guard {
  readonly warning?: string
  /** What a person is asked first. */
  readonly questions: () => readonly string[]
  /** It runs, so whoever was asked has said yes. */
  readonly accept: () => void
}

/** Nothing for a tool that is as it was. */
function guarded(
  server: string,
  tool: ListedTool,
  state: PinState | undefined,
  { pin, pins }: McpSettings,
): Guard | undefined {
  if (state?.state !== 'changed') return undefined
  // Nobody is asked, so nobody has accepted it.
  if (pin === 'warn') return { warning: state.difference, questions: () => [], accept: () => {} }
  let isAccepted = false
  const accept = () => {
    if (isAccepted) return
    isAccepted = true
    pins?.accept(server, pinned(tool))
  }
  return { questions: () => (isAccepted ? [] : [state.difference]), accept }
}

function pinned(tool: ListedTool): PinnedTool {
  const { name, inputSchema, outputSchema, annotations } = tool
  return {
    name,
    description: descriptionOf(tool),
    inputSchema,
    ...(outputSchema !== undefined && { outputSchema }),
    ...(annotations !== undefined && { annotations }),
  }
}
