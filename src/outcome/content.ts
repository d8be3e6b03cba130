// What an MCP server's tool gave back in parts: text, images, sounds, resources.

import { isObject } from '../base/json.ts'
import type { Outcome } from '../model/outcome.ts'
import type { ToolKind } from '../model/tool.ts'
import { visibleDeep } from './visible-deep.ts'

export type Block = Readonly<Record<string, unknown>> & { readonly type: string }

/** The parts as the server sent them; undefined where there are none, or one of them is not what the protocol says. */
export function contentOf({ value }: Pick<Outcome, 'value'>, kind: ToolKind | undefined): readonly Block[] | undefined {
  if (kind !== 'mcp' || !isObject(value) || !Array.isArray(value.content) || value.content.length === 0)
    return undefined
  const blocks = value.content.map(blockOf)
  return blocks.every((block) => block !== undefined) ? blocks : undefined
}

function blockOf(block: unknown): Block | undefined {
  if (!isObject(block) || typeof block.type !== 'string') return undefined
  const isText = (...names: string[]) => names.every((name) => typeof block[name] === 'string')
  switch (block.type) {
    case 'text':
      return isText('text') ? { ...visibleDeep(block), type: block.type } : undefined
    case 'image':
    case 'audio':
      return isText('data', 'mimeType') ? { ...block, type: block.type } : undefined
    case 'resource_link':
      return isText('uri', 'name') ? { ...visibleDeep(block), type: block.type } : undefined
    case 'resource':
      return isObject(block.resource) && typeof block.resource.uri === 'string'
        ? { ...visibleDeep(block), type: block.type }
        : undefined
    default:
      return undefined
  }
}
