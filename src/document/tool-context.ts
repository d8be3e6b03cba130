// What running a custom tool gave: all of it, as the specification has it. As JSON it can be stored and loaded again.

import { isObject, parseJson } from '../base/json.ts'
import { LegworkError } from '../model/errors.ts'
import { type BlockResult, deepFreeze, resultFrom } from './block-result.ts'
import type { ToolBlock } from './document.ts'

export interface ToolMetadata {
  /** Its title. */
  readonly toolName: string
  /** Milliseconds. */
  readonly duration: number
  readonly blocksExecuted: number
  readonly blocksSucceeded: number
  readonly blocksFailed: number
}

export class ToolExecutionContext {
  /** Those that were resolved, in the order of their declaration. */
  readonly variables: ReadonlyMap<string, string>
  /** What each block gave, in order. */
  readonly blocks: ReadonlyMap<string, BlockResult>
  readonly metadata: ToolMetadata
  readonly toolDefinition: ToolBlock

  constructor(parts: {
    readonly variables: ReadonlyMap<string, string>
    readonly blocks: ReadonlyMap<string, BlockResult>
    readonly metadata: ToolMetadata
    readonly toolDefinition: ToolBlock
  }) {
    this.variables = parts.variables
    this.blocks = parts.blocks
    this.metadata = parts.metadata
    this.toolDefinition = parts.toolDefinition
  }

  /** Lists of pairs, so that the order is kept wherever it is stored, and any name may be a key. */
  toJSON() {
    const { variables, blocks, metadata, toolDefinition } = this
    return { variables: [...variables], blocks: [...blocks], metadata, toolDefinition }
  }

  /** Reads what `JSON.stringify` made of one, text or parsed already. What is none is misuse. */
  static fromJSON(stored: unknown): ToolExecutionContext {
    const parsed = typeof stored === 'string' ? parseJson(stored) : { ok: true as const, value: stored }
    if (!parsed.ok || !isObject(parsed.value)) throw none('it is no object')
    const { variables, blocks, metadata, toolDefinition } = parsed.value
    return new ToolExecutionContext({
      variables: new Map(pairsOf('variables', variables).map(([name, value]) => [name, textOf(name, value)])),
      blocks: new Map(pairsOf('blocks', blocks).map(([id, result]) => [id, blockOf(id, result)])),
      metadata: metadataOf(metadata),
      toolDefinition: definitionOf(toolDefinition),
    })
  }
}

function pairsOf(name: string, list: unknown): readonly (readonly [string, unknown])[] {
  if (!Array.isArray(list)) throw none(`"${name}" is no list`)
  return list.map((pair: unknown, at) => {
    const [key, value]: readonly unknown[] = Array.isArray(pair) ? pair : []
    if (typeof key !== 'string') throw none(`"${name}[${at}]" is no pair`)
    return [key, value]
  })
}

function textOf(name: string, value: unknown): string {
  if (typeof value !== 'string') throw none(`the value of the variable "${name}" is no text`)
  return value
}

function blockOf(id: string, result: unknown): BlockResult {
  if (!isObject(result)) throw none(`of the block "${id}" the result is no object`)
  return resultFrom(result, (fault) => none(`of the block "${id}" ${fault}`))
}

function metadataOf(given: unknown): ToolMetadata {
  if (!isObject(given) || typeof given.toolName !== 'string') throw none('"metadata" has no "toolName"')
  const amount = (name: string): number => {
    const value = given[name]
    if (typeof value !== 'number' || !(value >= 0)) throw none(`"metadata.${name}" is no number`)
    return value
  }
  return {
    toolName: given.toolName,
    duration: amount('duration'),
    blocksExecuted: amount('blocksExecuted'),
    blocksSucceeded: amount('blocksSucceeded'),
    blocksFailed: amount('blocksFailed'),
  }
}

function definitionOf(given: unknown): ToolBlock {
  if (!isObject(given) || given.kind !== 'tool' || typeof given.title !== 'string' || !Array.isArray(given.calls)) {
    throw none('"toolDefinition" is no tool')
  }
  return deepFreeze(given as unknown as ToolBlock)
}

function none(why: string): LegworkError {
  return new LegworkError(
    'invalid-state',
    `This is no stored run of a custom tool: ${why}. Give what JSON.stringify made of one.`,
  )
}
