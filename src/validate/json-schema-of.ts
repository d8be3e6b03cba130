// Any of our schemas as JSON Schema, for lists of tools and for model providers.

import { isObject } from '../base/json.ts'
import type { JsonSchema, Schema, StandardSchema } from '../model/schema.ts'

const known = new WeakMap<object, JsonSchema>()

/** What cannot be said in JSON Schema is `{}`. Never throws. */
export function jsonSchemaOf(schema: Schema): JsonSchema {
  return schema.type === 'json' ? schema.schema : standardAsJson(schema.schema)
}

export function standardAsJson(schema: StandardSchema): JsonSchema {
  const before = known.get(schema)
  if (before !== undefined) return before
  const converted = attempt(() => byStandard(schema)) ?? attempt(() => byOwnMethod(schema)) ?? {}
  known.set(schema, converted)
  return converted
}

const target = 'draft-2020-12'

function byStandard(schema: StandardSchema): unknown {
  return schema['~standard'].jsonSchema?.input({ target })
}

/** Zod's own conversion, which can leave out what JSON Schema cannot say, such as a date. */
function byOwnMethod(schema: StandardSchema): unknown {
  const convert: unknown = Reflect.get(schema, 'toJSONSchema')
  if (typeof convert !== 'function') return undefined
  return convert.call(schema, { target, io: 'input', unrepresentable: 'any' })
}

function attempt(convert: () => unknown): JsonSchema | undefined {
  try {
    const converted = convert()
    return isObject(converted) ? converted : undefined
  } catch {
    return undefined
  }
}
