// Gives every block its id: the one it has, or one derived from what it says and how many before it say the same. Results do not
// count, so that writing them changes no id.

import { hash } from 'node:crypto'
import type { Block } from './document.ts'
import type { Report } from './faults.ts'
import { plainText } from './rich-text.ts'

/** Also freezes the blocks: this is the last thing that happens to them. */
export function identify(text: string, blocks: readonly Block[], report: Report): Map<string, Block> {
  const byId = new Map<string, Block>()
  for (const block of blocks) {
    if (!block.hasOwnId) continue
    const first = byId.get(block.id)
    if (first) report(duplicate(block, first))
    else byId.set(block.id, block)
  }
  const counts = new Map<string, number>()
  for (const block of blocks) {
    // One that was never closed has not become a block.
    if (block.element === '') continue
    if (!block.hasOwnId) {
      const id = freeId(`auto-${hash('sha256', sayingOf(text, block)).slice(0, 10)}`, byId, counts)
      byId.set(id, Object.assign(block, { id }))
    }
    Object.freeze(block)
  }
  return byId
}

function freeId(plain: string, taken: ReadonlyMap<string, Block>, counts: Map<string, number>): string {
  for (;;) {
    const count = (counts.get(plain) ?? 0) + 1
    counts.set(plain, count)
    const id = count === 1 ? plain : `${plain}-${count}`
    if (!taken.has(id)) return id
  }
}

function sayingOf(text: string, block: Block): string {
  switch (block.kind) {
    case 'call':
    case 'trigger': {
      const content = block.content
        ? text.slice(block.content.source.contentStart, block.content.source.contentEnd)
        : ''
      return [block.kind, block.tool, block.parameters?.raw ?? '', content.replace(/\r\n?/g, '\n')].join('\n')
    }
    case 'tool':
      return `tool\n${block.title}`
    case 'code':
    case 'data':
      return `${block.kind}\n${block.text}`
    case 'separator':
      return block.kind
    default:
      return `${block.element}\n${plainText(block.content)}`
  }
}

function duplicate({ id, source }: Block, first: Block): Parameters<Report>[0] {
  return {
    code: 'DUPLICATE_NODE_ID',
    message: `The id "${id}" is there twice.`,
    hint: 'Give one of the blocks another id.',
    ...{ offset: source.start, relatedOffset: first.source.start, blockId: id },
  }
}
