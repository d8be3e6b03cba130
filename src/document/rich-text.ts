// Rich text as plain text: what a tool is told. Nesting is bounded when a text is parsed, so the walks may be recursive.

import type { Mention, RichNode, RichText, Variable } from './document.ts'

/** What a variable's value is where there is one; without one it stands there by its name. */
export type VariableValue = (variable: Variable) => string | undefined

/** Variables filled in, mentions by label, links by their text, everything else as it is. A value is data: it is not parsed again. */
export function plainText(rich: RichText, valueFor: VariableValue = () => undefined): string {
  if (rich.length === 1 && typeof rich[0] === 'string') return rich[0]
  return rich.map((node) => plainNode(node, valueFor)).join('')
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

function plainNode(node: RichNode, valueFor: VariableValue): string {
  if (typeof node === 'string') return node
  switch (node.kind) {
    case 'variable':
      return valueFor(node) ?? `{${node.name}}`
    case 'mention':
      return labelOf(node, valueFor)
    case 'mark':
    case 'link':
    case 'annotation':
    case 'unknown':
      return plainText(node.content, valueFor)
    default:
      return node satisfies never
  }
}
