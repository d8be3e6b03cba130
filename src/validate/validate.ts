// The second stage of the path: is this input what the tool says it takes? Answers with every fault and its place, and
// with a plain copy of the input to run with; the caller's own value is never used again and never changed.

import { isObject } from '../base/json.ts'
import type { Schema } from '../model/schema.ts'
import { checkJsonSchema } from './json-schema.ts'
import { type InputBounds, plainCopy } from './plain-copy.ts'
import { checkStandardSchema } from './standard-schema.ts'
import { noWarnings, type Validation } from './validation.ts'

export { jsonSchemaOf } from './json-schema-of.ts'
export type { InputBounds } from './plain-copy.ts'
export type { Validation } from './validation.ts'

/**
 * Checks an input, or an output, against its schema. Answers at once where it can; with a promise when the JSON Schema
 * validator is not loaded yet or the schema's own check is asynchronous. Never throws for a bad input or a bad schema.
 */
export function validate(schema: Schema, input: unknown, bounds: InputBounds): Validation | Promise<Validation> {
  const copied = plainCopy(input, bounds)
  if (!copied.ok) return { ok: false, issues: copied.issues, warnings: noWarnings }
  if (schema.type === 'standard') return checkStandardSchema(schema.schema, copied.value)
  return checkJsonSchema(schema.schema, copied.value, { coerce: schema.coerce === true, bytes: copied.bytes })
}

/**
 * The same for what a call is made with. Models can only write objects: of a tool that takes something else they are told to write
 * it as `value`, so an input that does not fit and is such an object is looked at again without that.
 */
export function validateInput(schema: Schema, input: unknown, bounds: InputBounds): Validation | Promise<Validation> {
  const checked = validate(schema, input, bounds)
  return checked instanceof Promise
    ? checked.then((whole) => orUnwrapped(whole, schema, input, bounds))
    : orUnwrapped(checked, schema, input, bounds)
}

function orUnwrapped(
  whole: Validation,
  schema: Schema,
  input: unknown,
  bounds: InputBounds,
): Validation | Promise<Validation> {
  if (whole.ok) return whole
  const copied = plainCopy(input, bounds)
  const { value: inner, ...others } = copied.ok && isObject(copied.value) ? copied.value : {}
  if (inner === undefined || isObject(inner) || Object.keys(others).length) return whole
  // Where no object can fit, the faults are those of what stands in it.
  const isNoObject = whole.issues.some(({ path, code }) => path === '' && code === 'INVALID_TYPE')
  const either = (unwrapped: Validation) => (unwrapped.ok || isNoObject ? unwrapped : whole)
  const again = validate(schema, inner, bounds)
  return again instanceof Promise ? again.then(either) : either(again)
}
