// Rich text: one inline element.

import type { Attributes, RichNode, RichText, Source } from './document.ts'
import { annotations, marks } from './elements.ts'
import type { Report } from './faults.ts'
import { plainText } from './rich-text.ts'

export function inlineNode(
  element: string,
  attributes: Attributes,
  content: RichText,
  source: Source,
  report: Report,
): Exclude<RichNode, string> {
  const base = { element, attributes, content, source }
  const mark = marks[element]
  if (mark) return Object.freeze({ kind: 'mark', mark, ...base })
  if (element === 'a') return Object.freeze({ kind: 'link', href: attributes.href ?? '', ...base })
  if (element === 'variable') {
    const { name = '', prompt } = attributes
    if (!name.trim()) {
      const hint = 'Write <variable name="…" />.'
      report({ code: 'INVALID_VARIABLE', message: 'A variable has no name.', hint, offset: source.start })
    }
    return Object.freeze({ kind: 'variable', name, ...(prompt !== undefined && { prompt }), ...base })
  }
  if (element.startsWith('mention:')) {
    const { id, label } = attributes
    const shown = label ?? (plainText(content) || id || '')
    const type = element.slice('mention:'.length)
    return Object.freeze({ kind: 'mention', type, ...(id !== undefined && { id }), label: shown, ...base })
  }
  return Object.freeze({ kind: annotations.has(element) ? 'annotation' : 'unknown', ...base })
}
