// The results so far, by the blocks' places in the document. What a block sees of them is a view of those before it, not a copy:
// a document of many blocks costs in proportion to them.

import type { BlockResult } from './block-result.ts'

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

  set(position: number, result: BlockResult): void {
    this.#results[position] = result
  }

  /** What the block at a position sees; `size` is how many before it have a result. */
  before(position: number, size: number): ResultsBefore {
    return new ResultsBefore(this.#ids, this.#positions, this.#results, position, size)
  }
}

/** How many of the results that a block read are remembered: an author who goes through all of them must not pay for it twice. */
const mostRemembered = 100

/** Read-only in earnest: there is nothing on it that could change a result. Remembers what was read. */
export class ResultsBefore implements ReadonlyMap<string, BlockResult> {
  readonly size: number
  readonly #ids: readonly string[]
  readonly #positions: ReadonlyMap<string, number>
  readonly #results: readonly (BlockResult | undefined)[]
  readonly #end: number
  #read: Set<string> | undefined

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
    this.size = size
    Object.freeze(this)
  }

  /** The ids of the results that were read, the first hundred of them. */
  static readFrom(view: ResultsBefore): readonly string[] | undefined {
    return view.#read && [...view.#read]
  }

  get(id: string): BlockResult | undefined {
    const position = this.#positions.get(id)
    if (position === undefined || position >= this.#end) return undefined
    const result = this.#results[position]
    if (result) this.#remember(id)
    return result
  }

  has(id: string): boolean {
    return this.get(id) !== undefined
  }

  *entries(): Generator<[string, BlockResult], undefined> {
    for (let position = 0; position < this.#end; position++) {
      const id = this.#ids[position]
      const result = this.#results[position]
      if (id === undefined || !result) continue
      this.#remember(id)
      yield [id, result]
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
    this.#read ??= new Set()
    if (this.#read.size < mostRemembered) this.#read.add(id)
  }
}
