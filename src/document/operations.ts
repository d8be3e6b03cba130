// The operations of a diff, one function each.

import { parametersFinding } from './call-parts.ts'
import type { DiffOperation } from './diff-operations.ts'
import type { RichText } from './document.ts'
import { detach, type EditNode, replaceNode, setAttribute, setInner } from './edit-tree.ts'
import { isBlockElement } from './elements.ts'
import type { Finding } from './faults.ts'
import { blockNode, forget, newNode, type Patch, partOf, Refusal, rename, withLineBreaks } from './patch.ts'
import { anchorOf, checkMove, checkPlace, place, selectionOf } from './placement.ts'

/** Nothing, or why it could not be done. */
export function perform(patch: Patch, operation: DiffOperation): Finding | undefined {
  try {
    performers[operation.element]?.(patch, operation)
    return undefined
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { code, message, hint, blockId } = error
    return { code, message, hint, offset: operation.source.start, ...(blockId !== undefined && { blockId }) }
  }
}

const performers: Readonly<Record<string, (patch: Patch, operation: DiffOperation) => void>> = {
  'edit:attr': editAttribute,
  'edit:prop': editAttribute,
  'edit:id': (patch, operation) => rename(patch, targetOf(patch, operation), required(operation, 'value')),
  'edit:content': editContent,
  'edit:params': editParameters,
  insert: (patch, operation) => place(patch, operation, newNodes(patch, operation)),
  delete: (patch, operation) => {
    const node = targetOf(patch, operation)
    forget(patch, node)
    detach(node)
  },
  replace,
  move,
}

function editAttribute(patch: Patch, operation: DiffOperation): void {
  const node = targetOf(patch, operation)
  const name = required(operation, 'name')
  const value = required(operation, 'value')
  if (!/^[\p{L}_][\p{L}\p{N}_.:-]*$/u.test(name)) {
    throw new Refusal('NOT_EDITABLE', `"${name}" is no name for an attribute.`, 'Use one such as "language".', node.id)
  }
  if (name === 'id') rename(patch, node, value)
  else setAttribute(node, name, value)
}

function editContent(patch: Patch, operation: DiffOperation): void {
  const node = targetOf(patch, operation)
  const inner = innerOf(patch, operation)
  const kind = node.block?.kind
  if (kind === 'separator' || kind === 'tool') {
    const message = `The block "${node.id}" is a <${node.element}>, which has no content of its own.`
    throw new Refusal('NOT_EDITABLE', message, 'Edit the blocks in it, or replace it.', node.id)
  }
  const block = blockElementIn(operation.content)
  if (block !== undefined) {
    const message = `A <${block}> is a block, and no part of the content of "${node.id}".`
    throw new Refusal('NOT_EDITABLE', message, 'Put it there with <insert>.', node.id)
  }
  if (kind === 'code' || kind === 'data') setInner(node, inner)
  else setInner(isCall(node) ? partOf(patch, node, 'content') : node, withoutLayout(inner))
}

/** What would become a block of its own where the content goes. */
function blockElementIn(content: RichText): string | undefined {
  for (const node of content) {
    if (typeof node === 'string') continue
    if (node.kind === 'unknown' && isBlockElement(node.element)) return node.element
    const inside = blockElementIn(node.content)
    if (inside !== undefined) return inside
  }
  return undefined
}

function editParameters(patch: Patch, operation: DiffOperation): void {
  const node = targetOf(patch, operation)
  if (!isCall(node)) {
    const message = `The block "${node.id}" is a <${node.element}>, which has no parameters.`
    throw new Refusal('NOT_EDITABLE', message, 'Name a <fncall> or a <trigger>.', node.id)
  }
  const finding = parametersFinding(patch.diffText, { raw: operation.text, source: operation.source })
  if (finding) throw new Refusal(finding.code, finding.message, finding.hint, node.id)
  setInner(partOf(patch, node, 'params'), innerOf(patch, operation))
}

/** One block in the place of one keeps its id, unless it has another. */
function replace(patch: Patch, operation: DiffOperation): void {
  const target = targetOf(patch, operation)
  const { id } = target
  forget(patch, target)
  const nodes = newNodes(patch, operation)
  checkPlace(target.parent, nodes)
  const [only] = nodes
  if (only && nodes.length === 1 && id !== undefined && only.id === undefined) rename(patch, only, id)
  replaceNode(target, nodes)
}

function move(patch: Patch, operation: DiffOperation): void {
  const nodes = selectionOf(patch, operation)
  const anchor = anchorOf(patch, operation)
  // The first or last block may be among those that move: then the place is beside the one that is left.
  if ('after-block-id' in operation.attributes || 'before-block-id' in operation.attributes) checkMove(nodes, anchor)
  else checkMove(nodes, { ...anchor, node: undefined })
  for (const node of nodes) {
    detach(node)
    node.by = operation.source.start
  }
  place(patch, operation, [...nodes])
}

function newNodes(patch: Patch, { element, blocks, source }: DiffOperation): EditNode[] {
  if (blocks.length > 0) return blocks.map((block) => Object.assign(newNode(patch, block), { by: source.start }))
  throw new Refusal('EMPTY_OPERATION', `This <${element}> has no blocks in it.`, 'Put the new blocks inside.')
}

function targetOf(patch: Patch, operation: DiffOperation): EditNode {
  const node = blockNode(patch, required(operation, 'block-id'))
  node.by = operation.source.start
  return node
}

function required({ element, attributes }: DiffOperation, name: string): string {
  const value = attributes[name]
  if (value !== undefined) return value
  throw new Refusal('MISSING_ATTRIBUTE', `<${element}> has no "${name}".`, `Write ${name}="…".`)
}

function innerOf(patch: Patch, { source }: DiffOperation): string {
  return withLineBreaks(patch, patch.diffText.slice(source.contentStart, source.contentEnd))
}

/** Line breaks around content are the layout of the diff, not part of it. */
function withoutLayout(inner: string): string {
  const start = inner.length - inner.trimStart().length
  const end = inner.trimEnd().length
  const from = /[\r\n]/.test(inner.slice(0, start)) ? start : 0
  return inner.slice(from, /[\r\n]/.test(inner.slice(Math.max(end, from))) ? Math.max(end, from) : undefined)
}

function isCall({ block }: EditNode): boolean {
  return block?.kind === 'call' || block?.kind === 'trigger'
}
