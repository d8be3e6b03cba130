// A tool's schema in the strict form of OpenAI and Anthropic: every object closed, every parameter required, what was
// optional nullable. Constraints that the provider refuses are told in words; the engine checks them in any case. A schema
// whose meaning would change by this cannot be made strict.

import { isObject } from '../base/json.ts'
import type { JsonSchema } from '../model/schema.ts'
import type { SchemaObject } from '../validate/schema-walk.ts'
import { described } from './hints.ts'
import { inlineReferences } from './inline.ts'
import { allowsNull } from './nulls.ts'
import type { ParametersSchema } from './wire.ts'

export type StrictDialect = 'openai' | 'anthropic'

export interface StrictSchema {
  readonly schema: ParametersSchema
  /** How many values may be of several types; Anthropic bounds these for a request. */
  readonly unions: number
}

/** Undefined when it cannot be done. */
export function strictSchema(dialect: StrictDialect, given: JsonSchema): StrictSchema | undefined {
  const { schema, whole } = inlineReferences(given)
  if (!whole || schema.type !== 'object') return undefined
  const walk: Walk = { dialect, unions: 0, members: 0, letters: 0 }
  try {
    return { schema: { type: 'object', ...closed(walk, schema, 0), ...about(schema) }, unions: walk.unions }
  } catch (error) {
    if (error instanceof NotStrict) return undefined
    throw error
  }
}

interface Walk {
  readonly dialect: StrictDialect
  unions: number
  /** Of enumerations, and the length of all names and fixed values: OpenAI bounds both. */
  members: number
  letters: number
}

class NotStrict extends Error {}

const maxLevels = 10
const maxMembers = 1_000
const maxLetters = 120_000

