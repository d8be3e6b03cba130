// A document that is being changed by a diff: its tree, and its blocks by their ids of the moment.

import { didYouMean, nearest } from '../base/text.ts'
import type { Block } from './document.ts'
import {
  append,
  blockTree,
  type EditNode,
  insertBeside,
  setAttribute,
  textOf,
  touchedIn,
  treeOf,
  withinNode,
} from './edit-tree.ts'
import type { DocumentFaultCode } from './faults.ts'
import { firstLineBreak, unitOf } from './indentation.ts'
import type { DocumentContent } from './read.ts'

export interface Patch {
  readonly content: DocumentContent
  readonly diffText: string
  readonly root: EditNode
  readonly byId: Map<string, EditNode>
  readonly lineBreak: string
  /** One step of indentation. */
  readonly unit: string
}

/** What stops an operation. */
export class Refusal extends Error {
  readonly code: DocumentFaultCode
  readonly hint: string
  readonly blockId: string | undefined

  constructor(code: DocumentFaultCode, message: string, hint: string, blockId?: string) {
    super(message)
    this.code = code
    this.hint = hint
    this.blockId = blockId
  }
}

export function startPatch(content: DocumentContent, diffText: string): Patch {
  const { text, source, blocks } = content
  const root = treeOf(text, content.root, source, blocks)
  const byId = new Map<string, EditNode>()
  for (const node of withinNode(root)) if (node.id !== undefined) byId.set(node.id, node)
  return { content, diffText, root, byId, lineBreak: firstLineBreak(text), unit: unitOf(content) }
}

export function patchedText({ content: { text, source }, root }: Patch): string {
  return text.slice(0, source.start) + textOf(root) + text.slice(source.end)
}

/** The operation that made what stands at one of these offsets of the changed text, by its place in the diff. */
export function operationAt({ content: { source }, root }: Patch): (offsets: readonly number[]) => number | undefined {
  const touched = touchedIn(root)
  return (offsets) => {
    for (const offset of offsets) {
      const at = offset - source.start
      const found = touched.find(({ start, end }) => start <= at && at < end)
      if (found) return found.by
    }
    return undefined
  }
}

export function blockNode({ byId }: Patch, id: string): EditNode {
  const node = byId.get(id)
  if (node) return node
  const near = byId.size > maxSuggested ? [] : nearest(id, byId.keys())
  const message = `There is no block "${id}".${didYouMean(near)}`
  throw new Refusal('UNKNOWN_BLOCK', message, 'Name a block of the document.', id)
}

/** Among very many ids the nearest takes long to find. */
const maxSuggested = 10_000

/** A node from the diff's own text; only ids that are written there count. */
export function newNode(patch: Patch, block: Block): EditNode {
  const tree = blockTree(patch.diffText, block)
  for (const node of withinNode(tree)) {
    node.before = withLineBreaks(patch, node.before)
    node.open = withLineBreaks(patch, node.open)
    node.tail = withLineBreaks(patch, node.tail)
    if (!node.block?.hasOwnId) node.id = undefined
    if (node.id !== undefined) claim(patch, node.id, node)
  }
  return tree
}

export function rename(patch: Patch, node: EditNode, id: string): void {
  if (node.id === id) return
  claim(patch, id, node)
  if (node.id !== undefined) patch.byId.delete(node.id)
  node.id = id
  setAttribute(node, 'id', id)
}

/** The blocks of a node that is about to go can no longer be named. */
export function forget({ byId }: Patch, node: EditNode): void {
  for (const { id } of withinNode(node)) if (id !== undefined) byId.delete(id)
}

/** `params` or `content` of a call, made where there is none: parameters first, content after them, the result last. */
export function partOf({ unit, lineBreak }: Patch, call: EditNode, element: 'params' | 'content'): EditNode {
  const children = new Map<string, EditNode>()
  for (let child = call.first; child; child = child.next) children.set(child.element, child)
  const found = children.get(element)
  if (found) return found
  const part: EditNode = { element, before: '', open: `<${element}>`, close: `</${element}>`, tail: '' }
  const parameters = children.get('params')
  if (parameters) insertBeside([part], parameters, 'after')
  else if (call.first) insertBeside([part], call.first, 'before')
  else append([part], call, unit, lineBreak)
  return part
}

/** A text of the diff with the line breaks of the document. */
export function withLineBreaks({ lineBreak }: Patch, text: string): string {
  return text.replace(/\r\n?|\n/g, lineBreak)
}

function claim({ byId }: Patch, id: string, node: EditNode): void {
  if (id === '') throw new Refusal('MISSING_ATTRIBUTE', 'An id may not be empty.', 'Write an id.')
  if (byId.has(id)) throw new Refusal('DUPLICATE_NODE_ID', `The id "${id}" is taken.`, 'Choose another.', id)
  byId.set(id, node)
}
