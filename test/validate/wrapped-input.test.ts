import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { JsonSchema, Schema } from '../../src/model/schema.ts'
import { validate, validateInput } from '../../src/validate/validate.ts'

const bounds = { maxInputBytes: 100_000, maxInputDepth: 50 }
const json = (schema: JsonSchema): Schema => ({ type: 'json', schema })
const list = json({ type: 'array', items: { type: 'string' } })

test('a list that is written as "value" is the list', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string()), async (words) => {
      expect(await validateInput(list, { value: words }, bounds)).toMatchObject({ ok: true, value: words })
      expect(await validateInput(list, words, bounds)).toMatchObject({ ok: true, value: words })
    }),
  )
})

test.each<[string, unknown, Schema]>([
  ['has something beside it', { value: ['a'], more: 1 }, list],
  ['does not fit either', { value: [1] }, json({ type: 'object', properties: { value: { type: 'string' } } })],
  ['is an object', { value: { a: 'x' } }, json({ type: 'object', required: ['a'] })],
  ['is not there', {}, list],
  [
    'cannot be read',
    new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('no')
        },
      },
    ),
    list,
  ],
])('what %s is refused as it was written', async (_, input, schema) => {
  const whole = await validate(schema, input, bounds)
  expect(whole.ok).toBe(false)
  expect(await validateInput(schema, input, bounds)).toEqual(whole)
})

test('what is wrong inside is told as such', async () => {
  expect(await validateInput(list, { value: ['a', 1] }, bounds)).toMatchObject({ issues: [{ path: '[1]' }] })
})

test('an object that fits is never taken apart', async () => {
  const schema = json({ type: 'object', properties: { value: { type: 'array' } } })
  expect(await validateInput(schema, { value: ['a'] }, bounds)).toMatchObject({ ok: true, value: { value: ['a'] } })
})

test('a check that takes its time is asked again in the same way', async () => {
  const slow: Schema = { type: 'standard', schema: z.array(z.string()).refine(async () => true) }
  expect(await validateInput(slow, { value: ['a'] }, bounds)).toMatchObject({ ok: true, value: ['a'] })
  expect(await validateInput(slow, { value: [1] }, bounds)).toMatchObject({ ok: false })
})
