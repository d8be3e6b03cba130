import * as valibot from 'valibot'
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { StandardSchema } from '../../src/model/schema.ts'
import { jsonSchemaOf } from '../../src/validate/validate.ts'

const of = (schema: StandardSchema) => jsonSchemaOf({ type: 'standard', schema })

test('a JSON Schema is itself', () => {
  const schema = { type: 'string' }
  expect(jsonSchemaOf({ type: 'json', schema })).toBe(schema)
})

test('zod says it itself, and is asked once', () => {
  const schema = z.object({ a: z.string(), b: z.number().default(1) })
  expect(of(schema)).toMatchObject({ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] })
  expect(of(schema)).toBe(of(schema))
})

test('what JSON Schema cannot say is left open, and the rest stays', () => {
  expect(of(z.object({ at: z.date(), b: z.string() }))).toMatchObject({ properties: { at: {}, b: { type: 'string' } } })
})

test('a validator that cannot tell is anything', () => {
  expect(of(valibot.object({ a: valibot.string() }))).toEqual({})
  const broken = {
    '~standard': {
      version: 1,
      vendor: 'broken',
      validate: (value: unknown) => ({ value }),
      jsonSchema: {
        input: () => {
          throw new Error('cannot')
        },
      },
    },
  } as const
  expect(of(broken)).toEqual({})
})
