// Finds values without a language model: in what the caller mentions, and in what it says of a variable by its name.

import type { TextRange } from './block-context.ts'
import type { VariableDeclaration } from './document.ts'
import type { ResolveVariables } from './resolve-variables.ts'

/** A mention whose type is the variable's name, else `name="value"`, else `name: value`. */
export const contentResolver: ResolveVariables = (variables, { content, mentions, filled }) => {
  const mentioned = new Map<string, string>()
  for (const { type, label } of mentions) if (!mentioned.has(type)) mentioned.set(type, label)
  const said = valuesIn(content, variables, filled)
  return new Map(
    variables.flatMap(({ name }) => {
      const value = mentioned.get(name) ?? said.get(name)
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/**
 * A value goes up to a comma, a semicolon, the line's end or the next variable's name; between quotes it is as it is. What was
 * filled in is part of a value, and neither a name nor an end of one.
 */
function valuesIn(
  content: string,
  variables: readonly VariableDeclaration[],
  filled: readonly TextRange[] = [],
): ReadonlyMap<string, string> {
  const names = new Map(variables.map(({ name }) => [name.toLowerCase(), name]))
  const found = new Map<string, string>()
  const written = covered(content, filled)
  const marks = [...written.matchAll(namePattern(variables))]
  let end = 0
  for (const [at, { index, 0: whole, 1: called = '', 2: sign = '' }] of marks.entries()) {
    // A name between the quotes of another value is a part of that value.
    if (index < end) continue
    const start = index + whole.length
    const quoted = /^\s*("[^"]*"|'[^']*')/.exec(written.slice(start, start + maxLook))?.[0]
    const next = marks[at + 1]?.index ?? content.length
    const plain = /^[^,;\r\n]*/.exec(written.slice(start, Math.min(next, start + maxLook)))?.[0] ?? ''
    if (quoted !== undefined) end = start + quoted.length
    const value =
      quoted === undefined ? content.slice(start, start + plain.length).trim() : inside(content, end, quoted)
    const name = names.get(called.toLowerCase())
    // `name=value` without quotes is no way to say a value.
    const counts = quoted !== undefined || (sign === ':' && value !== '')
    if (name !== undefined && counts && !found.has(name)) found.set(name, value)
  }
  return found
}

/** The text with something in the place of what was filled in that is no name, no space and no sign. */
function covered(content: string, filled: readonly TextRange[]): string {
  let text = ''
  let at = 0
  for (const { start, end } of filled) {
    text += content.slice(at, start) + '\uffff'.repeat(end - start)
    at = end
  }
  return text + content.slice(at)
}

/** What stands between quotes that end here. */
function inside(content: string, end: number, quoted: string): string {
  return content.slice(end - quoted.trimStart().length + 1, end - 1)
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
