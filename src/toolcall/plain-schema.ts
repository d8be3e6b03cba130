// A tool's schema as plain JSON that anybody can write out: a cycle or endless nesting in one tool's schema must not spoil
// the whole list.

import { isObject, toJson } from '../base/json.ts'
import type { JsonSchema, Schema } from '../model/schema.ts'
import { jsonSchemaOf } from '../validate/validate.ts'
import { inlineReferences } from './inline.ts'
import { objectInput } from './object-input.ts'

/** A copy, of an object, cut where it goes too deep; a schema that is no JSON even so takes anything. */
export function plainSchema(input: Schema): JsonSchema {
  const schema = jsonSchemaOf(input)
  const whole = toJson(schema)
  const made = whole.ok ? whole : toJson(inlineReferences(schema).schema)
  return made.ok && isObject(made.json) ? objectInput(made.json) : true
}
