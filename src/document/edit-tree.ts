// A document's text as a tree that can be changed: each node keeps its own tags and the text before it, letter by letter, so that
// what nobody changes is written as it was. Every step costs the same however large the document is.

import { attributeAt, escapeAttribute } from './attributes.ts'
import type { Block, Source } from './document.ts'
import { indentBefore, lineBreakAt, lineEndAfter } from './indentation.ts'

/** A block, or `params`, `content` or `result` of one; without an element, text that a removed node leaves behind. */
export interface EditNode {
  readonly element: string
  readonly block?: Block
  id?: string | undefined
  /** The text between the node before it, or its parent's opening tag, and this one. */
  before: string
  open: string
  /** Empty when it is self-closing. */
  close: string
  /** The text after the last child. */
  tail: string
  /** Where the operation stands that changed, made or moved it last. */
  by?: number
  parent?: EditNode | undefined
  previous?: EditNode | undefined
  next?: EditNode | undefined
  first?: EditNode | undefined
  last?: EditNode | undefined
}

interface Part {
  readonly element: string
  readonly source: Source
  readonly block?: Block
  readonly parts: readonly Part[]
}

/** A node for an element and all below it. */
export function treeOf(text: string, element: string, source: Source, blocks: readonly Block[]): EditNode {
  return nodeOf(text, { element, source, parts: blocks.map(partOf) })
}

export function blockTree(text: string, block: Block): EditNode {
  return nodeOf(text, partOf(block))
}

function partOf(block: Block): Part {
  return { element: block.element, source: block.source, block, parts: partsOf(block) }
}

function partsOf(block: Block): readonly Part[] {
  switch (block.kind) {
    case 'call':
    case 'trigger': {
      const { parameters, content, result } = block
      const parts: (Part | undefined)[] = [
        parameters && { element: 'params', source: parameters.source, parts: [] },
        content && { element: 'content', source: content.source, parts: [] },
        result && { element: 'result', source: result.source, parts: [] },
      ]
      return parts.filter((part) => part !== undefined).sort((a, b) => a.source.start - b.source.start)
    }
    case 'tool':
      return block.definition.map(partOf)
    case 'code':
    case 'data':
    case 'separator':
      return []
    default:
      return block.blocks.map(partOf)
  }
}

function nodeOf(text: string, { element, source, block, parts }: Part): EditNode {
  const { start, contentStart, contentEnd, end } = source
  const node: EditNode = {
    ...{ element, ...(block && { block, ...(block.id && { id: block.id }) }), before: '', tail: '' },
    ...{ open: text.slice(start, contentStart), close: text.slice(contentEnd, end) },
  }
  let done = contentStart
  for (const part of parts) {
    const child = nodeOf(text, part)
    child.before = text.slice(done, part.source.start)
    link(child, node, node.last, undefined)
    done = part.source.end
  }
  node.tail = text.slice(done, contentEnd)
  return node
}

export function textOf(node: EditNode): string {
  const pieces: string[] = []
  collect(node, pieces)
  return pieces.join('')
}

function collect(node: EditNode, pieces: string[]): void {
  pieces.push(node.before, node.open)
  for (let child = node.first; child; child = child.next) collect(child, pieces)
  pieces.push(node.tail, node.close)
}

/** What an operation made, in the text that `textOf` gives. */
export interface Touched {
  readonly start: number
  readonly end: number
  readonly by: number
}

/** All that operations made; what is inside something else comes before it. */
export function touchedIn(node: EditNode): readonly Touched[] {
  const touched: Touched[] = []
  findTouched(node, 0, touched)
  return touched
}

function findTouched(node: EditNode, offset: number, touched: Touched[]): number {
  const start = offset + node.before.length
  let end = start + node.open.length
  for (let child = node.first; child; child = child.next) end = findTouched(child, end, touched)
  end += node.tail.length + node.close.length
  if (node.by !== undefined) touched.push({ start, end, by: node.by })
  return end
}

/** The node and all below it. */
export function* withinNode(node: EditNode): Generator<EditNode> {
  yield node
  for (let child = node.first; child; child = child.next) yield* withinNode(child)
}

