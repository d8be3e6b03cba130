// What the attributes of an element have to be.

import { didYouMean, nearest } from '../base/text.ts'
import { NameError } from '../model/errors.ts'
import { checkId } from '../model/name.ts'
import type { Attributes } from './document.ts'
import { attributeNames, functionAttributes, isForeignAttribute, proseElements, triggerAttributes } from './elements.ts'
import type { Report } from './faults.ts'

/** Says which attributes nobody knows. They are kept all the same. */
export function checkAttributes(element: string, attributes: Attributes, offset: number, report: Report): void {
  const known = attributeNames[element]
  if (!known) return
  for (const name in attributes) {
    if (name === 'id' || known.includes(name) || isForeignAttribute(name)) continue
    const message = `<${element}> has no attribute "${name}"; it is kept and means nothing.`
    const hint = didYouMean(nearest(name, ['id', ...known])).trim() || 'Remove it if it is a mistake.'
    if (!report({ code: 'UNKNOWN_ATTRIBUTE', message, hint, offset })) return
  }
}

const callers = {
  call: { names: functionAttributes, missing: 'MISSING_FUNCTION', invalid: 'INVALID_FUNCTION', element: 'fncall' },
  trigger: { names: triggerAttributes, missing: 'MISSING_TRIGGER', invalid: 'INVALID_TRIGGER', element: 'trigger' },
} as const

/** The tool that a block calls; the empty text when it names none. */
export function calledName(kind: keyof typeof callers, attributes: Attributes, offset: number, report: Report): string {
  const { names, missing, invalid, element } = callers[kind]
  const given = new Set(names.map((name) => attributes[name]).filter((name) => name !== undefined))
  const [name = ''] = given
  const example = `Write <${element} ${names[0]}="module:function">.`
  if (!name) {
    report({ code: missing, message: `This <${element}> does not say what it calls.`, hint: example, offset })
  } else if (given.size > 1) {
    const message = `This <${element}> names ${[...given].map((other) => `"${other}"`).join(' and ')}.`
    report({ code: invalid, message, hint: 'Keep one of the names.', offset })
  } else {
    const suggestion = betterName(name)
    const message = `The name "${name}" is not "module:function" with both parts JavaScript identifiers.`
    if (suggestion) report({ code: invalid, message, hint: `Write "${suggestion}".`, offset })
  }
  return name
}

/** False for `enabled="false"`, and for anything that is not plainly true. */
export function enabledOf({ enabled = 'true' }: Attributes, offset: number, report: Report): boolean {
  if (enabled !== 'true' && enabled !== 'false') {
    const message = `enabled="${enabled}" is neither "true" nor "false", so this trigger is off.`
    report({ code: 'INVALID_ATTRIBUTE', message, hint: 'Write enabled="true" to switch it on.', offset })
  }
  return enabled === 'true'
}

export function levelOf(element: string, { level = '' }: Attributes, offset: number, report: Report): number {
  const known = proseElements[element]?.level
  if (known) return known
  if (/^[1-6]$/.test(level)) return Number(level)
  const message = `A heading has a level from 1 to 6, not "${level}"; it is taken for 1.`
  report({ code: 'INVALID_ATTRIBUTE', message, hint: 'Write level="2", or <h2>.', offset })
  return 1
}

function betterName(name: string): string | undefined {
  try {
    checkId(name)
    return undefined
  } catch (error) {
    if (error instanceof NameError) return error.suggestion
    throw error
  }
}
