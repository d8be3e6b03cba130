// Every provider and every SDK wants an object for a tool's input. A tool that takes something else, such as a list, is shown to
// take it as `value`; the engine takes that off again (validate/validate.ts).

import { isObject } from '../base/json.ts'
import type { JsonSchema } from '../model/schema.ts'
import { inlineReferences } from './inline.ts'

export function objectInput(schema: JsonSchema): JsonSchema {
  const { schema: value } = inlineReferences(schema)
  if (takesObject(value)) return schema
  return { type: 'object', properties: { value }, required: ['value'], additionalProperties: false }
}

/** Whether an object can fit. Expects a schema without references. */
function takesObject(schema: unknown): boolean {
  if (!isObject(schema)) return true
  const { type, anyOf, oneOf, allOf } = schema
  const isTold = typeof type === 'string' || Array.isArray(type)
  if (isTold && ![type].flat().includes('object')) return false
  const values = Array.isArray(schema.enum) ? schema.enum : 'const' in schema ? [schema.const] : undefined
  if (values && !values.some(isObject)) return false
  const choices = [anyOf, oneOf].filter((choice) => Array.isArray(choice))
  return choices.every((choice) => choice.some(takesObject)) && (Array.isArray(allOf) ? allOf.every(takesObject) : true)
}
