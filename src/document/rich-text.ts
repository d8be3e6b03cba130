// Rich text as plain text: what a tool is told. Nesting is bounded when a text is parsed, so the walks may be recursive.

import type { Mention, RichNode, RichText, Variable } from './document.ts'

/** What a variable's value is where there is one; without one it stands there by its name. */
export type VariableValue = (variable: Variable) => string | undefined

/** Variables filled in, mentions by label, links by their text, everything else as it is. A value is data: it is not parsed again. */
export function plainText(rich: RichText, valueFor: VariableValue = () => undefined): string {
  if (rich.length === 1 && typeof rich[0] === 'string') return rich[0]
  let text = ''
  for (const piece of textPieces(rich, valueFor)) text += piece.text
  return text
}

/** A part of plain text: what its author wrote, or a variable's value. */
export interface TextPiece {
  readonly text: string
  readonly isValue: boolean
}

export function* textPieces(rich: RichText, valueFor: VariableValue = () => undefined): Generator<TextPiece> {
  for (const node of rich) yield* nodePieces(node, valueFor)
}

/** The variables in it, in order, one that is there twice included. */
export function* variablesIn(rich: RichText): Generator<Variable> {
  for (const node of rich) {
    if (typeof node === 'string') continue
    if (node.kind === 'variable') yield node
    yield* variablesIn(node.content)
  }
}

/** Its label, with variables in it filled in. */
export function labelOf({ attributes, content, label }: Mention, valueFor?: VariableValue): string {
  return attributes.label ?? (plainText(content, valueFor) || label)
}

function* nodePieces(node: RichNode, valueFor: VariableValue): Generator<TextPiece> {
  if (typeof node === 'string') {
    yield { text: node, isValue: false }
    return
  }
  switch (node.kind) {
    case 'variable': {
      const value = valueFor(node)
      yield { text: value ?? `{${node.name}}`, isValue: value !== undefined }
      return
    }
    case 'mention': {
      const pieces = node.attributes.label === undefined ? [...textPieces(node.content, valueFor)] : []
      if (pieces.some(({ text }) => text !== '')) yield* pieces
      else yield { text: node.attributes.label ?? node.label, isValue: false }
      return
    }
    case 'mark':
    case 'link':
    case 'annotation':
    case 'unknown':
      yield* textPieces(node.content, valueFor)
      return
    default:
      node satisfies never
  }
}
