// Results into a text, and out of it again. Only `<result>` elements change: nothing else is touched, moved or written anew. The one
// exception is a self-closing call, which has to be opened to hold anything.

import { LegworkError } from '../model/errors.ts'
import { attributesAt, escapeAttribute } from './attributes.ts'
import { storedResult } from './call-parts.ts'
import type { Block, RunnableBlock, Source } from './document.ts'
import { firstLineBreak, indentBefore, lineBreakAt, lineEndAfter, unitOf } from './indentation.ts'
import type { DocumentContent } from './read.ts'
import { Fingerprints, isCaller, resultHash, runnableBlocks, writeUses } from './result-hash.ts'
import { type Layout, readGiven, resultBody } from './result-text.ts'
import type { ReadResult, ResultLike, ResultsLike, WithResultsOptions } from './stored-results.ts'

/** A result that is to be written, and the block it is for. */
interface Given {
  readonly block: RunnableBlock
  readonly result: ResultLike
  readonly value: ReadResult
  readonly json: string
}

interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The text with these results in it. A block that is not among them keeps what it has. */
export function withResults(content: DocumentContent, results: ResultsLike, options: WithResultsOptions = {}): string {
  const { text, byId } = content
  const given = new Map<string, Given>()
  for (const [id, result] of results.blocks) given.set(id, givenFor(byId.get(id), id, result))
  const prints = new Fingerprints(runnableBlocks(content), (id) => given.get(id)?.value ?? storedIn(byId.get(id)))
  const page = { text, lineBreak: firstLineBreak(text), unit: unitOf(content) }
  const inOrder = [...given.values()].sort((a, b) => a.block.source.start - b.block.source.start)
  return edited(
    text,
    inOrder.map((one) => {
      const tag = `<result${keptAttributes(text, one.block)}${ownAttributes(text, one, prints, options)}>`
      return placed(page, one.block, (layout) => `${tag}${resultBody(one.value, one.json, layout)}</result>`)
    }),
  )
}

/** The text without any results. */
export function stripped({ text, allBlocks }: DocumentContent): string {
  const edits: Edit[] = []
  for (const block of allBlocks) {
    if (!isCaller(block) || !block.result) continue
    const { source, repeated = [] } = block.result
    for (const result of [source, ...repeated]) edits.push(removal(text, block, result))
  }
  return edited(text, edits)
}

function edited(text: string, edits: readonly Edit[]): string {
  const pieces: string[] = []
  let done = 0
  for (const { start, end, text: replacement } of edits) {
    pieces.push(text.slice(done, start), replacement)
    done = end
  }
  pieces.push(text.slice(done))
  return pieces.join('')
}

interface Page {
  readonly text: string
  readonly lineBreak: string
  readonly unit: string
}

/** Where a result goes: over the old one, on a line of its own before the closing tag, or right before that tag. */
function placed({ text, lineBreak, unit }: Page, block: RunnableBlock, element: (layout: Layout) => string): Edit {
  const { start, contentStart, contentEnd, end } = block.source
  const old = block.result?.source
  if (old) {
    const indent = indentBefore(text, old.start, contentStart)
    const own = indent === undefined ? lineBreak : lineBreakAt(text, old.start - indent.length)
    return { start: old.start, end: old.end, text: element({ indent, unit, lineBreak: own }) }
  }
  if (contentEnd === end) {
    const indent = indentBefore(text, start)
    const opened = text.slice(start, end - 2).trimEnd().length + start
    return {
      start: opened,
      end,
      text: `>${opening(indent, { unit, lineBreak, text }, start, element)}</${block.element}>`,
    }
  }
  const closing = indentBefore(text, contentEnd, contentStart)
  if (closing === undefined) {
    return { start: contentEnd, end: contentEnd, text: element({ indent: undefined, unit, lineBreak }) }
  }
  const lineStart = contentEnd - closing.length
  const own = lineBreakAt(text, lineStart)
  const indent = childIndent(text, block) ?? closing + unit
  return { start: lineStart, end: lineStart, text: indent + element({ indent, unit, lineBreak: own }) + own }
}

/** What goes into a self-closing call once it is opened. */
function opening(indent: string | undefined, page: Page, start: number, element: (layout: Layout) => string): string {
  const { text, unit, lineBreak } = page
  if (indent === undefined) return element({ indent, unit, lineBreak })
  const own = lineBreakAt(text, start - indent.length)
  return `${own}${indent}${unit}${element({ indent: indent + unit, unit, lineBreak: own })}${own}${indent}`
}

const ownNames: ReadonlySet<string> = new Set(['error', 'hash', 'uses', 'size', 'started', 'duration'])

/** What somebody else wrote on the old result. */
function keptAttributes(text: string, { result }: RunnableBlock): string {
  if (!result) return ''
  const { start, contentStart } = result.source
  const kept = [...attributesAt(text, start, contentStart)].filter(({ name }) => !ownNames.has(name))
  return kept.map((attribute) => ` ${text.slice(attribute.start, attribute.end)}`).join('')
}

function ownAttributes(
  text: string,
  { block, value, json, result: { used = [], hash, startedAt, duration } }: Given,
  prints: Fingerprints,
  { times = false }: WithResultsOptions,
): string {
  const attributes = [
    value.ok ? '' : attribute('error', value.code),
    attribute('hash', hash ?? resultHash(text, block, used, prints)),
    used.length ? attribute('uses', writeUses(used)) : '',
    value.ok ? attribute('size', String(Buffer.byteLength(json))) : '',
    times && startedAt !== undefined ? attribute('started', startedAt) : '',
    times && Number.isFinite(duration) ? attribute('duration', String(duration)) : '',
  ]
  return attributes.join('')
}

function attribute(name: string, value: string): string {
  return ` ${name}="${escapeAttribute(value)}"`
}

/** A result that has its lines to itself goes with them. */
function removal(text: string, block: RunnableBlock, { start, end }: Source): Edit {
  const indent = indentBefore(text, start, block.source.contentStart)
  const lineEnd = indent === undefined ? undefined : lineEndAfter(text, end)
  if (indent === undefined || lineEnd === undefined) return { start, end, text: '' }
  return { start: start - indent.length, end: lineEnd, text: '' }
}

function childIndent(text: string, { parameters, content, source }: RunnableBlock): string | undefined {
  const child = parameters?.source ?? content?.source
  return child && indentBefore(text, child.start, source.contentStart)
}

function givenFor(block: Block | undefined, id: string, result: ResultLike): Given {
  if (!block || !isCaller(block)) throw noSuchBlock(id)
  const value = readGiven(result)
  return { block, result, value, json: JSON.stringify(value.ok ? value.value : { message: value.message }) }
}

function storedIn(block: Block | undefined): ReadResult | undefined {
  return block && isCaller(block) ? storedResult(block) : undefined
}

function noSuchBlock(id: string): LegworkError {
  const message = `There is a result for "${id}", which is no call of this document. Use the state of a run of this document.`
  return new LegworkError('invalid-state', message)
}
