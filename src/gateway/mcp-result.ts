// An outcome as the result of a `tools/call`.

import { isObject } from '../base/json.ts'
import type { KeptResult } from '../model/large-result.ts'
import type { Outcome } from '../model/outcome.ts'
import type { ToolDescription, ToolKind } from '../model/tool.ts'
import { keptKey } from './mcp-tools.ts'
import { visibleDeep } from './mcp-visible.ts'

export interface CallResult extends Record<string, unknown> {
  readonly content: readonly Block[]
  readonly isError?: boolean
}

type Block = Readonly<Record<string, unknown>> & { readonly type: string }

/** A failure that is the protocol's own, to be passed on as such. */
export interface ProtocolFailure {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

const invalidParams = -32_602

/** Failures that an MCP server tells as errors of the protocol: no such tool, and what a server behind us answered so. */
export function protocolFailure(outcome: Outcome, kind: ToolKind | undefined): ProtocolFailure | undefined {
  if (outcome.ok) return undefined
  if (outcome.code === 'unknown-tool') return { code: invalidParams, message: outcome.text }
  const { value } = outcome
  if (kind !== 'mcp' || !isObject(value) || 'content' in value || typeof value.code !== 'number') return undefined
  return { code: value.code, message: outcome.message, ...(value.data !== undefined && { data: value.data }) }
}

/** A result that was kept because it is too long goes as its beginning and an address. */
export function callResult(
  outcome: Outcome,
  tool: Pick<ToolDescription, 'kind' | 'output'> | undefined,
  large: KeptResult | undefined,
): CallResult {
  const about = { isError: !outcome.ok, _meta: { 'legwork/callId': outcome.callId } }
  if (large) return { ...keptResult(large), ...about }
  const { value } = outcome
  const content = tool?.kind === 'mcp' && isObject(value) ? blocksOf(value.content) : undefined
  if (content && isObject(value)) {
    const { structuredContent } = value
    return { content, ...(structuredContent !== undefined && { structuredContent }), ...about }
  }
  const text = outcome.text || (outcome.ok ? '' : 'The tool failed and said nothing.')
  const isStructured = outcome.ok && (isObject(value) || tool?.output !== undefined)
  return { content: [{ type: 'text', text }], ...(isStructured && { structuredContent: value }), ...about }
}

function keptResult({ preview, uri, mediaType, bytes, expiresAt }: KeptResult): CallResult {
  return {
    content: [
      { type: 'text', text: preview },
      { type: 'resource_link', uri, name: 'The whole result', mimeType: mediaType, size: bytes },
    ],
    structuredContent: { [keptKey]: { uri, mediaType, bytes, expiresAt } },
  }
}

/** Content as a server sent it, where every part of it is what the protocol says. */
function blocksOf(content: unknown): readonly Block[] | undefined {
  if (!Array.isArray(content) || content.length === 0) return undefined
  const blocks = content.map(blockOf)
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
