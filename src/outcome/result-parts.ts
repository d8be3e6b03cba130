// A result in parts, for models that can see: images as images, everything else as text.

import type { Outcome } from '../model/outcome.ts'
import type { ToolKind } from '../model/tool.ts'
import { bytesNote } from './bytes.ts'
import { contentOf } from './content.ts'
import { notesIn } from './notes.ts'

export type ResultPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly mediaType: ShownType; readonly data: string }

/** What every provider that sees takes; another would spoil the whole conversation. */
const shownTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const
export type ShownType = (typeof shownTypes)[number]

/** Undefined where the outcome's text is all there is to show. A failure is always text. */
export function resultParts(
  outcome: Pick<Outcome, 'ok' | 'text' | 'value' | 'warnings'>,
  kind: ToolKind | undefined,
): readonly ResultPart[] | undefined {
  const parts = outcome.ok ? contentOf(outcome, kind)?.map(partOf) : undefined
  if (!parts?.some(({ type }) => type === 'image')) return undefined
  const length = parts.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0)
  // The outcome's text has all of it, and more; where it has less, it was cut to its limit.
  if (length > outcome.text.length) return undefined
  const notes = notesIn(outcome)
  return notes === '' ? parts : [...parts, { type: 'text', text: notes }]
}

function partOf(block: Readonly<Record<string, unknown>>): ResultPart {
  const { type, text, data, mimeType } = block
  if (type === 'text') return { type, text: String(text) }
  const mediaType = shownTypes.find((shown) => shown === mimeType)
  if (type === 'image' && mediaType && typeof data === 'string' && isBase64(data)) return { type, mediaType, data }
  return { type: 'text', text: bytesNote(block) ?? JSON.stringify(block) }
}

/** As every provider takes it. */
function isBase64(text: string): boolean {
  return text.length > 0 && text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text)
}
