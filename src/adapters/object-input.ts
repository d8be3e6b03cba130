// Every SDK wants an object for a tool's input. A tool that takes something else, such as a list, takes it here as `value`.

import { isObject } from '../base/json.ts'
import type { Schema } from '../model/schema.ts'
import { inlineReferences } from '../toolcall/inline.ts'
import { plainSchema } from '../toolcall/plain-schema.ts'
import type { ParametersSchema } from '../toolcall/wire.ts'

export interface ObjectInput {
  readonly schema: ParametersSchema
  /** The tool's own input from what a model wrote. */
  readonly unwrap: (input: unknown) => unknown
}

/** `compiled` is the schema for a tool that takes an object already. */
export function objectInput(input: Schema, compiled: ParametersSchema): ObjectInput {
  const { schema: value } = inlineReferences(plainSchema(input))
  if (takesObject(value)) return { schema: compiled, unwrap: (written) => written }
  return {
    schema: { type: 'object', properties: { value }, required: ['value'], additionalProperties: false },
    unwrap: (written) => (isObject(written) && Object.hasOwn(written, 'value') ? written.value : written),
  }
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
