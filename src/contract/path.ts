// Paths into a value: `$`, `$.a.b`, `$.a[0]`, `$['odd key']`; where a target is meant, `a.b` as well.

import { isObject, setOwn } from '../base/json.ts'

export type Path = readonly (string | number)[]

export type ParsedPath = { readonly ok: true; readonly path: Path } | { readonly ok: false; readonly message: string }

const maxSteps = 64
/** One part of a path: a name, an index, or a name in quotation marks. */
export const pathPart = /\.([^.[\]]+)|\[(\d+)\]|\['([^']*)'\]|\["([^"]*)"\]/
const step = new RegExp(pathPart, 'y')

export function parsePath(text: string): ParsedPath {
  const rest = text.startsWith('$') ? text.slice(1) : text.startsWith('[') ? text : `.${text}`
  const path: (string | number)[] = []
  let at = 0
  while (at < rest.length) {
    step.lastIndex = at
    const found = step.exec(rest)
    if (!found || path.length === maxSteps) return { ok: false, message: brokenPath(text) }
    const [, name, index, quoted, doubleQuoted] = found
    path.push(index === undefined ? (name ?? quoted ?? doubleQuoted ?? '') : Number(index))
    at = step.lastIndex
  }
  return text === '' ? { ok: false, message: brokenPath(text) } : { ok: true, path }
}

/** What stands at a path: own properties alone, so that nothing of the language itself is found. Undefined when nothing does. */
export function readPath(value: unknown, path: Path): unknown {
  let at = value
  for (const part of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return undefined
    if (Array.isArray(at) && !/^\d+$/.test(String(part))) return undefined
    at = Reflect.get(at, part)
  }
  return at
}

/** Puts a value at a path, with objects on the way where there are none. */
export function writePath(root: Record<string, unknown>, path: Path, value: unknown): void {
  let at: Record<string, unknown> | unknown[] = root
  for (const part of path.slice(0, -1)) {
    const inner: unknown = Object.hasOwn(at, part) ? Reflect.get(at, part) : undefined
    const next: Record<string, unknown> | unknown[] = isObject(inner) || Array.isArray(inner) ? inner : {}
    setOwn(at, String(part), next)
    at = next
  }
  setOwn(at, String(path.at(-1)), value)
}

function brokenPath(text: string): string {
  return `The path "${text.slice(0, 100)}" is broken. Write one such as $.user.name, $.items[0] or $['odd key'].`
}
