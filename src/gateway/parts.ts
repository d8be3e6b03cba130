// What a gateway is made of. It knows the catalogue and the one path only as functions.

import type { Upstream } from '../mcp/upstream.ts'
import type { Call } from '../model/call.ts'
import type { Listener } from '../model/event.ts'
import type { LargeResults } from '../model/large-result.ts'
import type { Outcome } from '../model/outcome.ts'
import type { ToolDefinition, ToolDescription } from '../model/tool.ts'

export interface GatewayParts {
  readonly tools: () => Promise<readonly ToolDescription[]>
  /** The tools that fit some words, best first. */
  readonly search: (words: string, most?: number) => Promise<readonly ToolDescription[]>
  /** The one path. */
  readonly execute: (call: Call, listener?: Listener) => Promise<Outcome>
  /** The one path for a tool that is in no catalogue: a run that a client asks for. */
  readonly executeTool: (definition: ToolDefinition, call: Omit<Call, 'tool'>, listener?: Listener) => Promise<Outcome>
  /** Calls the listener whenever the tools change, until the returned function is called. */
  readonly onChange: (listener: () => void) => () => void
  readonly runtime: Runtime
  /** Keeps results that are too long for a client. Default: they are handed over as they are. */
  readonly results?: LargeResults
  /** Runs a toolscript. Default: MCP clients cannot run any. */
  readonly script?: (source: string, options: ScriptCall) => Promise<Outcome>
  /** The MCP servers whose resources and prompts are passed on. Default none. */
  readonly upstreams?: readonly Upstream[]
  /** The skills to serve, by name and folder. Default none. */
  readonly skills?: () => readonly SkillFolder[]
  /** What an MCP client sees. Default `auto`. */
  readonly expose?: 'direct' | 'meta' | 'auto' | undefined
}

export type ScriptCall = Pick<Call, 'caller' | 'signal' | 'timeoutMs' | 'approve' | 'client'> & {
  /** Lets it call only tools that are known to change nothing. */
  readonly readOnly: boolean
}

export interface SkillFolder {
  readonly name: string
  readonly base: string
}

/** What scripts import, made from the tools there are. */
export interface Runtime {
  /** The client as JavaScript; it calls the gateway that it came from. */
  readonly client: (tools: readonly ToolDescription[]) => string | Promise<string>
  /** Its types as TypeScript declarations. */
  readonly declarations: (tools: readonly ToolDescription[]) => string | Promise<string>
}

export interface RuntimeText {
  readonly client: () => Promise<string>
  readonly declarations: () => Promise<string>
  /** Stops listening for changes. */
  readonly close: () => void
}

/** Both texts, made once for as long as the tools stay the same: with many tools they are large. */
export function runtimeText({
  tools,
  onChange,
  runtime,
}: Pick<GatewayParts, 'tools' | 'onChange' | 'runtime'>): RuntimeText {
  const kept = new Map<keyof Runtime, Promise<string>>()
  const text = (name: keyof Runtime) => async () => {
    const known = kept.get(name)
    if (known) return known
    const made = tools().then(runtime[name])
    kept.set(name, made)
    made.catch(() => kept.delete(name))
    return made
  }
  const close = onChange(() => kept.clear())
  return { client: text('client'), declarations: text('declarations'), close }
}
