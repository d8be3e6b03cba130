// A tool's TypeScript signature, made from its JSON Schema. No text of a schema can leave its comment or its string.

import { isObject } from '../base/json.ts'
import type { JsonSchema } from '../model/schema.ts'
import type { ToolDescription } from '../model/tool.ts'
import { visibleText } from '../outcome/visible.ts'
import { jsonSchemaOf } from '../validate/json-schema-of.ts'

/** `tools.git.log(input: {…}): Promise<unknown>`, with what it does in a comment above. */
export function signature({ spellings, description, input, output }: ToolDescription): string {
  const given = jsonSchemaOf(input)
  const isOptional = isObject(given) && !(Array.isArray(given.required) && given.required.length)
  const result = output ? typeOf(jsonSchemaOf(output)) : 'unknown'
  const type = typeOf(given)
  return `${comment(description, '')}${spellings.script}(input${isOptional ? '?' : ''}: ${type}): Promise<${result}>\n`
}

/** The TypeScript type of the values that fit a schema; `unknown` where it cannot be said. */
export function typeOf(schema: JsonSchema): string {
  return convert(schema, { root: schema, depth: 0, indent: '' })
}

interface Place {
  readonly root: unknown
  /** How many schemas hold this one, references included: a cycle ends in `unknown`. */
  readonly depth: number
  readonly indent: string
}

const maxDepth = 12

function convert(schema: unknown, place: Place): string {
  if (schema === false) return 'never'
  if (!isObject(schema) || place.depth > maxDepth) return 'unknown'
  const inner = { ...place, depth: place.depth + 1 }
  const { $ref, enum: members, const: only, anyOf, oneOf, allOf, type } = schema
  if ($ref !== undefined) return convert(referred(place.root, $ref), inner)
  if (Array.isArray(members)) return joined(members.map(literal), ' | ')
  if (only !== undefined) return literal(only)
  if (Array.isArray(anyOf))
    return joined(
      anyOf.map((each) => convert(each, inner)),
      ' | ',
    )
  if (Array.isArray(oneOf))
    return joined(
      oneOf.map((each) => convert(each, inner)),
      ' | ',
    )
  if (Array.isArray(allOf))
    return joined(
      allOf.map((each) => convert(each, inner)),
      ' & ',
    )
  if (Array.isArray(type))
    return joined(
      type.map((each) => convert({ ...schema, type: each }, inner)),
      ' | ',
    )
  return nullable(schema, plainType(schema, inner))
}

function plainType(schema: Record<string, unknown>, place: Place): string {
  switch (schema.type ?? (isObject(schema.properties) ? 'object' : undefined)) {
    case 'string':
      return 'string'
    case 'number':
    case 'integer':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'null':
      return 'null'
    case 'array':
      return `${bracketed(convert(schema.items ?? true, place))}[]`
    case 'object':
      return objectType(schema, place)
    default:
      return 'unknown'
  }
}

function objectType({ properties, required, additionalProperties }: Record<string, unknown>, place: Place): string {
  const needed: readonly unknown[] = Array.isArray(required) ? required : []
  const indent = `${place.indent}  `
  const fields = Object.entries(isObject(properties) ? properties : {}).map(([name, field]) => {
    const about = isObject(field) && typeof field.description === 'string' ? comment(field.description, indent) : ''
    return `${about}${indent}${key(name)}${needed.includes(name) ? '' : '?'}: ${convert(field, { ...place, indent })}`
  })
  if (isObject(additionalProperties)) {
    fields.push(`${indent}[key: string]: ${fields.length ? 'unknown' : convert(additionalProperties, place)}`)
  }
  return fields.length ? `{\n${fields.join('\n')}\n${place.indent}}` : 'Record<string, unknown>'
}

function nullable({ nullable: orNull }: Record<string, unknown>, type: string): string {
  return orNull === true ? `${type} | null` : type
}

function referred(root: unknown, ref: unknown): unknown {
  if (typeof ref !== 'string' || !/^#(\/|$)/.test(ref)) return true
  const parts = ref.split('/').slice(1)
  return parts.reduce((at: unknown, part) => {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    return typeof at === 'object' && at !== null && Object.hasOwn(at, name) ? Reflect.get(at, name) : true
  }, root)
}

function joined(types: readonly string[], sign: ' | ' | ' & '): string {
  const different = [...new Set(types)]
  if (different.length === 0) return 'unknown'
  return different.length === 1 ? (different[0] ?? 'unknown') : different.map(bracketed).join(sign)
}

function bracketed(type: string): string {
  return /^[\w]+$|^"(?:[^"\\]|\\.)*"$|^\{[\s\S]*\}$/.test(type) && !type.includes(' | ') ? type : `(${type})`
}

/** Only what JSON can say: a text is quoted, so that it stays one. */
function literal(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  return typeof value === 'number' || typeof value === 'boolean' || value === null ? String(value) : 'unknown'
}

function key(name: string): string {
  return /^[a-zA-Z_$][\w$]*$/.test(name) ? name : quoted(name)
}

/** Line separators end a line in some readers' eyes. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(/[\u2028\u2029\x7f-\x9f]/g, (letter) => {
    return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/** On one line, and without the sign that would end it, hidden characters gone first: without them it might appear. */
function comment(text: string, indent: string): string {
  const line = visibleText(text)
    .replace(/[\s\u2028\u2029\x00-\x1f\x7f-\x9f]+/g, ' ')
    .replaceAll('*/', '*\\/')
    .trim()
  return line ? `${indent}/** ${line} */\n` : ''
}
