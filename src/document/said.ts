// What somebody says to a tool: rich text as plain text, and the mentions in it.

import type { Said, SaidMention, TextRange } from './block-context.ts'
import type { RichText } from './document.ts'
import { parseDocument } from './parse.ts'
import { labelOf, textPieces, type VariableValue } from './rich-text.ts'

export function saidIn(rich: RichText, valueFor?: VariableValue): Said {
  const filled: TextRange[] = []
  let text = ''
  for (const piece of textPieces(rich, valueFor)) {
    if (piece.isValue) filled.push({ start: text.length, end: text.length + piece.text.length })
    text += piece.text
  }
  return { text, mentions: [...mentionsIn(rich, valueFor)], ...(filled.length > 0 && { filled }) }
}

const before = '<document><fncall fn="said"><content>'
const after = '</content></fncall></document>'

/** Reads a caller's words as rich text; what is not well-formed, or would be more than rich text, is plain text. */
export function readSaid(content: string): Said {
  if (!/[<&]/.test(content)) return { text: content, mentions: [] }
  const parsed = parseDocument(`${before}${content}${after}`)
  const [block] = parsed.ok ? parsed.document.allBlocks : []
  const isWhole = block?.kind === 'call' && block.content?.source.contentEnd === before.length + content.length
  return isWhole && block.content ? saidIn(block.content.rich) : { text: content, mentions: [] }
}

function* mentionsIn(rich: RichText, valueFor?: VariableValue): Generator<SaidMention> {
  for (const node of rich) {
    if (typeof node === 'string') continue
    if (node.kind === 'mention') {
      const { type, id } = node
      yield { type, ...(id !== undefined && { id }), label: labelOf(node, valueFor) }
    }
    yield* mentionsIn(node.content, valueFor)
  }
}