/** Puts nodes beside another of the same parent, each on a line of its own where the other has one. */
export function insertBeside(nodes: readonly EditNode[], anchor: EditNode, side: 'before' | 'after'): void {
  const { parent } = anchor
  if (!parent) return
  const separator = separatorOf(anchor)
  if (side === 'after') {
    let last = anchor
    for (const node of nodes) {
      node.before = separator
      link(node, parent, last, last.next)
      last = node
    }
    return
  }
  const [first] = nodes
  for (const node of nodes) {
    node.before = separator
    link(node, parent, anchor.previous, anchor)
  }
  if (first) [first.before, anchor.before] = [anchor.before, separator]
}

/** Puts nodes at the end of a parent, on lines of their own where it has lines. */
export function append(nodes: readonly EditNode[], parent: EditNode, unit: string, lineBreak: string): void {
  openUp(parent)
  const blanks = blanksAfter(parent.tail)
  const hasLines = /[\r\n]/.test(parent.tail)
  const closing = indentBefore(`\n${parent.tail}`, parent.tail.length + 1) ?? ''
  const kept = parent.tail.slice(0, parent.tail.length - blanks.length)
  for (const [at, node] of nodes.entries()) {
    node.before = (at === 0 ? kept : '') + (hasLines ? lineBreak + closing + unit : '')
    link(node, parent, parent.last, undefined)
  }
  if (nodes.length) parent.tail = blanks
}

/** Puts a node where another is, whose place and layout it takes; the rest follow it. */
export function replaceNode(target: EditNode, nodes: readonly EditNode[]): void {
  insertBeside(nodes, target, 'after')
  const [first] = nodes
  if (first) first.before = target.before
  unlink(target)
}

/** Takes a node out; a line that it had to itself goes too. */
export function detach(node: EditNode): void {
  const { parent, previous, next } = node
  if (!parent) return
  const after = next?.before ?? parent.tail
  const indent = indentBefore(node.before, node.before.length)
  const hasLine = indent !== undefined && lineEndAfter(after, 0) !== undefined
  const kept = hasLine ? withoutLineBreak(node.before, indent.length) : node.before
  unlink(node)
  node.before = ''
  if (kept) link({ element: '', before: kept, open: '', close: '', tail: '' }, parent, previous, next)
}

/** What a node holds instead of all that it held besides its blocks. */
export function setInner(node: EditNode, inner: string): void {
  openUp(node)
  if (!node.first) {
    node.tail = inner
    return
  }
  for (let child: EditNode | undefined = node.first; child; child = child.next) child.before = blanksAfter(child.before)
  node.first.before = inner + node.first.before
  node.tail = blanksAfter(node.tail)
}

export function setAttribute(node: EditNode, name: string, value: string): void {
  const written = `"${escapeAttribute(value)}"`
  const found = attributeAt(node.open, 0, node.open.length, name)
  if (found) {
    node.open = node.open.slice(0, found.valueStart - 1) + written + node.open.slice(found.valueEnd + 1)
    return
  }
  const end = node.open.slice(0, node.open.endsWith('/>') ? -2 : -1).trimEnd().length
  node.open = `${node.open.slice(0, end)} ${name}=${written}${node.open.slice(end)}`
}

/** `<p/>` to `<p></p>`. */
function openUp(node: EditNode): void {
  if (node.close) return
  node.open = `${node.open.slice(0, -2).trimEnd()}>`
  node.close = `</${node.element}>`
}

function separatorOf({ before }: EditNode): string {
  const indent = indentBefore(before, before.length)
  return indent === undefined ? '' : lineBreakAt(before, before.length - indent.length) + indent
}

function withoutLineBreak(before: string, indentLength: number): string {
  const lineStart = before.length - indentLength
  return before.slice(0, lineStart - lineBreakAt(before, lineStart).length)
}

function blanksAfter(text: string): string {
  return text.slice(text.trimEnd().length)
}

function link(node: EditNode, parent: EditNode, previous: EditNode | undefined, next: EditNode | undefined): void {
  Object.assign(node, { parent, previous, next })
  if (previous) previous.next = node
  else parent.first = node
  if (next) next.previous = node
  else parent.last = node
}

function unlink(node: EditNode): void {
  const { parent, previous, next } = node
  if (previous) previous.next = next
  else if (parent) parent.first = next
  if (next) next.previous = previous
  else if (parent) parent.last = previous
  Object.assign(node, { parent: undefined, previous: undefined, next: undefined })
}
