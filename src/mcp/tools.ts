// A server's tools as the catalogue takes them.

import { isObject, messageOf } from '../base/json.ts'
import { anySchema, type Schema } from '../model/schema.ts'
import type { Loaded, Ran, RunContext, ToolDefinition } from '../model/tool.ts'
import { visibleText } from '../outcome/visible.ts'
import { wildcard } from '../policy/wildcard.ts'
import { effectsOf } from './effects.ts'
import { type Listed, type ListedTool, some } from './list.ts'
import type { PinnedTool, PinState } from './pins-types.ts'
import type { McpSettings } from './settings.ts'

export type CallTool = (tool: ListedTool, input: Record<string, unknown>, context: RunContext) => Promise<Ran>

/** Everything that the server lists and that the owner wants, with what is odd about it. */
export async function toolsOf(server: string, listed: Listed, settings: McpSettings, call: CallTool): Promise<Loaded> {
  const { pin = 'ask', pins, module = server } = settings
  const warnings = new Set(listed.warnings)
  if (module !== server) warnings.add(`Another server has the plain name, so its tools are called "${module}" here.`)
  const wanted = listed.tools.filter(isWanted(settings))
  const states = pin === 'off' ? undefined : await pins?.check(server, wanted.map(pinned))
  const tools = wanted.map((tool) => {
    const guard = guarded(server, tool, states?.get(tool.name), settings)
    if (guard?.warning !== undefined) warnings.add(guard.warning)
    return definition(server, tool, settings, guard, call)
  })
  const unchecked = wanted.filter(({ inputSchema }) => !isObject(inputSchema)).map(({ name }) => name)
  if (unchecked.length)
    warnings.add(`Without a usable input schema, so that any input is passed on: ${some(unchecked)}.`)
  return { tools, warnings: Array.from(warnings, (warning) => visibleText(`server ${server}: ${warning}`)) }
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
  settings: McpSettings,
  guard: Guard | undefined,
  call: CallTool,
): ToolDefinition {
  const { trust = 'community', names = 'prefixed', module = server } = settings
  const { name, inputSchema, outputSchema, annotations } = tool
  return {
    name: names === 'plain' ? { path: [name] } : { module, path: [name] },
    kind: 'mcp',
    description: descriptionOf(tool),
    input: schemaOf(inputSchema),
    ...(isObject(outputSchema) && { output: schemaOf(outputSchema) }),
    effects: effectsOf(annotations, trust),
    trust,
    fingerprint: () => JSON.stringify([placeOf(settings), pinned(tool)]),
    ...(guard && { plan: () => ({ ok: true, plan: { questions: guard.questions() } }) }),
    run: async (input, context) => {
      if (!isObject(input)) return noObject
      if (guard) await guard.accept()
      return call(tool, input, context)
    },
  }
}

/** What is started, or where it is. */
export function placeOf(settings: McpSettings): unknown {
  if ('url' in settings) return { url: settings.url }
  const { command, args, env, cwd } = settings
  return { command, args, env, cwd }
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
  readonly accept: () => Promise<void>
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
  if (pin === 'warn') return { warning: state.difference, questions: () => [], accept: async () => {} }
  let isAccepted = false
  let fault = ''
  // A yes that cannot be kept is good for the one call.
  const accept = async () => {
    if (isAccepted) return
    try {
      await pins?.accept(server, pinned(tool))
      isAccepted = true
    } catch (error) {
      fault = `\nThe last yes could not be kept: ${messageOf(error)}`
    }
  }
  return { questions: () => (isAccepted ? [] : [`${state.difference}${fault}`]), accept }
}

/** All of a tool that counts. */
export function pinned(tool: ListedTool): PinnedTool {
  const { name, inputSchema, outputSchema, annotations } = tool
  return {
    name,
    description: descriptionOf(tool),
    inputSchema,
    ...(outputSchema !== undefined && { outputSchema }),
    ...(annotations !== undefined && { annotations }),
  }
}
