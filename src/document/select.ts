// Which blocks of a document a run carries out, in the document's order.

import { didYouMean, nearest } from '../base/text.ts'
import { LegworkError } from '../model/errors.ts'
import type { Document, FunctionCallBlock, TriggerBlock } from './document.ts'
import type { ExecutionState } from './state.ts'

export type RunnableBlock = FunctionCallBlock | TriggerBlock

/** All blocks, or those that are named. */
export interface WholeDocument {
  /** Default `document`. */
  readonly mode?: 'document'
  /** Only from this block on. Default: from the first. */
  readonly from?: string
  /** Only these blocks. Default: all. */
  readonly only?: readonly string[]
  /** Not these blocks. Default: none. */
  readonly skip?: readonly string[]
  /** Whether triggers run too, as calls, where they stand. Default false: only those that `only` names. */
  readonly triggers?: boolean
}

/** One block, which sees the results stored for the blocks before it. */
export interface SingleBlock {
  readonly mode: 'single'
  readonly blockId: string
}

export type Selection = WholeDocument | SingleBlock

export interface Selected {
  /** Every block that could run, in order: those that do not may have a result that later ones see. */
  readonly blocks: readonly RunnableBlock[]
  readonly isWanted: (block: RunnableBlock) => boolean
  readonly warnings: readonly string[]
}

/** A block that nobody knows is misuse. What an earlier run did already, and was not asked for by name, is not done again. */
export function select(document: Document, selection: Selection, earlier: ExecutionState | undefined): Selected {
  const blocks = inOrder(document)
  const known = new Map(blocks.map((block, at) => [block.id, at]))
  const at = (id: string): number => known.get(id) ?? unknownBlock(document, id, [...known.keys()])
  if (selection.mode === 'single') {
    const block = blocks[at(selection.blockId)]
    return { blocks, isWanted: (each) => each === block && isEnabled(each), warnings: disabled(block) }
  }
  const { from, only, skip = [], triggers = false } = selection
  for (const id of [...(only ?? []), ...skip]) at(id)
  const first = from === undefined ? 0 : at(from)
  const named = only && new Set(only)
  const skipped = new Set(skip)
  const isNew = (id: string) => from !== undefined || named !== undefined || !isDone(earlier, id)
  const isMeant = ({ kind, id }: RunnableBlock) => (named ? named.has(id) : kind === 'call' || triggers)
  return {
    blocks,
    isWanted: (block) =>
      isEnabled(block) &&
      isMeant(block) &&
      !skipped.has(block.id) &&
      (known.get(block.id) ?? 0) >= first &&
      isNew(block.id),
    warnings: blocks.filter(({ id }) => named?.has(id)).flatMap(disabled),
  }
}

function inOrder({ calls, triggers }: Document): readonly RunnableBlock[] {
  if (triggers.length === 0) return calls
  return [...calls, ...triggers].sort((a, b) => a.source.start - b.source.start)
}

function isEnabled(block: RunnableBlock): boolean {
  return block.kind === 'call' || block.enabled
}

function disabled(block: RunnableBlock | undefined): string[] {
  if (!block || isEnabled(block)) return []
  return [`The trigger "${block.id}" did not run: it says enabled="false".`]
}

/** A block that was given up counts as one that did not run. */
function isDone(earlier: ExecutionState | undefined, id: string): boolean {
  const result = earlier?.blocks.get(id)
  return result !== undefined && result.error?.code !== 'cancelled'
}

function unknownBlock(document: Document, id: string, ids: readonly string[]): never {
  const other = document.block(id)
  const why = other
    ? `The block "${id}" is a <${other.element}> that does not run by itself.`
    : `The document has no block "${id}".`
  throw new LegworkError('unknown-block', `${why}${didYouMean(nearest(id, ids)) || someOf(ids)}`)
}

function someOf(ids: readonly string[]): string {
  if (ids.length === 0) return ' It has no block that runs.'
  const shown = ids.slice(0, 5).map((id) => `"${id}"`)
  return ` The blocks that run are ${shown.join(', ')}${ids.length > shown.length ? ', …' : ''}.`
}
