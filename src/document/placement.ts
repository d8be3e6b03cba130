// Which blocks an operation is about, and where they go.

import type { DiffOperation } from './diff-operations.ts'
import { append, type EditNode, insertBeside } from './edit-tree.ts'
import { isInlineElement } from './elements.ts'
import { blockNode, type Patch, Refusal } from './patch.ts'

export function place(patch: Patch, operation: DiffOperation, nodes: readonly EditNode[]): void {
  const { node, side } = anchorOf(patch, operation)
  checkPlace(node?.parent, nodes)
  if (node) insertBeside(nodes, node, side)
  else append(nodes, patch.root, patch.unit, patch.lineBreak)
}

/** A `<code>` between blocks is a block; within prose it would become a part of the text. */
export function checkPlace(parent: EditNode | undefined, nodes: readonly EditNode[]): void {
  if (!parent?.block || parent.block.kind === 'tool') return
  const inline = nodes.find(({ element }) => isInlineElement(element))
  if (!inline) return
  const message = `A <${inline.element}> inside the block "${parent.id}" would be part of its text, and no block.`
  throw new Refusal('INVALID_ANCHOR', message, 'Choose a place between blocks.', inline.id ?? parent.id)
}

interface Anchor {
  /** There is none where the root has no blocks. */
  readonly node: EditNode | undefined
  readonly side: 'before' | 'after'
}

export function anchorOf(patch: Patch, { attributes }: DiffOperation): Anchor {
  const { 'after-block-id': after, 'before-block-id': before } = attributes
  const atStart = isTrue(attributes, 'at-start')
  const atEnd = isTrue(attributes, 'at-end')
  if ([after !== undefined, before !== undefined, atStart, atEnd].filter(Boolean).length !== 1) {
    const hint = 'Use one of after-block-id, before-block-id, at-start="true" and at-end="true".'
    throw new Refusal('INVALID_ANCHOR', 'Exactly one place is needed.', hint)
  }
  if (after !== undefined) return { node: blockNode(patch, after), side: 'after' }
  if (before !== undefined) return { node: blockNode(patch, before), side: 'before' }
  if (atStart) return { node: blockFrom(patch.root.first, 'next'), side: 'before' }
  return { node: blockFrom(patch.root.last, 'previous'), side: 'after' }
}

/** The blocks that move, in the order in which they will stand. */
export function selectionOf(patch: Patch, { attributes }: DiffOperation): Set<EditNode> {
  const { 'block-id': one, 'block-ids': several, 'from-block-id': from, 'to-block-id': to } = attributes
  if ([one, several, from ?? to].filter((way) => way !== undefined).length !== 1) {
    const hint = 'Use block-id, block-ids="a,b", or from-block-id with to-block-id.'
    throw new Refusal('INVALID_SELECTION', 'A move names its blocks in exactly one way.', hint)
  }
  if (one !== undefined) return new Set([blockNode(patch, one)])
  if (several !== undefined) return listed(patch, several)
  if (from === undefined || to === undefined) {
    throw new Refusal('INVALID_SELECTION', 'A range has two ends.', 'Give both from-block-id and to-block-id.')
  }
  return range(blockNode(patch, from), blockNode(patch, to))
}

/** A block cannot go beside or into itself, nor twice. */
export function checkMove(nodes: ReadonlySet<EditNode>, { node: anchor }: Anchor): void {
  const moving = anchor && firstAbove(anchor, nodes)
  if (moving) {
    const message = `The place, "${anchor.id}", is in the block "${moving.id}", which moves itself.`
    throw new Refusal('INVALID_ANCHOR', message, 'Choose a place outside of what moves.', moving.id)
  }
  for (const node of nodes) {
    const above = node.parent && firstAbove(node.parent, nodes)
    if (!above) continue
    const message = `The block "${node.id}" is inside "${above.id}", which moves as well.`
    throw new Refusal('INVALID_SELECTION', message, 'Name the outer one alone.', node.id)
  }
}

function firstAbove(node: EditNode, nodes: ReadonlySet<EditNode>): EditNode | undefined {
  let above: EditNode | undefined = node
  while (above && !nodes.has(above)) above = above.parent
  return above
}

function listed(patch: Patch, several: string): Set<EditNode> {
  const ids = several.split(',').map((id) => id.trim())
  const nodes = new Set(ids.filter(Boolean).map((id) => blockNode(patch, id)))
  if (nodes.size === ids.length) return nodes
  const message = `block-ids="${several}" names a block twice, or nothing between two commas.`
  throw new Refusal('INVALID_SELECTION', message, 'Name each block once.')
}

function range(first: EditNode, last: EditNode): Set<EditNode> {
  const nodes = new Set<EditNode>()
  for (let node: EditNode | undefined = first; node; node = node.next) {
    if (node.block) nodes.add(node)
    if (node === last) return nodes
  }
  const message = `The block "${last.id}" does not come after "${first.id}" on the same level.`
  throw new Refusal('INVALID_SELECTION', message, 'Name two blocks of one level, the first one first.', last.id)
}

function isTrue(attributes: DiffOperation['attributes'], name: string): boolean {
  const value = attributes[name] ?? 'false'
  if (value === 'true' || value === 'false') return value === 'true'
  throw new Refusal('INVALID_ANCHOR', `${name}="${value}" is neither "true" nor "false".`, `Write ${name}="true".`)
}

function blockFrom(node: EditNode | undefined, direction: 'next' | 'previous'): EditNode | undefined {
  let found = node
  while (found && !found.block) found = found[direction]
  return found
}
