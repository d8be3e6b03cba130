// Parameters that a schema neither names nor forbids: most likely misspelt, and so worth a warning.

import { isObject, type Json } from '../base/json.ts'
import { didYouMean, nearest } from '../base/text.ts'
import type { Issue } from '../model/schema.ts'
import { pathText, quoted } from './path.ts'
import { mostIssues } from './plain-copy.ts'
import type { Parameters } from './schema-walk.ts'
import { noWarnings } from './validation.ts'

export function unknownParameters({ names, closed }: Parameters, value: unknown): readonly Issue[] {
  if (!closed || !isObject(value)) return noWarnings
  let warnings: Issue[] | undefined
  for (const name in value) {
    if (names.has(name)) continue
    warnings ??= []
    warnings.push(unknownParameter([], name, names))
    if (warnings.length >= mostIssues) break
  }
  return warnings ?? noWarnings
}

export function unknownParameter(at: readonly (string | number)[], name: string, known: Iterable<string>): Issue {
  const path = pathText([...at, name])
  return {
    path,
    code: 'UNKNOWN_PARAMETER',
    message: `There is no parameter ${quoted(name)}.${suggestion(name, known)}`,
  }
}

/** "Did you mean …?", for a word that is long enough to be misspelt and short enough to compare. */
export function suggestion(word: unknown, known: Iterable<string>): string {
  if (typeof word !== 'string' || word.length < 3 || word.length > 100) return ''
  return didYouMean(nearest(word, known, 2))
}

/** The value with the named parameters alone. */
export function withoutUnknown({ names, closed }: Parameters, value: Json): Json {
  if (!closed || !isObject(value)) return value
  const known = Object.entries(value).filter(([name]) => names.has(name))
  return Object.fromEntries(known)
}
