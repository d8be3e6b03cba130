// Whether a result still belongs to its block: a hash of what the block asks for, and of the results it used.

import { hash } from 'node:crypto'
import { outcomeCodes } from '../model/outcome.ts'
import { parametersOf, storedResult } from './call-parts.ts'
import type { Document, RunnableBlock } from './document.ts'
import { lineAt, lineStarts } from './frames.ts'
import type { DocumentContent } from './read.ts'
import type { ReadResult, ResultCheck, Used } from './stored-results.ts'

/** The layout of parameters and the line ends of content do not count. */
export function resultHash(text: string, block: RunnableBlock, used: Used, prints: Fingerprints): string {
  const { tool, parameters, content } = block
  const read = parametersOf(block)
  const asked = read.ok ? JSON.stringify(read.value) : (parameters?.raw.trim() ?? '')
  const told = content ? text.slice(content.source.contentStart, content.source.contentEnd).replace(/\r\n?/g, '\n') : ''
  const seen =
    used === 'all' ? prints.before(block.id) : used.map((id) => [id.toWellFormed(), prints.seenBy(block.id, id)])
  return short(JSON.stringify([tool, asked === '{}' ? '' : asked, told, seen]))
}

/** The results that are there, by block. */
export type ResultOf = (id: string) => ReadResult | undefined

/** Fingerprints of the results of blocks, each worked out once. A result that is there does not change any more. */
export class Fingerprints {
  readonly #resultOf: ResultOf
  readonly #order: readonly { readonly id: string }[]
  #positions: ReadonlyMap<string, number> | undefined
  readonly #known = new Map<string, string>()
  /** At each place one for all results before it. */
  readonly #before: string[] = ['']

  /** `order` has the blocks that run, as they stand in the text. */
  constructor(order: readonly { readonly id: string }[], resultOf: ResultOf) {
    this.#order = order
    this.#resultOf = resultOf
  }

  /** Of what one block sees of another: nothing when that does not come before it. */
  seenBy(reader: string, id: string): string {
    const at = this.#positionOf(reader)
    if (at === undefined) return this.#of(id)
    const other = this.#positionOf(id)
    return other !== undefined && other < at ? this.#of(id) : ''
  }

  /** One for all the results that a block can see. */
  before(reader: string): string {
    const end = this.#positionOf(reader) ?? 0
    for (let at = this.#before.length; at <= end; at++) {
      const last = this.#before[at - 1] ?? ''
      const id = this.#order[at - 1]?.id ?? ''
      const print = this.#of(id)
      this.#before.push(print ? short(JSON.stringify([last, id, print])) : last)
    }
    return this.#before[end] ?? ''
  }

  #positionOf(id: string): number | undefined {
    this.#positions ??= new Map(this.#order.map((block, at) => [block.id, at]))
    return this.#positions.get(id)
  }

  #of(id: string): string {
    const before = this.#known.get(id)
    if (before !== undefined) return before
    const result = this.#resultOf(id)
    if (!result) return ''
    const print = short(JSON.stringify(result.ok ? [result.value] : [codeOf(result.code), result.message]))
    this.#known.set(id, print)
    return print
  }
}

/** A code of others is seen as a plain failure. */
function codeOf(code: string): string {
  return outcomeCodes.find((known) => known === code) ?? 'tool-failed'
}

/** The blocks that run or could run with the document, as they stand in the text. */
export function runnableBlocks({ calls, triggers }: Pick<Document, 'calls' | 'triggers'>): readonly RunnableBlock[] {
  if (triggers.length === 0) return calls
  return [...calls, ...triggers].sort((a, b) => a.source.start - b.source.start)
}

/** Says of every block that runs with the document whether its stored result is still its own. Runs nothing. */
export function checkResults(content: DocumentContent): readonly ResultCheck[] {
  const { text, byId } = content
  const starts = lineStarts(text)
  const blocks = runnableBlocks(content)
  const prints = new Fingerprints(blocks, (id) => {
    const block = byId.get(id)
    return block && isCaller(block) ? storedResult(block) : undefined
  })
  const checked = blocks.filter(({ kind, result }) => kind === 'call' || result)
  return checked.map((block) => {
    const line = lineAt(starts, block.source.start)
    const { state, message } = check(text, block, prints)
    return { blockId: block.id, state, line, message: `The block "${block.id}" (line ${line}) ${message}` }
  })
}

function check(text: string, block: RunnableBlock, prints: Fingerprints): Pick<ResultCheck, 'state' | 'message'> {
  if (!block.result || !storedResult(block)) return { state: 'missing', message: 'has no result. Run it.' }
  const { hash: stored, uses } = block.result.attributes
  if (stored === undefined) return { state: 'unknown', message: 'has a result without a hash. Run it again.' }
  if (stored === resultHash(text, block, readUses(uses), prints)) return { state: 'fresh', message: 'is up to date.' }
  const message = 'has changed since it ran: its tool, parameters, content or a result it used. Run it again.'
  return { state: 'stale', message }
}

const allSign = '*'

/** Ids in one attribute: an id may hold anything, so each is escaped as in an address. */
export function writeUses(used: Used): string {
  if (used === 'all') return allSign
  return used.map((id) => encodeURIComponent(id.toWellFormed()).replaceAll(allSign, '%2A')).join(' ')
}

function readUses(uses = ''): Used {
  if (uses === allSign) return 'all'
  return uses.split(/\s+/).filter(Boolean).map(decodedId)
}

function decodedId(id: string): string {
  try {
    return decodeURIComponent(id)
  } catch {
    return id
  }
}

export function isCaller(block: { readonly kind: string }): block is RunnableBlock {
  return block.kind === 'call' || block.kind === 'trigger'
}

function short(text: string): string {
  return hash('sha256', text).slice(0, 32)
}
