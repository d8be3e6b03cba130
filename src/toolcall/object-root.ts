// Every provider wants one object at the top of a tool's schema, without alternatives beside it. A schema that has some is
// flattened: all parameters of all alternatives, none required that not all of them require. The engine validates against
// the tool's own schema all the same.

import { isObject } from '../base/json.ts'
import type { JsonSchema } from '../model/schema.ts'
import type { SchemaObject } from '../validate/schema-walk.ts'
import { inlineReferences } from './inline.ts'
import type { ParametersSchema } from './wire.ts'

export function objectRoot(schema: JsonSchema): ParametersSchema {
  if (!isObject(schema)) return { type: 'object', properties: {} }
  const { $schema: _, $id: __, ...rest } = schema
  if (rest.type === 'object' && !combining.some((keyword) => keyword in rest)) return asObject(rest)
  return flattened(inlineReferences(schema).schema)
}

/** The parameters that an object names, and which it wants. Expects a schema without references. */
export function flattened(schema: SchemaObject): ParametersSchema {
  const { properties, required } = gather(schema)
  const { description, additionalProperties } = schema
  return {
    type: 'object',
    ...(typeof description === 'string' && { description }),
    properties: Object.fromEntries([...properties].map(([name, forms]) => [name, either(forms)])),
    ...(required.size && { required: [...required].filter((name) => properties.has(name)) }),
    ...(additionalProperties !== undefined && { additionalProperties }),
  }
}

const combining = ['$ref', '$dynamicRef', '$recursiveRef', 'anyOf', 'oneOf', 'allOf', 'not', 'if', 'enum', 'const']

function asObject(schema: SchemaObject): ParametersSchema {
  const { required, properties, ...rest } = schema
  return {
    ...rest,
    type: 'object',
    properties: isObject(properties) ? properties : {},
    ...(Array.isArray(required) && { required: required.filter((name) => typeof name === 'string') }),
  }
}

interface Gathered {
  readonly properties: Map<string, unknown[]>
  readonly required: Set<string>
}

function gather(schema: unknown): Gathered {
  const properties = new Map<string, unknown[]>()
  if (!isObject(schema)) return { properties, required: new Set() }
  const add = (name: string, form: unknown) => properties.set(name, [...(properties.get(name) ?? []), form])
  const own = isObject(schema.properties) ? Object.entries(schema.properties) : []
  for (const [name, form] of own) add(name, form)

  const all = listed(schema.allOf).map(gather)
  const choices = [listed(schema.anyOf), listed(schema.oneOf)]
    .filter((choice) => choice.length)
    .map((c) => c.map(gather))
  const sometimes = [gather(schema.then), gather(schema.else)]
  for (const part of [...all, ...choices.flat(), ...sometimes]) {
    for (const [name, forms] of part.properties) for (const form of forms) add(name, form)
  }
  const required = new Set(listed(schema.required).filter((name) => typeof name === 'string'))
  for (const part of all) for (const name of part.required) required.add(name)
  for (const choice of choices) {
    const [first, ...others] = choice.map((branch) => branch.required)
    for (const name of first ?? []) if (others.every((names) => names.has(name))) required.add(name)
  }
  return { properties, required }
}

function either(forms: readonly unknown[]): unknown {
  const different = [...new Map(forms.map((form) => [JSON.stringify(form), form])).values()]
  return different.length === 1 ? different[0] : { anyOf: different }
}

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