const kept: { readonly [Dialect in StrictDialect]: ReadonlySet<string> } = {
  openai: new Set(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minItems', 'maxItems']),
  anthropic: new Set(),
}
const formats = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'])
const shaping = ['allOf', 'prefixItems', 'patternProperties', 'unevaluatedProperties', 'additionalItems']

function rewrite(walk: Walk, given: unknown, level: number): SchemaObject {
  if (!isObject(given) || level > maxLevels || shaping.some((keyword) => keyword in given)) throw new NotStrict()
  const alternatives = alternativesOf(given)
  if (alternatives) {
    walk.unions++
    return described(given, { anyOf: alternatives.map((part) => rewrite(walk, part, level + 1)) })
  }
  const types = typesOf(given)
  if (types.length === 0) throw new NotStrict()
  const literal = fixed(walk, given)
  if (walk.dialect === 'anthropic') {
    if (Object.keys(literal).length) return described(given, literal)
    if (types.length > 1) return described(given, eitherType(walk, given, types, level))
  }
  if (types.length > 1) walk.unions++
  const strict: SchemaObject = { type: types.length === 1 ? types[0] : types, ...literal, ...bounds(walk, given) }
  if (types.includes('array')) strict.items = rewrite(walk, given.items, level + 1)
  return described(given, types.includes('object') ? { ...strict, ...closed(walk, given, level) } : strict)
}

/** Anthropic wants alternatives where OpenAI takes a list of types. */
function eitherType(walk: Walk, given: SchemaObject, types: readonly string[], level: number): SchemaObject {
  const { description: _, nullable: __, ...rest } = given
  walk.unions++
  return { anyOf: types.map((type) => rewrite(walk, { ...rest, type }, level + 1)) }
}

interface ClosedObject {
  properties: Record<string, unknown>
  required: string[]
  additionalProperties: false
}

/** An object that may hold other names than those it lists has no strict form; one that says nothing about it has. */
function closed(walk: Walk, schema: SchemaObject, level: number): ClosedObject {
  const { properties, additionalProperties, required = [] } = schema
  if (!isObject(properties) || (additionalProperties !== undefined && additionalProperties !== false))
    throw new NotStrict()
  if (shaping.some((keyword) => keyword in schema) || alternativesOf(schema)) throw new NotStrict()
  const wanted = Array.isArray(required) ? required : []
  if (wanted.some((name) => typeof name !== 'string' || !Object.hasOwn(properties, name))) throw new NotStrict()
  const fields = Object.entries(properties).map(([name, field]) => {
    spend(walk, 0, name.length)
    const strict = rewrite(walk, field, level + 1)
    return [name, wanted.includes(name) || allowsNull(field, field) ? strict : nullable(walk, strict)]
  })
  return { properties: Object.fromEntries(fields), required: Object.keys(properties), additionalProperties: false }
}

function nullable(walk: Walk, schema: SchemaObject): SchemaObject {
  const { type, anyOf, description, ...rest } = schema
  const told = description === undefined ? {} : { description }
  if (Array.isArray(anyOf)) return { ...told, anyOf: [...anyOf, { type: 'null' }] }
  const members = Array.isArray(rest.enum) && { enum: [...new Set([...rest.enum, null])] }
  if (type === undefined && members) return { ...told, ...members }
  if (!Array.isArray(type)) walk.unions++
  if (walk.dialect === 'anthropic' || 'const' in rest) {
    return { ...told, anyOf: [{ ...(type !== undefined && { type }), ...rest }, { type: 'null' }] }
  }
  return { type: [...(Array.isArray(type) ? type : [type]), 'null'], ...told, ...rest, ...members }
}

/** Alternatives that only ask for one parameter or another are left to the engine. */
function alternativesOf({ anyOf, oneOf, properties, type }: SchemaObject): readonly unknown[] | undefined {
  const lists = [anyOf, oneOf].filter(Array.isArray)
  const telling = lists.filter((list) => !list.every(onlyRequires))
  if (telling.length === 0) return undefined
  if (telling.length > 1 || properties !== undefined || type === 'object') throw new NotStrict()
  return telling[0]
}

function onlyRequires(part: unknown): boolean {
  return isObject(part) && Object.keys(part).every((keyword) => keyword === 'required')
}

function typesOf(schema: SchemaObject): readonly string[] {
  const { type } = schema
  const said =
    typeof type === 'string' ? [type] : Array.isArray(type) ? type.filter((name) => typeof name === 'string') : []
  if (said.length) return schema.nullable === true ? [...new Set([...said, 'null'])] : said
  const members = Array.isArray(schema.enum) ? schema.enum : 'const' in schema ? [schema.const] : []
  if (members.length) return [...new Set(members.map((member) => (member === null ? 'null' : typeof member)))]
  return isObject(schema.properties) ? ['object'] : schema.items === undefined ? [] : ['array']
}

function fixed(walk: Walk, schema: SchemaObject): SchemaObject {
  const members = Array.isArray(schema.enum) ? schema.enum : 'const' in schema ? [schema.const] : []
  if (members.some((member) => typeof member === 'object' && member !== null)) throw new NotStrict()
  spend(walk, members.length, members.join('').length)
  if (Array.isArray(schema.enum)) return { enum: [...new Set(members)] }
  return 'const' in schema ? { const: schema.const } : {}
}

function bounds({ dialect }: Walk, schema: SchemaObject): SchemaObject {
  const { format, minItems } = schema
  return {
    ...Object.fromEntries(
      Object.entries(schema).filter(([keyword, value]) => kept[dialect].has(keyword) && typeof value === 'number'),
    ),
    ...(typeof format === 'string' && formats.has(format) && { format }),
    ...(dialect === 'anthropic' && (minItems === 0 || minItems === 1) && { minItems }),
  }
}

function spend(walk: Walk, members: number, letters: number): void {
  walk.members += members
  walk.letters += letters
  if (walk.members > maxMembers || walk.letters > maxLetters) throw new NotStrict()
}

function about({ description }: SchemaObject): SchemaObject {
  return typeof description === 'string' ? { description } : {}
}
