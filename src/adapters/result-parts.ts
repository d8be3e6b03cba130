// A result in parts, for SDKs whose models can see: images as images, everything else as text.

import { callResult } from '../gateway/mcp-result.ts'
import type { Outcome } from '../model/outcome.ts'
import type { ToolKind } from '../model/tool.ts'

export type ResultPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly mediaType: ShownType; readonly data: string }

/** What every provider that sees takes; another would spoil the whole conversation. */
const shownTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const
export type ShownType = (typeof shownTypes)[number]

/** Undefined where the outcome's text is all there is to show. A failure is always text. */
export function resultParts(outcome: Outcome, kind: ToolKind): readonly ResultPart[] | undefined {
  if (!outcome.ok) return undefined
  const parts = callResult(outcome, { kind }, undefined).content.map(partOf)
  if (!parts.some(({ type }) => type === 'image')) return undefined
  const length = parts.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0)
  // The outcome's text has all of it, and more; where it has less, it was cut to its limit.
  return length <= outcome.text.length ? parts : undefined
}

function partOf(block: Readonly<Record<string, unknown>>): ResultPart {
  const { type, text, data, mimeType } = block
  if (type === 'text') return { type, text: String(text) }
  const mediaType = shownTypes.find((shown) => shown === mimeType)
  if (type === 'image' && mediaType && typeof data === 'string' && isBase64(data)) return { type, mediaType, data }
  if (typeof data !== 'string') return { type: 'text', text: JSON.stringify(block) }
  return { type: 'text', text: `[${type} ${mimeType}, ${data.length} characters of base64, not shown]` }
}

function isBase64(text: string): boolean {
  return text.length > 0 && text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text)
}
