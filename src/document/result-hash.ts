// Whether a stored result still belongs to its block: a hash of what the block asks for, and of the results it used.

import { hash } from 'node:crypto'
import { parseJson } from '../base/json.ts'
import { storedResult } from './call-parts.ts'
import type { FunctionCallBlock, TriggerBlock } from './document.ts'
import { lineAt, lineStarts } from './frames.ts'
import type { DocumentContent } from './read.ts'
import type { ReadResult, ResultCheck } from './stored-results.ts'

type Caller = FunctionCallBlock | TriggerBlock

/** The results that are there, by block. */
export type ResultOf = (id: string) => ReadResult | undefined

/** The layout of parameters and the line ends of content do not count. */
export function resultHash(text: string, block: Caller, used: readonly string[], printOf: PrintOf): string {
  const { tool, parameters, content } = block
  const parsed = parseJson(parameters?.raw ?? '')
  const asked = parsed.ok ? JSON.stringify(parsed.value) : (parameters?.raw.trim() ?? '')
  const told = content ? text.slice(content.source.contentStart, content.source.contentEnd).replace(/\r\n?/g, '\n') : ''
  return short(JSON.stringify([tool, asked === '{}' ? '' : asked, told, used.map((id) => [id, printOf(id)])]))
}

export type PrintOf = (id: string) => string

/** A fingerprint of each block's result, worked out once. */
export function fingerprints(resultOf: ResultOf): PrintOf {
  const known = new Map<string, string>()
  return (id) => {
    const before = known.get(id)
    if (before !== undefined) return before
    const result = resultOf(id)
    const print = result ? short(JSON.stringify(result.ok ? [result.value] : [result.code, result.message])) : ''
    known.set(id, print)
    return print
  }
}

/** Says of every block that runs with the document whether its stored result is still its own. Runs nothing. */
export function checkResults({ text, byId, calls, triggers }: DocumentContent): readonly ResultCheck[] {
  const starts = lineStarts(text)
  const printOf = fingerprints((id) => {
    const block = byId.get(id)
    return block && isCaller(block) ? storedResult(block) : undefined
  })
  const callers = [...calls, ...triggers.filter(({ result }) => result)].sort((a, b) => a.source.start - b.source.start)
  return callers.map((block) => {
    const line = lineAt(starts, block.source.start)
    const { state, message } = checked(text, block, printOf)
    return { blockId: block.id, state, line, message: `The block "${block.id}" (line ${line}) ${message}` }
  })
}

function checked(text: string, block: Caller, printOf: PrintOf): Pick<ResultCheck, 'state' | 'message'> {
  if (!block.result || !storedResult(block)) return { state: 'missing', message: 'has no result. Run it.' }
  const { hash: stored, uses } = block.result.attributes
  if (stored === undefined) return { state: 'unknown', message: 'has a result without a hash. Run it again.' }
  if (stored === resultHash(text, block, readUses(uses), printOf)) return { state: 'fresh', message: 'is up to date.' }
  const message = 'has changed since it ran: its tool, parameters, content or a result it used. Run it again.'
  return { state: 'stale', message }
}

/** Ids in one attribute: an id may hold anything, so each is escaped as in an address. */
export function writeUses(ids: readonly string[]): string {
  return ids.map((id) => encodeURIComponent(id.toWellFormed())).join(' ')
}

function readUses(uses = ''): string[] {
  return uses.split(/\s+/).filter(Boolean).map(decodedId)
}

function decodedId(id: string): string {
  try {
    return decodeURIComponent(id)
  } catch {
    return id
  }
}

export function isCaller(block: { readonly kind: string }): block is Caller {
  return block.kind === 'call' || block.kind === 'trigger'
}

function short(text: string): string {
  return hash('sha256', text).slice(0, 32)
}
