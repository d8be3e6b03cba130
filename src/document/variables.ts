// Variables are declared once and used many times, within one tool or within the document outside of tools.

import type { Variable, VariableDeclaration } from './document.ts'
import { variableTypes } from './elements.ts'
import type { Report } from './faults.ts'

export class Scope {
  readonly #byName = new Map<string, VariableDeclaration>()

  /** The first occurrence declares; a later one with another prompt is a fault, told with both places. */
  declare(variable: Variable, report: Report): void {
    const { name, prompt, source } = variable
    const declared = this.#byName.get(name)
    if (!declared) {
      this.#byName.set(name, declaration(variable, report))
      return
    }
    if (prompt === undefined || prompt === declared.prompt) return
    const message = `The variable "${name}" is declared here again with another prompt.`
    const hint = `Leave the prompt out: <variable name="${name}" /> uses what was declared first.`
    report({
      ...{ code: 'DUPLICATE_VARIABLE', message, hint },
      ...{ offset: source.start, relatedOffset: declared.source.start },
    })
  }

  declarations(): readonly VariableDeclaration[] {
    return Object.freeze([...this.#byName.values()])
  }
}

function declaration({ name, prompt, attributes, source }: Variable, report: Report): VariableDeclaration {
  const { type, options } = attributes
  if (type !== undefined && !variableTypes.has(type)) {
    const message = `The variable "${name}" has the type "${type}".`
    const hint = `Use one of ${[...variableTypes].join(', ')}.`
    report({ code: 'INVALID_VARIABLE', message, hint, offset: source.start })
  }
  const list = options?.split(',').map((option) => option.trim())
  return Object.freeze({
    ...{ name, ...(prompt !== undefined && { prompt }) },
    optional: attributes.optional === 'true' || /\(optional\)\s*$/i.test(prompt ?? ''),
    ...(type !== undefined && { type }),
    ...(list && { options: Object.freeze(list.filter(Boolean)) }),
    source,
  })
}
