// A tool's schema in the part of JSON Schema that Gemini takes: no references, nothing about further parameters, enumerations
// of text alone. One keyword it does not know makes it refuse the whole request.

import { isObject } from '../base/json.ts'
import type { JsonSchema } from '../model/schema.ts'
import type { SchemaObject } from '../validate/schema-walk.ts'
import { described } from './hints.ts'
import { inlineReferences } from './inline.ts'
import { flattened } from './object-root.ts'
import type { ParametersSchema } from './wire.ts'

export function geminiSchema(given: JsonSchema): ParametersSchema {
  const { schema } = inlineReferences(given)
  return { ...cleanObject(flattened(schema)), type: 'object' }
}

const numbers = ['minimum', 'maximum', 'minItems', 'maxItems']
const formats = new Set(['date-time', 'date', 'time'])

function clean(schema: unknown): SchemaObject {
  if (!isObject(schema)) return {}
  if (isObject(schema.properties) || schema.allOf) return described(schema, cleanObject(flattened(schema)))
  const { format, items, title } = schema
  const alternatives = schema.anyOf ?? schema.oneOf
  const members = Array.isArray(schema.enum) ? schema.enum : 'const' in schema ? [schema.const] : []
  const texts = members.filter((member) => member !== null)
  const type = typesOf(schema.type, members)
  return described(schema, {
    ...(type !== undefined && { type }),
    ...(typeof title === 'string' && { title }),
    ...(typeof format === 'string' && formats.has(format) && { format }),
    ...(texts.length && texts.every((text) => typeof text === 'string') && { enum: texts }),
    ...Object.fromEntries(
      numbers.filter((name) => typeof schema[name] === 'number').map((name) => [name, schema[name]]),
    ),
    ...(isObject(items) && { items: clean(items) }),
    ...(Array.isArray(alternatives) && { anyOf: alternatives.map(clean) }),
  })
}

function cleanObject({ type, properties, required, description }: ParametersSchema): ParametersSchema {
  return {
    type,
    ...(description !== undefined && { description }),
    properties: Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, clean(field)])),
    ...(required && { required: required.filter((name) => Object.hasOwn(properties, name)) }),
  }
}

function typesOf(type: unknown, members: readonly unknown[]): unknown {
  if (type !== undefined) return type
  const found = [...new Set(members.map((member) => (member === null ? 'null' : typeof member)))]
  return found.length === 1 ? found[0] : found.length ? found : undefined
}
