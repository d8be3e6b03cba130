// What a tool can know of the block that calls it. It travels beside the call, so that every kind of tool takes the one path.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { BlockResult } from './block-result.ts'
import type { Document } from './document.ts'

export interface BlockExecutionContext {
  readonly currentBlockId: string
  /** The results of the blocks before this one, errors included, in the document's order. A view, not a copy. */
  readonly previousResults: ReadonlyMap<string, BlockResult>
  /** Frozen. */
  readonly document: Document
}

export interface BlockContext extends BlockExecutionContext {
  /** What the host lends to its tools. */
  readonly api?: unknown
  /** What a custom tool that is isolated was given to read: the documents that its caller mentioned. */
  readonly resources?: readonly Resource[]
  /** What the block says to its tool, and whom and what it mentions. */
  readonly said?: Said
}

/** Rich text as a tool is told it. */
export interface Said {
  readonly text: string
  readonly mentions: readonly SaidMention[]
  /** Where in the text values of variables stand, in order: whatever is written there is one value, and no more. Default nowhere. */
  readonly filled?: readonly TextRange[]
}

/** In UTF-16 units, the end exclusive. */
export interface TextRange {
  readonly start: number
  readonly end: number
}

/** `<mention:topic id="7">AI</mention:topic>` is of the type `topic`. */
export interface SaidMention {
  readonly type: string
  readonly id?: string
  readonly label: string
}

/** What stands behind a mention. */
export interface Resource extends SaidMention {
  readonly id: string
  readonly text: string
}

/** One for all copies of this package that are loaded, so that a tool's module may import another one than its host. */
const storage = shared()

/** The block that the tool running here was called from; undefined when it was not called from a document. */
export function currentBlock(): BlockContext | undefined {
  return storage.getStore()
}

export function withinBlock<T>(context: BlockContext, work: () => T): T {
  return storage.run(context, work)
}

function shared(): AsyncLocalStorage<BlockContext> {
  const key = Symbol.for('legwork.block-context')
  const global = globalThis as { [key]?: AsyncLocalStorage<BlockContext> }
  global[key] ??= new AsyncLocalStorage()
  return global[key]
}
