// An outcome as the result of a `tools/call`.

import { isObject } from '../base/json.ts'
import type { KeptResult } from '../model/large-result.ts'
import type { Outcome } from '../model/outcome.ts'
import type { ToolDescription, ToolKind } from '../model/tool.ts'
import { withoutBytes } from '../outcome/bytes.ts'
import { type Block, contentOf } from '../outcome/content.ts'
import { notesIn } from '../outcome/notes.ts'
import { keptKey } from './mcp-tools.ts'

export interface CallResult extends Record<string, unknown> {
  readonly content: readonly Block[]
  readonly isError?: boolean
}

/** A failure that is the protocol's own, to be passed on as such. */
export interface ProtocolFailure {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

const invalidParams = -32_602

/** Failures that an MCP server tells as errors of the protocol: no such tool, and what a server behind us answered so. */
export function protocolFailure(
  outcome: Outcome,
  kind: ToolKind | undefined,
  isMeta = false,
): ProtocolFailure | undefined {
  if (outcome.ok) return undefined
  const hint = isMeta ? ' Look for it with search_tools.' : ''
  if (outcome.code === 'unknown-tool') return { code: invalidParams, message: `${outcome.text}${hint}` }
  const { value } = outcome
  if (kind !== 'mcp' || !isObject(value) || 'content' in value || typeof value.code !== 'number') return undefined
  return { code: value.code, message: outcome.message, ...(value.data !== undefined && { data: value.data }) }
}

/** The outcome as its length counts: images and files are no text, and travel as what they are. */
export function withoutMedia(outcome: Outcome, kind: ToolKind | undefined): Outcome {
  return outcome.ok && contentOf(outcome, kind) ? { ...outcome, value: withoutBytes(outcome.value) } : outcome
}

/** A result that was kept because it is too long goes as its beginning and an address. */
export function callResult(
  outcome: Outcome,
  tool: Pick<ToolDescription, 'kind' | 'output'> | undefined,
  large: KeptResult | undefined,
): CallResult {
  const about = { isError: !outcome.ok, _meta: { 'legwork/callId': outcome.callId } }
  const notes = notesIn(outcome)
  const below = notes === '' ? [] : [{ type: 'text', text: notes }]
  if (large) return keptResult(large, below, about)
  const { value } = outcome
  const content = contentOf(outcome, tool?.kind)
  if (content && isObject(value)) {
    const { structuredContent } = value
    return { content: [...content, ...below], ...(structuredContent !== undefined && { structuredContent }), ...about }
  }
  const text = outcome.text || (outcome.ok ? '' : 'The tool failed and said nothing.')
  const isStructured = outcome.ok && (isObject(value) || tool?.output !== undefined)
  return { content: [{ type: 'text', text }], ...(isStructured && { structuredContent: value }), ...about }
}

function keptResult(
  { preview, uri, mediaType, bytes, expiresAt }: KeptResult,
  below: readonly Block[],
  about: Pick<CallResult, 'isError' | '_meta'>,
): CallResult {
  const link = { type: 'resource_link', uri, name: 'The whole result', mimeType: mediaType, size: bytes }
  return {
    content: [{ type: 'text', text: preview }, link, ...below],
    structuredContent: { [keptKey]: { uri, mediaType, bytes, expiresAt } },
    ...about,
  }
}
