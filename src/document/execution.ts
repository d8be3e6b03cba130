// One run of a list of blocks, one after the other, each a call on the one path. A block that fails has its error as its result,
// which later blocks can read; the rest runs on.

import type { Clock } from '../base/clock.ts'
import { messageOf } from '../base/json.ts'
import type { RunContext } from '../model/tool.ts'
import type { BlockContext, Resource } from './block-context.ts'
import { type BlockResult, failedResult, readResult } from './block-result.ts'
import { type BlockTime, startBlockTime } from './block-time.ts'
import { type BlockCaller, callBlock } from './call-block.ts'
import type { Document, RunnableBlock } from './document.ts'
import type { DocumentEvent, DocumentHooks } from './events.ts'
import { Fingerprints, resultHash } from './result-hash.ts'
import { ResultsBefore, ResultsSoFar } from './results-so-far.ts'
import type { Selected } from './select.ts'
import { type ExecutionMetadata, ExecutionState } from './state.ts'
import { untilStopped } from './until-stopped.ts'

export interface ExecutionOptions extends Selected, BlockCaller {
  readonly document: Document
  /** What a block that does not run has from before; later ones see it, and the state has it when it is kept. */
  readonly carried: (block: RunnableBlock) => Carried | undefined
  /** Whether each result says what its block was, for writing it back and for going on later. Default false. */
  readonly isHashed?: boolean
  readonly stopOnError: boolean
  /** Longest one block may take, with its hooks and variables. Default: as long as its tool may. */
  readonly blockTimeoutMs?: number | undefined
  readonly api?: unknown
  readonly resources?: readonly Resource[] | undefined
  readonly hooks: DocumentHooks
  readonly tell: (event: DocumentEvent) => void
  readonly clock: Clock
}

export interface Carried {
  readonly result: BlockResult
  readonly isKept: boolean
}

export class Execution {
  readonly #options: ExecutionOptions
  readonly #results: ResultsSoFar
  readonly #prints: Fingerprints
  /** The places of the blocks whose results are part of the state. */
  readonly #kept = new Set<number>()
  readonly #warnings: string[]
  readonly #total: number
  readonly #startedAt: string
  #began: number | undefined
  #ended: number | undefined
  #executed = 0
  #failed = 0
  #stopped: ExecutionMetadata['stopped']

