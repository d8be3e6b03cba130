// The TypeScript type of the values that fit a JSON Schema. What a type cannot say is left out, so that every value that fits
// is of the type; references become types of their own, so that a schema may refer to itself.

import { isObject } from '../base/json.ts'
import type { JsonSchema } from '../model/schema.ts'
import { References } from './schema-type-references.ts'
import {
  atom,
  bracketed,
  comment,
  intersection,
  key,
  literal,
  neverType,
  type Type,
  union,
  unknownType,
} from './schema-type-text.ts'

export interface SchemaType {
  readonly text: string
  /** Types that the text refers to by name, and what each is. */
  readonly named: ReadonlyMap<string, string>
}

export interface SchemaTypeOptions {
  /** What the names of referred types begin with. */
  readonly prefix: string
  /** Names that are in use; those that are made here are added. */
  readonly taken: Set<string>
  /** What stands before the line that the type stands in. Default nothing. */
  readonly indent?: string
}

/** `unknown` where the schema is too large or too odd to be said. Never throws. */
export function schemaType(schema: JsonSchema, { prefix, taken, indent = '' }: SchemaTypeOptions): SchemaType {
  try {
    const budget = { schemas: maxSchemas, letters: maxLetters }
    const references = new References(schema, prefix, taken, (target, owner) =>
      convert(target, { references, budget, depth: 0, indent: '', owner }),
    )
    const type = convert(schema, { references, budget, depth: 0, indent, owner: undefined })
    return { text: type.text, named: references.named() }
  } catch {
    return { text: 'unknown', named: new Map() }
  }
}

interface Place {
  readonly references: References
  readonly budget: { schemas: number; letters: number }
  readonly depth: number
  readonly indent: string
  /** The named type whose outermost layer this is; inside of an object or a list a type may refer to itself. */
  readonly owner: string | undefined
}

type Keywords = Readonly<Record<string, unknown>>

/** Beside a type that says more it only hides what is wrong with a value. */
const anyObject = atom('Record<string, unknown>')

const maxDepth = 24
const maxSchemas = 5_000
const maxLetters = 100_000
/** Longer lists of choices are of no use to a reader. */
const maxChoices = 500

function convert(schema: unknown, place: Place): Type {
  if (schema === false) return neverType
  if (!isObject(schema) || place.depth > maxDepth) return unknownType
  spend(place, 'schemas', 1)
  const inner = { ...place, depth: place.depth + 1 }
  const type = combinators.some((word) => schema[word] !== undefined)
    ? combinedType(schema, place, inner)
    : baseType(schema, inner)
  return schema.nullable === true ? union([type, atom('null')]) : type
}

const combinators = ['$ref', '$dynamicRef', 'anyOf', 'oneOf', 'allOf'] as const

function combinedType(schema: Keywords, { references, owner }: Place, inner: Place): Type {
  const { $ref, $dynamicRef, anyOf, oneOf, allOf } = schema
  const parts = [
    ...[$ref, $dynamicRef].flatMap((ref) => (ref === undefined ? [] : references.typeOf(ref, owner))),
    baseType(schema, inner),
    ...[anyOf, oneOf].flatMap((choices) => (isFilled(choices) ? union(choices.map((one) => convert(one, inner))) : [])),
    ...(Array.isArray(allOf) ? allOf.map((one) => convert(one, inner)) : []),
  ]
  const telling = parts.filter(({ text }) => text !== 'unknown' && text !== anyObject.text)
  return intersection(telling.length ? telling : parts)
}

/** The schema without what it combines with others. */
function baseType(schema: Keywords, place: Place): Type {
  if ('const' in schema) return choice([schema.const], place)
  if (Array.isArray(schema.enum)) return choice(schema.enum, place)
  const { type } = schema
  if (isFilled(type)) return union(type.map((one) => plainType(one, schema, place)))
  return plainType(type ?? impliedType(schema), schema, place)
}

function choice(values: readonly unknown[], place: Place): Type {
  if (values.length > maxChoices) return union(values.slice(0, maxSchemas).map(widened))
  const types = values.map((value) => literal(value))
  for (const { text } of types) spend(place, 'letters', text.length)
  return union(types)
}

