// Finds values without a language model: in what the caller mentions, and in what it says of a variable by its name.

import type { VariableDeclaration } from './document.ts'
import type { ResolveVariables } from './resolve-variables.ts'

/** A mention whose type is the variable's name, else `name="value"`, else `name: value`. */
export const contentResolver: ResolveVariables = (variables, { content, mentions }) => {
  const mentioned = new Map<string, string>()
  for (const { type, label } of mentions) if (!mentioned.has(type)) mentioned.set(type, label)
  const said = valuesIn(content, variables)
  return new Map(
    variables.flatMap(({ name }) => {
      const value = mentioned.get(name) ?? said.get(name)
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** A value goes up to a comma, a semicolon, the line's end or the next variable's name; between quotes it is as it is. */
function valuesIn(content: string, variables: readonly VariableDeclaration[]): ReadonlyMap<string, string> {
  const names = new Map(variables.map(({ name }) => [name.toLowerCase(), name]))
  const found = new Map<string, string>()
  const marks = [...content.matchAll(namePattern(variables))]
  let end = 0
  for (const [at, { index, 0: whole, 1: written = '', 2: sign = '' }] of marks.entries()) {
    // A name between the quotes of another value is a part of that value.
    if (index < end) continue
    const start = index + whole.length
    const quoted = /^\s*(?:"([^"]*)"|'([^']*)')/.exec(content.slice(start, start + maxLook))
    const next = marks[at + 1]?.index ?? content.length
    const plain = /^[^,;\r\n]*/.exec(content.slice(start, Math.min(next, start + maxLook)))?.[0] ?? ''
    const value = quoted ? (quoted[1] ?? quoted[2] ?? '') : plain.trim()
    if (quoted) end = start + quoted[0].length
    const name = names.get(written.toLowerCase())
    // `name=value` without quotes is no way to say a value.
    const counts = quoted !== null || (sign === ':' && value !== '')
    if (name !== undefined && counts && !found.has(name)) found.set(name, value)
  }
  return found
}

/** Nobody says more of one variable. */
const maxLook = 100_000

/** Every variable's name where it is a word of its own, with a colon or an equals sign behind it. */
function namePattern(variables: readonly VariableDeclaration[]): RegExp {
  const names = variables.map(({ name }) => escaped(name)).sort((a, b) => b.length - a.length)
  return new RegExp(`(?<![\\p{L}\\p{N}_$])(${names.join('|')})\\s{0,3}([:=])`, 'giu')
}

function escaped(name: string): string {
  return name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