  constructor(options: ExecutionOptions) {
    const { blocks, isWanted, carried, warnings, clock } = options
    this.#options = options
    this.#results = new ResultsSoFar(blocks.map(({ id }) => id))
    this.#prints = new Fingerprints(blocks, (id) => {
      const result = this.#results.of(id)
      return result && readResult(result)
    })
    this.#warnings = [...warnings]
    this.#total = blocks.filter(isWanted).length
    this.#startedAt = new Date(clock.now()).toISOString()
    for (const [position, block] of blocks.entries()) {
      const before = isWanted(block) ? undefined : carried(block)
      if (before) this.#keep(position, before.result, before.isKept)
    }
  }

  /** Carries the blocks out. Ends soon after the signal fires. */
  async run(context: RunContext): Promise<void> {
    const { blocks, isWanted, isDone, stopOnError, tell, clock } = this.#options
    const { signal } = context
    this.#began = clock.elapsed()
    tell({ type: 'started', total: this.#total })
    let seen = 0
    for (const [position, block] of blocks.entries()) {
      const mayRun = isWanted(block) && !signal.aborted
      const ran = mayRun ? await this.#runBlock(block, position, seen, context) : undefined
      const result = ran ?? (isDone?.(block) ? this.#results.at(position) : undefined)
      this.#stopped = stopOf(signal, isWanted(block) && !mayRun, ran, stopOnError ? result : undefined)
      if (this.#stopped) break
      if (this.#results.at(position)) seen++
    }
    this.#ended = clock.elapsed()
    tell({ type: 'ended', metadata: this.#metadata() })
  }

  /** What there is so far; after the run, all there is. */
  state(): ExecutionState {
    const blocks = new Map<string, BlockResult>()
    for (const [position, { id }] of this.#options.blocks.entries()) {
      const result = this.#results.at(position)
      if (result && this.#kept.has(position)) blocks.set(id, result)
    }
    return new ExecutionState(blocks, this.#metadata())
  }

  /** The block's result; undefined when a hook did not let it run. */
  async #runBlock(
    block: RunnableBlock,
    position: number,
    seen: number,
    run: RunContext,
  ): Promise<BlockResult | undefined> {
    const { id, tool } = block
    const { tell, blockTimeoutMs, clock, carried } = this.#options
    const before = this.#results.before(position, seen)
    const context = this.#contextOf(block, before)
    const time = startBlockTime(run, blockTimeoutMs, clock)
    const hindered = await this.#before(block, context, time)
    if (hindered === false) {
      time.stop()
      const kept = carried(block)
      if (kept) this.#keep(position, kept.result, kept.isKept)
      return undefined
    }
    tell({ type: 'block-started', id, tool, at: this.#executed, total: this.#total })
    run.progress({ message: `${id}: ${tool}`, done: this.#executed, total: this.#total })
    const given = hindered ?? (await callBlock(block, context, this.#options, run, time))
    time.stop()
    const result = this.#withOrigin(block, given, before)
    this.#keep(position, result, true)
    this.#executed++
    if (result.error) this.#failed++
    tell({ type: 'block-ended', id, tool, result })
    await this.#after(block, result, context, run)
    return result
  }

  /** The result with what it was made of. */
  #withOrigin(block: RunnableBlock, result: BlockResult, before: ResultsBefore): BlockResult {
    const { isHashed, document } = this.#options
    const used = ResultsBefore.askedOf(before)
    if (!used && !isHashed) return result
    const hash = isHashed && resultHash(document.text, block, used ?? [], this.#prints)
    return Object.freeze({ ...result, ...(used && { used }), ...(hash && { hash }) })
  }

  #contextOf({ id }: RunnableBlock, previousResults: ResultsBefore) {
    const { document, api, resources } = this.#options
    return Object.freeze({
      currentBlockId: id,
      previousResults,
      document,
      ...(api !== undefined && { api }),
      ...(resources && { resources }),
    })
  }

  #keep(position: number, result: BlockResult, isKept: boolean): void {
    this.#results.set(position, result)
    if (isKept) this.#kept.add(position)
  }

  /** False when the block is not to run, an error when the hook failed, undefined when all is well. */
  async #before(
    block: RunnableBlock,
    context: BlockContext,
    time: BlockTime,
  ): Promise<false | BlockResult | undefined> {
    const { beforeBlock } = this.#options.hooks
    if (!beforeBlock) return undefined
    try {
      return (await untilStopped(beforeBlock(block, context), time.signal)) === false ? false : undefined
    } catch (error) {
      const failed = {
        code: 'tool-failed',
        message: `The block did not run: beforeBlock failed. ${messageOf(error)}`,
      } as const
      const { code, message } = time.givenUp() ?? failed
      return failedResult(code, this.#options.redact(message), block.tool)
    }
  }

  async #after(block: RunnableBlock, result: BlockResult, context: BlockContext, run: RunContext): Promise<void> {
    const { hooks, blockTimeoutMs, clock } = this.#options
    if (!hooks.afterBlock) return
    const time = startBlockTime(run, blockTimeoutMs, clock)
    try {
      await untilStopped(hooks.afterBlock(block, result, context), time.signal)
    } catch (error) {
      this.#warnings.push(this.#options.redact(`afterBlock of "${block.id}" failed: ${messageOf(error)}`))
    } finally {
      time.stop()
    }
  }

  #metadata(): ExecutionMetadata {
    const now = this.#ended ?? this.#options.clock.elapsed()
    return {
      totalDuration: Math.round((now - (this.#began ?? now)) * 1_000) / 1_000,
      blocksExecuted: this.#executed,
      blocksSucceeded: this.#executed - this.#failed,
      blocksFailed: this.#failed,
      blocksSkipped: this.#options.blocks.length - this.#executed,
      startedAt: this.#startedAt,
      ...(this.#stopped && { stopped: this.#stopped }),
      warnings: [...this.#warnings],
    }
  }
}

/** Why nothing runs any more: there was no time for a block, or not for all of it, or one failed and that is to be the end. */
function stopOf(
  signal: AbortSignal,
  isLeftOut: boolean,
  ran: BlockResult | undefined,
  decisive: BlockResult | undefined,
): ExecutionMetadata['stopped'] {
  if (isLeftOut || (signal.aborted && ran?.error?.code === 'cancelled')) {
    return signal.reason === 'timed-out' ? 'timed-out' : 'cancelled'
  }
  return decisive?.error ? 'failed' : undefined
}
