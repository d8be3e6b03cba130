import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonSchema } from '../../src/model/schema.ts'
import { type Validation, validate } from '../../src/validate/validate.ts'

const bounds = { maxInputBytes: 10_485_760, maxInputDepth: 128 }

async function check(schema: JsonSchema, input: unknown, coerce = true): Promise<Validation> {
  return await validate({ type: 'json', schema, coerce }, input, bounds)
}

const $defs = { port: { type: 'integer' }, tree: { type: 'array', items: { $ref: '#/$defs/tree' } } }

async function one(schema: JsonSchema, value: unknown): Promise<unknown> {
  const validation = await check({ type: 'object', properties: { x: schema }, $defs }, { x: value })
  return validation.ok ? (validation.value as { x?: unknown }).x : validation.issues[0]?.code
}

describe('text and numbers find their type where nothing is lost', () => {
  test.each<[JsonSchema, unknown, unknown]>([
    [{ type: 'integer' }, '12', 12],
    [{ type: 'number' }, '-1.5e3', -1500],
    [{ type: 'number' }, '0', 0],
    [{ type: 'boolean' }, 'true', true],
    [{ type: 'boolean' }, 'false', false],
    [{ type: 'string' }, 5, '5'],
    [{ type: ['integer', 'null'] }, '5', 5],
    [{ type: 'array', items: { type: 'string' } }, 'a', ['a']],
    [{ type: 'array', items: { type: 'integer' } }, '7', [7]],
    [{ type: 'array', items: { type: 'integer' } }, ['1', 2, '3'], [1, 2, 3]],
    [{ type: 'array' }, { a: 1 }, [{ a: 1 }]],
    [{ enum: [1, 2] }, '2', 2],
    [{ enum: ['1', 2] }, '2', 2],
    [{ enum: ['1', '2'] }, 2, '2'],
    [{ enum: ['1', 2] }, 1, '1'],
    [{ enum: ['x', true] }, 'true', true],
    [{ enum: ['x', true] }, 'false', 'INVALID_ENUM'],
    [{ enum: [{ a: 1 }, 2] }, '2', 2],
    [{ const: 3 }, '3', 3],
    [
      { prefixItems: [{ type: 'string' }, { type: 'integer' }], items: { type: 'boolean' } },
      [1, '2', 'true'],
      ['1', 2, true],
    ],
    [{ items: [{ type: 'integer' }], additionalItems: { type: 'boolean' } }, ['1', 'true'], [1, true]],
    [
      { properties: { y: { type: 'integer' } }, additionalProperties: true },
      { y: '1', z: '2' },
      { y: 1, z: '2' },
    ],
    [{ type: 'integer', enum: [1, 2] }, '1', 1],
    [{ $ref: '#/$defs/port' }, '80', 80],
    [{ allOf: [{ $ref: '#/$defs/port' }] }, '80', 80],
    [{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, '80', 80],
    [{ anyOf: [{ type: 'array', items: { type: 'integer' } }, { type: 'null' }] }, '80', [80]],
    [{ oneOf: [{ type: 'integer' }, { type: 'null' }] }, '80', 80],
    [{ anyOf: [{ type: 'string' }, { type: 'integer' }] }, '80', '80'],
    [{ anyOf: [true, { type: 'integer' }] }, '80', '80'],
    [{ anyOf: [{}, { type: 'integer' }, { minLength: 1 }] }, '80', '80'],
    [{ type: 'object', properties: { y: { type: 'integer' } } }, { y: '1' }, { y: 1 }],
    [true, '1', '1'],
    [{}, '1', '1'],
    [{ type: 'integer' }, null, undefined],
    [{ type: 'array', items: { type: 'string' } }, null, undefined],
    [{ type: ['integer', 'null'] }, null, null],
    [{ type: 'integer', nullable: true }, null, null],
    [{}, null, null],
  ])('%j of %j gives %j', async (schema, given, expected) => {
    expect(await one(schema, given)).toEqual(expected)
  })

  test.each<[JsonSchema, unknown]>([
    ...['12abc', '', ' 1', '1 ', '0x10', '1e999', '+1', '01', '.5', 'NaN', 'Infinity', '1_000', '١'].map(
      (text): [JsonSchema, unknown] => [{ type: 'number' }, text],
    ),
    [{ type: 'integer' }, '1.5'],
    [{ type: 'integer' }, '9007199254740993'],
    [{ type: 'integer' }, true],
    [{ type: 'string' }, true],
    [{ type: 'string' }, ['a']],
    ...['yes', 'no', '1', '0', 'True', 'on', ''].map((text): [JsonSchema, unknown] => [{ type: 'boolean' }, text]),
    [{ type: 'boolean' }, 1],
  ])('%j leaves %j alone and refuses it', async (schema, given) => {
    expect(await one(schema, given)).toBe('INVALID_TYPE')
  })

  test('null for a required parameter is not left out', async () => {
    const schema = { type: 'object', properties: { x: { type: 'string' } }, required: ['x'] }
    expect(await check(schema, { x: null })).toMatchObject({ ok: false, issues: [{ path: 'x', code: 'INVALID_TYPE' }] })
  })

  test('a list that holds lists of itself is wrapped once', async () => {
    expect(await one({ $ref: '#/$defs/tree' }, 1)).toBe('INVALID_TYPE')
  })

  test('references in a circle change nothing', async () => {
    const schema = { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }
    expect(await check(schema, { x: '1' })).toMatchObject({
      ok: true,
      value: { x: '1' },
      warnings: [{ code: 'UNCHECKED' }],
    })
  })

  test.each([
    [30, { ok: true, value: 12, warnings: [] }],
    [
      40,
      {
        ok: false,
        issues: [{ path: '', code: 'INVALID_TYPE', message: 'The input must be an integer, but is the string "12".' }],
        warnings: [],
      },
    ],
  ])('through a chain of %i references', async (length, expected) => {
    const links = Array.from({ length }, (_, at) => [`d${at}`, { $ref: `#/$defs/d${at + 1}` }])
    const schema = { $ref: '#/$defs/d0', $defs: Object.fromEntries([...links, [`d${length}`, { type: 'integer' }]]) }
    expect(await check(schema, '12')).toEqual(expected)
  })
})

test('unknown parameters are warned about and left out', async () => {
  const schema = { type: 'object', properties: { message: { type: 'string' } } }
  const input = { mesage: 'x', message: 5 }
  expect(await check(schema, input)).toEqual({
    ok: true,
    value: { message: '5' },
    warnings: [
      {
        path: 'mesage',
        code: 'UNKNOWN_PARAMETER',
        message: 'There is no parameter "mesage". Did you mean "message"?',
      },
    ],
  })
  expect(input).toEqual({ mesage: 'x', message: 5 })
})

test('without leave to coerce, nothing is changed', async () => {
  const schema = { type: 'object', properties: { count: { type: 'integer' } } }
  expect(await check(schema, { count: '1' }, false)).toMatchObject({ ok: false, issues: [{ code: 'INVALID_TYPE' }] })
  expect(await check(schema, { count: 1, other: 2 }, false)).toMatchObject({ ok: true, value: { count: 1, other: 2 } })
})

const scalar = fc.constantFrom('1', '1.5', 'true', 'false', 'x', '', 1, 1.5, 0, true, false, null)
const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b'), tie('value')),
  ),
})).value
const typeName = fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'array', 'object')
const { schema } = fc.letrec<{ schema: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    fc.constant(true),
    fc.record({ type: typeName }),
    fc.record({ type: fc.array(typeName, { minLength: 1, maxLength: 3 }) }),
    fc.record({ enum: fc.array(scalar, { minLength: 1, maxLength: 3 }) }),
    fc.record({ const: scalar }),
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
    fc.record({ allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
    fc.record({ type: fc.constant('array'), items: tie('schema') }),
    fc.record({
      type: fc.constant('object'),
      properties: fc.record({ a: tie('schema'), b: tie('schema') }),
      additionalProperties: fc.boolean(),
    }),
  ),
}))

test('a value that already fits is never changed', () =>
  fc.assert(
    fc.asyncProperty(schema, value, async (anySchema, anyValue) => {
      const strict = await check(anySchema, anyValue, false)
      fc.pre(strict.ok)
      expect(await check(anySchema, anyValue, true)).toEqual({ ok: true, value: anyValue, warnings: [] })
    }),
    { numRuns: 500 },
  ))

test('the caller keeps their input as it was', () =>
  fc.assert(
    fc.asyncProperty(schema, value, async (anySchema, anyValue) => {
      const before = JSON.stringify(anyValue)
      await check(anySchema, anyValue)
      expect(JSON.stringify(anyValue)).toBe(before)
    }),
  ))
