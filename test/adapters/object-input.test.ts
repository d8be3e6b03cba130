import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { objectInput } from '../../src/adapters/object-input.ts'
import type { JsonSchema, Schema } from '../../src/model/schema.ts'

const compiled = { type: 'object' as const, properties: {} }
const json = (schema: JsonSchema): Schema => ({ type: 'json', schema })
const isWrapped = (input: Schema) => objectInput(input, compiled).schema !== compiled

test.each<[JsonSchema, boolean]>([
  [{ type: 'array' }, true],
  [{ type: ['string', 'null'] }, true],
  [{ enum: ['a', 'b'] }, true],
  [{ const: 7 }, true],
  [{ anyOf: [{ type: 'string' }, { type: 'array' }] }, true],
  [{ allOf: [{}, { type: 'number' }] }, true],
  [{ $ref: '#/$defs/list', $defs: { list: { type: 'array' } } }, true],
  [{ type: 'object' }, false],
  [{ type: ['object', 'array'] }, false],
  [{ oneOf: [{ type: 'string' }, { type: 'object' }] }, false],
  [{ $ref: '#/$defs/thing', $defs: { thing: { type: 'object' } } }, false],
  [{ const: { a: 1 } }, false],
  [{}, false],
  [true, false],
])('the schema %j has its value wrapped: %s', (schema, expected) => {
  expect(isWrapped(json(schema))).toBe(expected)
})

test('a schema of a library is looked at in the same way', () => {
  const standard = (schema: z.ZodType): Schema => ({ type: 'standard', schema })
  expect(isWrapped(standard(z.array(z.string())))).toBe(true)
  expect(isWrapped(standard(z.union([z.string(), z.number()])))).toBe(true)
  expect(isWrapped(standard(z.object({})))).toBe(false)
})

test('what was wrapped comes out as it went in, and what was not wrapped stays as it is', () => {
  const { unwrap } = objectInput(json({ type: 'array' }), compiled)
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), (list) => {
      expect(unwrap({ value: list })).toEqual(list)
      expect(unwrap(list)).toEqual(list)
    }),
  )
  expect(objectInput(json({ type: 'object' }), compiled).unwrap({ value: 1 })).toEqual({ value: 1 })
})
