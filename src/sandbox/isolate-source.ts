// Whether a source is one function's text, and where it is not, why: in the words and the lines of whoever wrote it.

import type { Machine, SyntaxFault } from './isolate-machine.ts'

export type CheckedSource =
  | { readonly ok: true; readonly source: string }
  | { readonly ok: false; readonly why: string }

/** The source as it can be run: as it is, or without the semicolon, and what comments follow it, behind the function. */
export function checkSource({ syntaxFault }: Pick<Machine, 'syntaxFault'>, source: string): CheckedSource {
  const fault = syntaxFault(source)
  if (!fault) return { ok: true, source }
  const shorter = withoutTails(source).find((each) => !syntaxFault(each))
  return shorter === undefined ? { ok: false, why: whyNot(source, fault) } : { ok: true, source: shorter }
}

const maxTails = 1_000
const tail = /(?:[\s;]|\/\/.*|\/\*[\s\S]*?\*\/)*/y

/** What stands before each semicolon that only comments and blanks follow, the last one first. */
function withoutTails(source: string): readonly string[] {
  const found: string[] = []
  let at = source.length
  for (let tries = 0; tries < maxTails && at > 0; tries++) {
    at = source.lastIndexOf(';', at - 1)
    if (at < 0) break
    tail.lastIndex = at
    tail.test(source)
    const before = source.slice(0, at).trimEnd()
    if (tail.lastIndex === source.length && !before.endsWith(';')) found.push(before)
  }
  return found
}

const hints: readonly (readonly [RegExp, string])[] = [
  [/^\s*export\b/, ' Leave out "export default": the source is the function alone.'],
  [/^\s*import\b/, ' There are no modules here: what a script needs is in its arguments.'],
]

function whyNot(source: string, { message, line, column }: SyntaxFault): string {
  const lines = source.trimEnd().split('\n')
  const hint = hints.find(([pattern]) => pattern.test(source))?.[1] ?? ''
  if (line === undefined) return `${message}.${hint}`
  // The fault is found behind the source, in what is put around it.
  if (line > source.split('\n').length)
    return `the source ends too early (line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}).${hint}`
  return `${message} (line ${line}, column ${column}).${hint}`
}
