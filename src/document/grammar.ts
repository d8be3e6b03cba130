// What an element is, by where it stands.

import type { Block } from './document.ts'
import { isBlockElement, isInlineElement, operations, proseElements, textElements } from './elements.ts'

/** What an element accepts inside. */
export type Accepts = 'blocks' | 'prose' | 'rich' | 'text' | 'call' | 'tool' | 'diff' | 'nothing'

/** What an element becomes when it is closed. A `stray` is none of ours; its text counts where text does. */
export type Role = Block['kind'] | PartRole
export type PartRole =
  | 'root'
  | 'inline'
  | 'params'
  | 'content'
  | 'result'
  | 'description'
  | 'definition'
  | 'operation'
  | 'stray'

export interface Place {
  readonly role: Role
  readonly accepts: Accepts
  /** Whether nobody knows such an element there. */
  readonly isUnknown?: boolean
}

const roots: Readonly<Record<string, Place>> = {
  document: { role: 'root', accepts: 'blocks' },
  agent: { role: 'root', accepts: 'blocks' },
  diff: { role: 'root', accepts: 'diff' },
}

const stray: Place = { role: 'stray', accepts: 'text', isUnknown: true }
const inline: Place = { role: 'inline', accepts: 'rich' }
const unknownInline: Place = { ...inline, isUnknown: true }

export function rootPlace(element: string): Place {
  return (Object.hasOwn(roots, element) && roots[element]) || stray
}

export function placeIn(parent: { readonly element: string; readonly accepts: Accepts }, element: string): Place {
  switch (parent.accepts) {
    case 'blocks':
      return blockPlace(element)
    case 'prose':
      // `code` is a mark within prose, and a block between blocks.
      if (isInlineElement(element)) return inline
      return isBlockElement(element) ? blockPlace(element) : unknownInline
    case 'rich':
      return isInlineElement(element) ? inline : unknownInline
    case 'call':
      if (element === 'params' || element === 'result') return { role: element, accepts: 'text' }
      return element === 'content' ? { role: element, accepts: 'rich' } : stray
    case 'tool':
      if (element === `${parent.element}:description`) return { role: 'description', accepts: 'rich' }
      return element === `${parent.element}:definition` ? { role: 'definition', accepts: 'blocks' } : stray
    case 'diff':
      return operationPlace(element)
    case 'text':
    case 'nothing':
      return stray
    default:
      return parent.accepts satisfies never
  }
}

/** The elements that stand in another besides blocks and rich text. */
export function partsIn({ element, accepts }: { readonly element: string; readonly accepts: Accepts }): string[] {
  if (accepts === 'call') return ['params', 'content', 'result']
  return accepts === 'tool' ? [`${element}:description`, `${element}:definition`] : []
}

function blockPlace(element: string): Place {
  const prose = proseElements[element]
  if (prose) return { role: prose.kind, accepts: 'prose' }
  const text = textElements[element]
  if (text) return { role: text, accepts: 'text' }
  switch (element) {
    case 'separator':
      return { role: 'separator', accepts: 'nothing' }
    case 'fncall':
      return { role: 'call', accepts: 'call' }
    case 'trigger':
      return { role: 'trigger', accepts: 'call' }
    case 'tool':
    case 'function':
      return { role: 'tool', accepts: 'tool' }
    default:
      return { role: 'unknown', accepts: 'prose', isUnknown: true }
  }
}

const operationContent: Readonly<Record<string, Accepts>> = {
  insert: 'blocks',
  replace: 'blocks',
  'edit:content': 'rich',
  'edit:params': 'text',
}

function operationPlace(element: string): Place {
  if (!(element in operations)) return stray
  return { role: 'operation', accepts: operationContent[element] ?? 'nothing' }
}
