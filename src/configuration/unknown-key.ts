// What to say of a key that is not known, and what was probably meant.

import { didYouMean, nearest } from '../base/text.ts'
import type { Shape } from './check.ts'
import { type Path, quoted, showPath } from './words.ts'

export function unknownKey(root: Shape, shape: Shape, key: string, path: Path): string {
  const known = Object.entries(shape.properties ?? {}).flatMap(([name, own]) => (own.deprecated ? [] : [name]))
  const where = path.length ? showPath(path) : 'the configuration'
  if (!known.length) return `${quoted(key)} cannot be a name in ${where}; write another one.`
  const near = nearest(key, known)
  const guesses = near.length ? near : elsewhere(root, key, '')
  const advice = didYouMean(guesses) || ` Its keys are ${known.map(quoted).join(', ')}.`
  return `${quoted(key)} is not a key of ${where}.${advice}`
}

/** Where else in the schema a key of that name stands, such as `limits.timeoutMs`. */
function elsewhere(shape: Shape, key: string, path: string): string[] {
  const { properties = {}, additionalProperties, items, anyOf = [] } = shape
  const below = Object.entries(properties).flatMap(([name, own]) => {
    const here = path ? `${path}.${name}` : name
    return name === key && !own.deprecated ? [here] : elsewhere(own, key, here)
  })
  const entries = typeof additionalProperties === 'object' ? elsewhere(additionalProperties, key, `${path}.NAME`) : []
  const listed = items ? elsewhere(items, key, `${path}[]`) : []
  return [...below, ...entries, ...listed, ...anyOf.flatMap((branch) => elsewhere(branch, key, path))]
}
