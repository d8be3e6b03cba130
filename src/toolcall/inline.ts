// A JSON Schema with its local references written out, as a finite tree that every other step here may walk recursively.

import { isObject } from '../base/json.ts'
import { resolveRef, type SchemaObject } from '../validate/schema-walk.ts'

export interface Inlined {
  readonly schema: SchemaObject
  /** Whether nothing was left out: no recursion, no reference to nowhere, not too deep and not too large. */
  readonly whole: boolean
}

const maxNodes = 2_000
const maxDepth = 64

/** What had to be left out is `{}`, which takes anything. A schema that references multiply does not grow beyond a bound. */
export function inlineReferences(root: unknown): Inlined {
  const walk: Walk = { root, nodes: 0, whole: true }
  const schema = inline(walk, root, ['#'], 0)
  return { schema: isObject(schema) ? schema : {}, whole: walk.whole }
}

interface Walk {
  readonly root: unknown
  nodes: number
  whole: boolean
}

function inline(walk: Walk, schema: unknown, trail: readonly string[], depth: number): unknown {
  if (!isObject(schema)) return schema
  if (++walk.nodes > maxNodes || depth > maxDepth) return leftOut(walk)
  const { $ref, ...rest } = schema
  if ($ref !== undefined) {
    const target = typeof $ref === 'string' && !trail.includes($ref) ? resolveRef(walk.root, $ref) : undefined
    if (!isObject(target) || typeof $ref !== 'string') return leftOut(walk)
    return inline(walk, { ...target, ...rest }, [...trail, $ref], depth + 1)
  }
  if ('$dynamicRef' in schema || '$recursiveRef' in schema) return leftOut(walk)
  const below = (part: unknown) => inline(walk, part, trail, depth + 1)
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword]) => !dropped.has(keyword))
      .map(([keyword, value]) => [keyword, inlineKeyword(keyword, value, below)]),
  )
}

const dropped = new Set(['$schema', '$id', 'id', '$anchor', '$dynamicAnchor', '$comment', '$defs', 'definitions'])
const maps = new Set(['properties', 'patternProperties', 'dependentSchemas'])
const schemas = new Set(['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'])
const lists = new Set(['items', 'prefixItems', 'anyOf', 'oneOf', 'allOf'])

/** Only where schemas stand; an `enum` may hold something that merely looks like one. */
function inlineKeyword(keyword: string, value: unknown, below: (part: unknown) => unknown): unknown {
  if (Array.isArray(value)) return lists.has(keyword) ? value.map(below) : value
  if (!isObject(value)) return value
  if (maps.has(keyword)) return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, below(part)]))
  return schemas.has(keyword) ? below(value) : value
}

function leftOut(walk: Walk): SchemaObject {
  walk.whole = false
  return {}
}
