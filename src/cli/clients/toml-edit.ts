// A table of a TOML file put in at its end, or taken out, with every other byte left as it is. What comes out is for the caller to
// check: a place where no table may stand is not recognised here.

import type { JsonObject } from '../../base/json.ts'
import { spacedJson } from './json-edit.ts'

export function withTable(text: string, [key, name]: readonly [string, string], entry: JsonObject): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const gap = text === '' ? '' : text.endsWith('\n') ? eol : eol + eol
  const fields = Object.entries(entry).map(([field, value]) => `${field} = ${spacedJson(value)}`)
  return `${text}${gap}${[`[${key}.${name}]`, ...fields, ''].join(eol)}`
}

/** The table wherever it stands, with what is below it and the remarks inside it, under any spelling of its name. */
export function withoutTable(text: string, place: readonly [string, string]): string {
  const all = statements(text)
  const isOurs = ({ path }: Statement) => place.every((part, at) => path[at] === part)
  let result = ''
  let kept = 0
  for (const [at, statement] of all.entries()) {
    if (!isOurs(statement)) continue
    const before = all[at - 1]
    // What stands between two statements of ours goes with them.
    if (!before || !isOurs(before)) result += withoutGap(text.slice(kept, lineStart(text, statement.start)))
    kept = lineEnd(text, statement.end)
  }
  return result + text.slice(kept)
}

interface Statement {
  readonly start: number
  readonly end: number
  /** All keys that lead to it, those of its table included. */
  readonly path: readonly string[]
}

/** Of a text that is known to be TOML: its headers and its keys with their values. */
function statements(text: string): Statement[] {
  const found: Statement[] = []
  let table: readonly string[] = []
  for (let at = skipBlank(text, 0); at < text.length; at = skipBlank(text, at)) {
    const start = at
    const isHeader = text[at] === '['
    at = endOfStatement(text, at)
    const keys = keysOf(text.slice(start, at).replace(/^\[{1,2}/, ''))
    if (isHeader) table = keys
    found.push({ start, end: at, path: isHeader ? keys : [...table, ...keys] })
  }
  return found
}

const blank = /(?:[\s\uFEFF]|#[^\n]*)*/y
const tokens =
  /"""(?:\\[\s\S]|[^\\])*?"{3,5}|'''[\s\S]*?'{3,5}|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|#[^\n]*|[[\]{}\n]|[^"'#[\]{}\n]+/y
const key = /\s*(?:"(?<basic>(?:\\.|[^"\\])*)"|'(?<literal>[^']*)'|(?<bare>[A-Za-z0-9_-]+))\s*(?<more>\.?)/y

function skipBlank(text: string, from: number): number {
  blank.lastIndex = from
  return from + (blank.exec(text)?.[0].length ?? 0)
}

/** The end of its last line; lists, inline tables and texts may go over several. */
function endOfStatement(text: string, from: number): number {
  let depth = 0
  tokens.lastIndex = from
  for (let token = tokens.exec(text)?.[0]; token !== undefined; token = tokens.exec(text)?.[0]) {
    if (token === '\n' && depth === 0) return tokens.lastIndex - 1
    if (token === '[' || token === '{') depth++
    if (token === ']' || token === '}') depth--
  }
  return text.length
}

function keysOf(text: string): string[] {
  const keys: string[] = []
  key.lastIndex = 0
  for (let match = key.exec(text); match; match = match.groups?.more ? key.exec(text) : null) {
    const { basic, literal, bare = '' } = match.groups ?? {}
    keys.push(literal ?? (basic === undefined ? bare : unescaped(basic)))
  }
  return keys
}

function unescaped(basic: string): string {
  try {
    return String(JSON.parse(`"${basic}"`))
  } catch {
    return basic
  }
}

/** The blank line that parts a table from what is before it goes with the table. */
function withoutGap(text: string): string {
  return text.replace(/(^|\n)[ \t]*\r?\n$/, '$1')
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1
}

function lineEnd(text: string, offset: number): number {
  const at = text.indexOf('\n', offset)
  return at < 0 ? text.length : at + 1
}