function widened(value: unknown): Type {
  const type = value === null ? 'null' : typeof value
  return type === 'object' ? unknownType : atom(type)
}

/** Schemas often forget to say that they mean an object. */
function impliedType(schema: Keywords): string | undefined {
  if (['properties', 'required', 'additionalProperties', 'patternProperties'].some((word) => word in schema)) {
    return 'object'
  }
  return ['items', 'prefixItems'].some((word) => word in schema) ? 'array' : undefined
}

function plainType(type: unknown, schema: Keywords, place: Place): Type {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
    case 'number':
      return atom(type)
    case 'integer':
      return atom('number')
    case 'array':
      return listType(schema, { ...place, owner: undefined })
    case 'object':
      return objectType(schema, { ...place, owner: undefined })
    default:
      return unknownType
  }
}

function listType({ prefixItems, items, additionalItems, minItems, maxItems }: Keywords, place: Place): Type {
  const first = isFilled(prefixItems) ? prefixItems : isFilled(items) ? items : undefined
  if (!first) return atom(`${bracketed(convert(Array.isArray(items) ? true : (items ?? true), place))}[]`)
  const rest = (first === items ? additionalItems : items) ?? true
  const needed = typeof minItems === 'number' ? minItems : 0
  const all = first.map((item, at) => `${bracketed(convert(item, place))}${at < needed ? '' : '?'}`)
  const isClosed = rest === false || (typeof maxItems === 'number' && maxItems <= first.length)
  return atom(`[${[...all, ...(isClosed ? [] : [`...${bracketed(convert(rest, place))}[]`])].join(', ')}]`)
}

function objectType(schema: Keywords, place: Place): Type {
  const { properties, required } = schema
  const indent = `${place.indent}  `
  const known = isObject(properties) ? properties : {}
  const needed = new Set(Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [])
  const alsoNeeded = [...needed].filter((name) => !Object.hasOwn(known, name))
  const inside = { ...place, indent }
  const fields = [
    ...Object.entries(known).map(([name, field]) => fieldText(name, field, needed.has(name), inside)),
    ...alsoNeeded.map((name) => fieldText(name, true, true, inside)),
  ]
  const others = otherFields(schema, fields.length > 0, place)
  if (fields.length === 0) return others ?? anyObject
  if (others) fields.push(`${indent}[key: string]: unknown`)
  return atom(`{\n${fields.join('\n')}\n${place.indent}}`)
}

function fieldText(name: string, field: unknown, isNeeded: boolean, place: Place): string {
  const description = isObject(field) && typeof field.description === 'string' ? field.description : ''
  const about = comment(description, place.indent, 1_000)
  spend(place, 'letters', about.length + name.length + place.indent.length)
  // Every object has these already, as functions, which would not fit.
  const type = !isNeeded && inherited.has(name) ? unknownType : convert(field, place)
  return `${about}${place.indent}${key(name)}${isNeeded ? '' : '?'}: ${type.text}`
}

const inherited = new Set(Object.getOwnPropertyNames(Object.prototype))

/** The object that has only fields without a name of their own; undefined where there may be none besides those that have one. */
function otherFields(schema: Keywords, hasFields: boolean, place: Place): Type | undefined {
  const { additionalProperties: others, patternProperties } = schema
  const patterns = isObject(patternProperties) ? Object.values(patternProperties) : []
  if (hasFields) return patterns.length || others === true || isObject(others) ? unknownType : undefined
  if (others === undefined && patterns.length === 0 && !isObject(schema.properties)) return undefined
  const kinds = [...patterns, ...(others === false ? [] : [others ?? true])]
  const type = union(kinds.map((one) => convert(one, place)))
  const isPlain = type.text === 'unknown' || type.text === 'never'
  return atom(isPlain ? `Record<string, ${type.text}>` : `{ [key: string]: ${type.text} }`)
}

function isFilled(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 0
}

function spend({ budget }: Place, what: 'schemas' | 'letters', amount: number): void {
  budget[what] -= amount
  if (budget[what] < 0) throw new RangeError(`The schema has too many ${what}.`)
}
