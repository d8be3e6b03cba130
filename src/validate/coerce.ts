// Small, safe changes of type for callers that can only send text, such as command lines: only where the value does not
// fit as it is, and only where nothing can be lost. A value whose type already fits is never touched.

import { isObject, type Json, type JsonObject } from '../base/json.ts'
import { resolveRef, type SchemaObject } from './schema-walk.ts'

/** Returns the value itself where nothing had to change, else a changed copy. */
export function coerce(root: unknown, value: Json): Json {
  return coerceTo(root, root, value, true)
}

function coerceTo(root: unknown, given: unknown, value: Json, mayWrap: boolean): Json {
  const schema = branchFor(root, follow(root, given), value)
  if (!schema) return value
  const types = typesOf(root, schema, 0)
  const fitted = types && !fits(types, value) ? convert(types, value) : value
  const chosen = fromEnum(schema, fitted)
  if (mayWrap && types?.has('array') && chosen !== null && !fits(types, chosen)) {
    return coerceTo(root, schema, [value], false)
  }
  if (Array.isArray(chosen)) return coerceItems(root, schema, chosen, mayWrap)
  return isJsonObject(chosen) ? coerceFields(root, schema, chosen) : chosen
}

function coerceItems(root: unknown, schema: SchemaObject, list: readonly Json[], mayWrap: boolean): Json {
  const { items, prefixItems } = schema
  const first = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : []
  const rest = Array.isArray(items) ? schema.additionalItems : items
  const coerced = list.map((item, at) => coerceTo(root, at < first.length ? first[at] : rest, item, mayWrap))
  return coerced.some((item, at) => item !== list[at]) ? coerced : list
}

function coerceFields(root: unknown, schema: SchemaObject, object: JsonObject): Json {
  const { properties } = schema
  if (!isObject(properties)) return object
  const required = Array.isArray(schema.required) ? schema.required : []
  const coerced: Record<string, Json> = {}
  let changed = false
  for (const [name, value] of Object.entries(object)) {
    const given = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (value === null && !required.includes(name) && refusesNull(root, given)) {
      changed = true
      continue
    }
    const field = coerceTo(root, given, value, true)
    if (field !== value) changed = true
    coerced[name] = field
  }
  return changed ? coerced : object
}

function isJsonObject(value: Json): value is JsonObject {
  return isObject(value)
}

function convert(types: ReadonlySet<string>, value: Json): Json {
  if (typeof value === 'number') return types.has('string') ? String(value) : value
  if (typeof value !== 'string') return value
  if (types.has('number') || types.has('integer')) {
    const number = exactNumber(value)
    if (number !== undefined && (types.has('number') || Number.isInteger(number))) return number
  }
  if (types.has('boolean') && (value === 'true' || value === 'false')) return value === 'true'
  return value
}

/** The number that a text is exactly, as JSON writes numbers; undefined where digits would be lost. */
function exactNumber(text: string): number | undefined {
  if (text.length > 40 || !/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) return undefined
  const number = Number(text)
  if (!Number.isFinite(number)) return undefined
  return Number.isInteger(number) && !Number.isSafeInteger(number) ? undefined : number
}

/** The member of an enum that is written the same, such as 2 for "2". */
function fromEnum(schema: SchemaObject, value: Json): Json {
  const { enum: members } = schema
  if (!Array.isArray(members) || (typeof value !== 'string' && typeof value !== 'number')) return value
  if (members.includes(value)) return value
  return members.filter(isScalar).find((member) => String(member) === String(value)) ?? value
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

function refusesNull(root: unknown, given: unknown): boolean {
  const schema = follow(root, given)
  const types = schema && typesOf(root, schema, 0)
  return types !== undefined && !types.has('null')
}

/** The schema at the end of a chain of references; an `allOf` of one is such a link too. */
function follow(root: unknown, given: unknown): SchemaObject | undefined {
  let schema = given
  for (let hops = 0; hops < 32; hops++) {
    if (!isObject(schema)) return undefined
    const { $ref, allOf, type } = schema
    if ($ref !== undefined) schema = resolveRef(root, $ref)
    else if (Array.isArray(allOf) && allOf.length === 1 && type === undefined) schema = allOf[0]
    else return schema
  }
  return undefined
}

/** Where only one of several alternatives takes values of this type, the value must fit that one. */
function branchFor(root: unknown, schema: SchemaObject | undefined, value: Json): SchemaObject | undefined {
  const alternatives = schema && alternativesOf(schema)
  if (!alternatives || schema.type !== undefined) return schema
  const able = alternatives.filter((alternative) => {
    const branch = follow(root, alternative)
    const types = branch && typesOf(root, branch, 0)
    return !types || fits(types, value)
  })
  return able.length === 1 ? (follow(root, able[0]) ?? schema) : schema
}

/** The JSON types that a schema takes; undefined when it does not say. */
function typesOf(root: unknown, schema: SchemaObject, depth: number): ReadonlySet<string> | undefined {
  const { type, enum: members } = schema
  if (typeof type === 'string') return withNullable(schema, [type])
  if (Array.isArray(type))
    return withNullable(
      schema,
      type.filter((name) => typeof name === 'string'),
    )
  if (Array.isArray(members)) return new Set(members.map(typeOf))
  if (Object.hasOwn(schema, 'const')) return new Set([typeOf(schema.const)])
  const alternatives = alternativesOf(schema)
  if (!alternatives || depth > 2) return undefined
  const union = new Set<string>()
  for (const alternative of alternatives) {
    const branch = follow(root, alternative)
    const types = branch && typesOf(root, branch, depth + 1)
    if (!types) return undefined
    for (const name of types) union.add(name)
  }
  return union
}

function withNullable(schema: SchemaObject, types: readonly string[]): ReadonlySet<string> {
  return new Set(schema.nullable === true ? [...types, 'null'] : types)
}

function alternativesOf(schema: SchemaObject): readonly unknown[] | undefined {
  const { anyOf, oneOf } = schema
  return Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : undefined
}

function fits(types: ReadonlySet<string>, value: Json): boolean {
  const type = typeOf(value)
  return types.has(type) || (type === 'number' && types.has('integer') && Number.isInteger(value))
}

function typeOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
}
