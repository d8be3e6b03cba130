// What an agent hands down to the tools that it calls: who it is, what was said, what its tools gave. It travels beside the call, as
// the block does, and a tool that is isolated starts without it.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { Document, ToolBlock } from './document.ts'

export interface InheritedContext {
  /** Who the agent is and how it speaks: its system prompt. */
  readonly instructions?: string
  /** What was said so far, the oldest first. */
  readonly conversation?: readonly Utterance[]
  /** The document that the agent works on. */
  readonly document?: Document
  /** What its tools gave so far, the oldest first. */
  readonly results?: readonly ToolResult[]
  /** Told what each block of a custom tool gave, as it ends, unless the tool is isolated: so it becomes part of the conversation. */
  readonly heard?: (result: ToolResult) => void
}

export interface Utterance {
  readonly role: 'user' | 'assistant'
  readonly text: string
}

export interface ToolResult {
  readonly tool: string
  readonly ok: boolean
  /** As a model is shown it. */
  readonly text: string
}

interface Store {
  readonly inherited: InheritedContext
  /** The custom tools that are running around this one, the outermost first. */
  readonly running: readonly ToolBlock[]
  /** Whether the owner has the next custom tool run apart. */
  readonly isolated?: boolean
}

const storage = new AsyncLocalStorage<Store>()
const nothing: Store = { inherited: {}, running: [] }

/** Whatever is called in `work` inherits this. */
export function withInherited<T>(inherited: InheritedContext, work: () => T): T {
  return storage.run({ ...current(), inherited }, work)
}

export function inheritedContext(): InheritedContext {
  return current().inherited
}

/** The custom tool that is called in `work` runs apart; those that it calls, as they say. */
export function withIsolation<T>(work: () => T): T {
  return storage.run({ ...current(), isolated: true }, work)
}

export function wantsIsolation(): boolean {
  return current().isolated === true
}

export function withinTool<T>(tool: ToolBlock, inherited: InheritedContext, work: () => T): T {
  return storage.run({ inherited, running: [...current().running, tool] }, work)
}

/** The way from a custom tool back to itself, when it is running already. */
export function cycleTo(tool: ToolBlock): readonly ToolBlock[] | undefined {
  const { running } = current()
  const at = running.indexOf(tool)
  return at < 0 ? undefined : [...running.slice(at), tool]
}

function current(): Store {
  return storage.getStore() ?? nothing
}
