// The results so far, by the blocks' places in the document. What a block sees of them is a view of those before it, not a copy:
// a document of many blocks costs in proportion to them.

import type { BlockResult } from './block-result.ts'
import type { Used } from './stored-results.ts'

export class ResultsSoFar {
  readonly #ids: readonly string[]
  readonly #positions: ReadonlyMap<string, number>
  readonly #results: (BlockResult | undefined)[]

  constructor(ids: readonly string[]) {
    this.#ids = ids
    this.#positions = new Map(ids.map((id, position) => [id, position]))
    this.#results = Array.from(ids, () => undefined)
  }

  at(position: number): BlockResult | undefined {
    return this.#results[position]
  }

  of(id: string): BlockResult | undefined {
    return this.#results[this.#positions.get(id) ?? -1]
  }

  set(position: number, result: BlockResult): void {
    this.#results[position] = result
  }

  /** What the block at a position sees; `size` is how many before it have a result. */
  before(position: number, size: number): ResultsBefore {
    return new ResultsBefore(this.#ids, this.#positions, this.#results, position, size)
  }
}

/** Whoever asks for more counts as one who asked for all. */
const mostRemembered = 100

/** Read-only in earnest: there is nothing on it that could change a result. Remembers what was asked for. */
export class ResultsBefore implements ReadonlyMap<string, BlockResult> {
  readonly #size: number
  readonly #ids: readonly string[]
  readonly #positions: ReadonlyMap<string, number>
  readonly #results: readonly (BlockResult | undefined)[]
  readonly #end: number
  #asked: Set<string> | 'all' | undefined

  constructor(
    ids: readonly string[],
    positions: ReadonlyMap<string, number>,
    results: readonly (BlockResult | undefined)[],
    end: number,
    size: number,
  ) {
    this.#ids = ids
    this.#positions = positions
    this.#results = results
    this.#end = end
    this.#size = size
    Object.freeze(this)
  }

  /** What was asked for: that there is no result can matter as much as the result. */
  static askedOf(view: ResultsBefore): Used | undefined {
    return typeof view.#asked === 'object' ? Object.freeze([...view.#asked]) : view.#asked
  }

  get size(): number {
    this.#asked = 'all'
    return this.#size
  }

  get(id: string): BlockResult | undefined {
    this.#remember(id)
    const position = this.#positions.get(id)
    return position !== undefined && position < this.#end ? this.#results[position] : undefined
  }

  has(id: string): boolean {
    return this.get(id) !== undefined
  }

  *entries(): Generator<[string, BlockResult], undefined> {
    this.#asked = 'all'
    for (let position = 0; position < this.#end; position++) {
      const id = this.#ids[position]
      const result = this.#results[position]
      if (id !== undefined && result) yield [id, result]
    }
  }

  *keys(): Generator<string, undefined> {
    for (const [id] of this.entries()) yield id
  }

  *values(): Generator<BlockResult, undefined> {
    for (const [, result] of this.entries()) yield result
  }

  [Symbol.iterator](): Generator<[string, BlockResult], undefined> {
    return this.entries()
  }

  forEach(
    each: (result: BlockResult, id: string, map: ReadonlyMap<string, BlockResult>) => void,
    self?: unknown,
  ): void {
    for (const [id, result] of this.entries()) each.call(self, result, id, this)
  }

  #remember(id: string): void {
    if (this.#asked === 'all') return
    this.#asked ??= new Set()
    if (this.#asked.size < mostRemembered || this.#asked.has(id)) this.#asked.add(id)
    else this.#asked = 'all'
  }
}
