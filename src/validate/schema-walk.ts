// Finding one's way in a JSON Schema: local references, and the parameters that a schema names.

import { isObject } from '../base/json.ts'

export type SchemaObject = Record<string, unknown>

/** What a reference such as `#/$defs/name` points to, in the same schema; undefined when it points elsewhere. */
export function resolveRef(root: unknown, ref: unknown): unknown {
  if (typeof ref !== 'string' || !/^#(?:\/|$)/.test(ref)) return undefined
  let current = root
  for (const part of ref.split('/').slice(1)) {
    const key = unescapePart(part)
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) return undefined
    current = Reflect.get(current, key)
  }
  return current
}

export interface Parameters {
  /** Every name that the schema gives a meaning to. */
  readonly names: ReadonlySet<string>
  /** Whether other names are worth a warning: some are named, and the schema says nothing about the rest. */
  readonly closed: boolean
}

/** The parameters that a schema names at its top, through references and combinations. */
export function parametersOf(root: unknown): Parameters {
  const names = new Set<string>()
  const seen = new Set<unknown>()
  let named = false
  let open = false
  const waiting: unknown[] = [root]
  while (waiting.length) {
    const schema = waiting.pop()
    if (!isObject(schema) || seen.has(schema)) continue
    seen.add(schema)
    if (isObject(schema.properties)) {
      named = true
      for (const name of Object.keys(schema.properties)) names.add(name)
    }
    if (openings.some((keyword) => schema[keyword] !== undefined)) open = true
    if (schema.$ref !== undefined) waiting.push(resolveRef(root, schema.$ref) ?? anything)
    if (schema.$dynamicRef !== undefined || schema.$recursiveRef !== undefined) open = true
    for (const keyword of combinations) if (Array.isArray(schema[keyword])) waiting.push(...schema[keyword])
    waiting.push(schema.if, schema.then, schema.else)
    if (isObject(schema.dependentSchemas)) waiting.push(...Object.values(schema.dependentSchemas))
  }
  return { names, closed: named && !open }
}

const combinations = ['allOf', 'anyOf', 'oneOf'] as const
const openings = ['additionalProperties', 'unevaluatedProperties', 'patternProperties'] as const
const anything = { additionalProperties: true }

function unescapePart(part: string): string {
  let text = part
  try {
    text = decodeURIComponent(part)
  } catch {
    // A stray percent sign stands for itself.
  }
  return text.replaceAll('~1', '/').replaceAll('~0', '~')
}
