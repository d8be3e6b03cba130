// Variables are declared once and used many times, within one tool or within the document outside of tools.

import type { Variable, VariableDeclaration } from './document.ts'
import { variableTypes } from './elements.ts'
import type { Report } from './faults.ts'

export class Scope {
  /** By their names in small letters: callers say a name in whichever case they like. */
  readonly #byName = new Map<string, VariableDeclaration>()

  /** The first occurrence declares; a later one that says otherwise is a fault, told with both places. */
  declare(variable: Variable, report: Report): void {
    const { name, source } = variable
    const key = name.normalize('NFC').toLowerCase()
    const declared = this.#byName.get(key)
    if (!declared) {
      this.#byName.set(key, declaration(variable, report))
      return
    }
    const difference = differenceTo(declared, variable)
    if (!difference) return
    const message = `The variable "${name}" is declared here again ${difference.how}.`
    report({
      ...{ code: 'DUPLICATE_VARIABLE', message, hint: difference.hint },
      ...{ offset: source.start, relatedOffset: declared.source.start },
    })
  }

  declarations(): readonly VariableDeclaration[] {
    return Object.freeze([...this.#byName.values()])
  }
}

/** What a later occurrence leaves out is as it was declared. */
function differenceTo(declared: VariableDeclaration, variable: Variable) {
  const { name } = declared
  if (variable.name !== name) {
    return { how: `in other letters than "${name}"`, hint: `Write "${name}", or take a name that differs in more.` }
  }
  const { prompt, attributes } = variable
  const { type, options, optional } = attributes
  const other = [
    prompt !== undefined && prompt !== declared.prompt && 'prompt',
    type !== undefined && type !== declared.type && 'type',
    options !== undefined && optionsIn(options).join() !== declared.options?.join() && 'options',
    optional !== undefined && (optional === 'true') !== declared.optional && 'word on whether it is needed',
  ].filter((what) => what !== false)
  if (other.length === 0) return undefined
  const hint = `Leave that out: <variable name="${name}" /> uses what was declared first.`
  return { how: `with another ${other.join(' and another ')}`, hint }
}

function declaration({ name, prompt, attributes, source }: Variable, report: Report): VariableDeclaration {
  const { type, options } = attributes
  if (type !== undefined && !variableTypes.has(type)) {
    const message = `The variable "${name}" has the type "${type}".`
    const hint = `Use one of ${[...variableTypes].join(', ')}.`
    report({ code: 'INVALID_VARIABLE', message, hint, offset: source.start })
  }
  return Object.freeze({
    ...{ name, ...(prompt !== undefined && { prompt }) },
    optional: attributes.optional === 'true' || /\(optional\)\s*$/i.test(prompt ?? ''),
    ...(type !== undefined && { type }),
    ...(options !== undefined && { options: Object.freeze(optionsIn(options)) }),
    source,
  })
}

function optionsIn(options: string): string[] {
  return options
    .split(',')
    .map((option) => option.trim())
    .filter(Boolean)
}
