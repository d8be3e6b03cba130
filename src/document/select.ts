// Which blocks of a document a run carries out, in the document's order.

import { didYouMean, nearest } from '../base/text.ts'
import { shown } from '../model/effect-faults.ts'
import { LegworkError } from '../model/errors.ts'
import { type BlockResult, readResult } from './block-result.ts'
import { storedResult } from './call-parts.ts'
import type { Document, RunnableBlock } from './document.ts'
import { Fingerprints, resultHash, runnableBlocks } from './result-hash.ts'
import type { ExecutionState } from './state.ts'

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
  /** Whether it would run, had an earlier run not done it. Default: none would. */
  readonly isDone?: (block: RunnableBlock) => boolean
  readonly warnings: readonly string[]
}

/**
 * A block that nobody knows is misuse. What an earlier run did already, and was not asked for by name, is not done again, unless the
 * block or a result that it used is another by now.
 */
export function select(document: Document, selection: Selection, earlier: ExecutionState | undefined): Selected {
  checkSelection(selection)
  const blocks = runnableBlocks(document)
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
  const isNamed = ({ kind, id }: RunnableBlock) => (named ? named.has(id) : kind === 'call' || triggers)
  const isMeant = (block: RunnableBlock) =>
    isEnabled(block) && isNamed(block) && !skipped.has(block.id) && (known.get(block.id) ?? 0) >= first
  const isAsked = from !== undefined || named !== undefined
  const done = isAsked || !earlier ? new Set<string>() : doneBefore(document, blocks, isMeant, earlier)
  return {
    blocks,
    isWanted: (block) => isMeant(block) && !done.has(block.id),
    isDone: (block) => done.has(block.id),
    warnings: blocks.filter(({ id }) => named?.has(id)).flatMap(disabled),
  }
}

/** For callers without a type checker. */
function checkSelection(selection: Selection): void {
  const given: Readonly<Record<string, unknown>> = { ...selection }
  const { mode = 'document' } = given
  if (mode !== 'document' && mode !== 'single') {
    throw invalidOptions(`The mode is ${shown(mode)}. Write "document" or "single".`)
  }
  if (mode === 'single' && typeof given.blockId !== 'string') {
    throw invalidOptions('The mode "single" needs a "blockId", which says which block.')
  }
  for (const name of ['only', 'skip']) {
    const ids = given[name]
    if (ids !== undefined && !Array.isArray(ids)) throw invalidOptions(`"${name}" is no list of ids.`)
  }
}

function invalidOptions(message: string): LegworkError {
  return new LegworkError('invalid-options', message)
}

function isEnabled(block: RunnableBlock): boolean {
  return block.kind === 'call' || block.enabled
}

function disabled(block: RunnableBlock | undefined): string[] {
  if (!block || isEnabled(block)) return []
  return [`The trigger "${block.id}" did not run: it says enabled="false".`]
}

/** What an earlier run did, and would do again in the same way. */
function doneBefore(
  document: Document,
  blocks: readonly RunnableBlock[],
  isMeant: (block: RunnableBlock) => boolean,
  earlier: ExecutionState,
): ReadonlySet<string> {
  const done = new Set<string>()
  const again = new Set<string>()
  const prints = new Fingerprints(blocks, (id) => {
    const result = earlier.blocks.get(id)
    const block = document.block(id)
    if (result) return readResult(result)
    return block && 'result' in block ? storedResult(block) : undefined
  })
  for (const block of blocks.filter(isMeant)) {
    const result = earlier.blocks.get(block.id)
    const isDone = result && !isGivenUp(result) && isSame(document, block, result, prints) && !usesAny(result, again)
    if (isDone) done.add(block.id)
    else again.add(block.id)
  }
  return done
}

/** A block that was given up before its tool was called, or whose run was, counts as one that did not run. */
function isGivenUp({ error, callId }: BlockResult): boolean {
  return error?.code === 'cancelled' || (error?.code === 'timed-out' && callId === undefined)
}

function isSame(
  { text }: Document,
  block: RunnableBlock,
  { hash, used = [] }: BlockResult,
  prints: Fingerprints,
): boolean {
  return hash === undefined || hash === resultHash(text, block, used, prints)
}

function usesAny({ used = [] }: BlockResult, ids: ReadonlySet<string>): boolean {
  return used === 'all' ? ids.size > 0 : used.some((id) => ids.has(id))
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
