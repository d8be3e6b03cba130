// What running a document gave: the result of each block in the document's order, and numbers about the whole. It is kept
// apart from the document, and as JSON it can be stored and gone on from later.

import { isObject } from '../base/json.ts'
import { LegworkError } from '../model/errors.ts'
import { type BlockResult, resultFrom } from './block-result.ts'

export interface ExecutionMetadata {
  /** Milliseconds from the first block's start to the last one's end. */
  readonly totalDuration: number
  /** How many blocks ran, whether well or not. */
  readonly blocksExecuted: number
  readonly blocksSucceeded: number
  readonly blocksFailed: number
  /** Blocks that could have run and were not wanted, are disabled or were never reached. */
  readonly blocksSkipped: number
  /** When, as ISO 8601 in UTC. */
  readonly startedAt: string
  /** Why the rest did not run: a block failed and nothing was to run after that, or the run was given up, or had no time left. */
  readonly stopped?: 'failed' | 'cancelled' | 'timed-out'
  readonly warnings: readonly string[]
}

export class ExecutionState {
  /** By id, in the document's order. Blocks that did not run are missing. */
  readonly blocks: ReadonlyMap<string, BlockResult>
  readonly metadata: ExecutionMetadata

  constructor(blocks: ReadonlyMap<string, BlockResult>, metadata: ExecutionMetadata) {
    this.blocks = blocks
    this.metadata = metadata
  }

  /** Whether no block failed and nothing was stopped. */
  get ok(): boolean {
    return this.metadata.stopped === undefined && !this.blocks.values().some(({ error }) => error)
  }

  /** A list of pairs, so that the order is kept wherever it is stored. */
  toJSON(): { readonly blocks: readonly (readonly [string, BlockResult])[]; readonly metadata: ExecutionMetadata } {
    return { blocks: [...this.blocks], metadata: this.metadata }
  }

  /** Reads what `JSON.stringify` made of a state, text or parsed already. What is none is misuse. */
  static fromJSON(stored: unknown): ExecutionState {
    const value = typeof stored === 'string' ? parsed(stored) : stored
    if (!isObject(value)) throw noState('it is no object')
    return new ExecutionState(readBlocks(value.blocks), readMetadata(value.metadata))
  }
}

/** Of a run that never began. */
export function emptyState(startedAt: string): ExecutionState {
  const none = { totalDuration: 0, blocksExecuted: 0, blocksSucceeded: 0, blocksFailed: 0, blocksSkipped: 0 }
  return new ExecutionState(new Map(), { ...none, startedAt, warnings: [] })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw noState('it is no JSON')
  }
}

function readBlocks(list: unknown): ReadonlyMap<string, BlockResult> {
  if (!Array.isArray(list)) throw noState('"blocks" is no list')
  const blocks = new Map<string, BlockResult>()
  for (const [at, pair] of list.entries()) {
    const [id, result]: readonly unknown[] = Array.isArray(pair) ? pair : []
    if (typeof id !== 'string' || !isObject(result)) throw noState(`"blocks[${at}]" is no pair of an id and a result`)
    if (blocks.has(id)) throw noState(`it has the block "${id}" twice`)
    blocks.set(
      id,
      resultFrom(result, (fault) => noState(`of the block "${id}" ${fault}`)),
    )
  }
  return blocks
}

function readMetadata(given: unknown): ExecutionMetadata {
  if (!isObject(given)) throw noState('"metadata" is no object')
  const amount = (name: string): number => {
    const value = given[name] ?? 0
    if (typeof value !== 'number' || !(value >= 0)) throw noState(`"metadata.${name}" is no number`)
    return value
  }
  const { stopped, startedAt, warnings } = given
  return {
    totalDuration: amount('totalDuration'),
    blocksExecuted: amount('blocksExecuted'),
    blocksSucceeded: amount('blocksSucceeded'),
    blocksFailed: amount('blocksFailed'),
    blocksSkipped: amount('blocksSkipped'),
    startedAt: typeof startedAt === 'string' ? startedAt : '',
    ...((stopped === 'failed' || stopped === 'cancelled' || stopped === 'timed-out') && { stopped }),
    warnings: Array.isArray(warnings) ? warnings.filter((warning) => typeof warning === 'string') : [],
  }
}

function noState(why: string): LegworkError {
  return new LegworkError(
    'invalid-state',
    `This is no stored execution state: ${why}. Give what JSON.stringify made of one.`,
  )
}
