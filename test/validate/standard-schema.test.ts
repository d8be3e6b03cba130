import * as valibot from 'valibot'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { StandardResult, StandardSchema } from '../../src/model/schema.ts'
import { type Validation, validate } from '../../src/validate/validate.ts'

const bounds = { maxInputBytes: 10_485_760, maxInputDepth: 128 }

async function check(schema: StandardSchema, input: unknown): Promise<Validation> {
  return await validate({ type: 'standard', schema }, input, bounds)
}

async function codes(schema: StandardSchema, input: unknown): Promise<string[]> {
  const validation = await check(schema, input)
  return validation.ok ? [] : validation.issues.map(({ path, code }) => `${path} ${code}`)
}

function handWritten(check: (value: unknown) => StandardResult<unknown> | Promise<StandardResult<unknown>>) {
  return { '~standard': { version: 1, vendor: 'hand', validate: check } } as const
}

describe('zod', () => {
  const schema = z.object({
    title: z.string(),
    state: z.enum(['open', 'closed']).optional(),
    email: z.email().optional(),
    files: z.array(z.object({ name: z.string(), size: z.number() })).optional(),
    options: z.strictObject({ depth: z.number().min(1).optional() }).optional(),
  })

  test('a valid input comes back as zod gives it', async () => {
    const withDefault = z.object({ count: z.number().default(3), name: z.string().trim() })
    expect(await check(withDefault, { name: ' x ' })).toEqual({
      ok: true,
      value: { count: 3, name: 'x' },
      warnings: [],
    })
  })

  test('each issue has its path and its code', async () => {
    const input = {
      state: 'opne',
      email: 'x',
      files: [{ name: 'a', size: '1' }, { size: 2 }],
      options: { depth: 0, deep: 1 },
    }
    expect(await codes(schema, input)).toEqual([
      'title MISSING_REQUIRED',
      'state INVALID_ENUM',
      'email INVALID_FORMAT',
      'files[0].size INVALID_TYPE',
      'files[1].name MISSING_REQUIRED',
      'options.depth INVALID_VALUE',
      'options.deep UNKNOWN_PARAMETER',
    ])
  })

  test('messages show the value and what is wanted', async () => {
    const validation = await check(schema, { state: 'opne' })
    expect(validation.ok ? [] : validation.issues.map(({ message }) => message)).toEqual([
      'The parameter "title" is missing. Expected: string.',
      '"state" is "opne": Invalid option: expected one of "open"|"closed". Did you mean "open"?',
    ])
  })

  test("the author's own message is kept", async () => {
    const own = z.object({ title: z.string({ error: 'Give the issue a title' }) })
    const validation = await check(own, {})
    expect(validation).toMatchObject({
      issues: [{ message: 'The parameter "title" is missing. Give the issue a title.' }],
    })
    const asked = z.object({ title: z.string({ error: 'What is the title?' }) })
    expect(await check(asked, { title: 5 })).toMatchObject({
      issues: [{ message: '"title" is 5: What is the title?' }],
    })
  })

  test('of a union, the alternative that was meant is told', async () => {
    const union = z.object({ u: z.union([z.string(), z.object({ a: z.number() })]) })
    expect(await codes(union, { u: { a: 'x' } })).toEqual(['u.a INVALID_TYPE'])
    expect(await codes(union, { u: true })).toEqual(['u INVALID_VALUE'])
    const pairs = z.union([z.object({ a: z.number(), b: z.number() }), z.object({ a: z.string(), c: z.number() })])
    expect(await codes(z.object({ u: pairs }), { u: { a: 'x' } })).toEqual(['u.c MISSING_REQUIRED'])
  })

  test('an unknown parameter is a warning, unless the schema forbids or welcomes it', async () => {
    const warned = await check(schema, { title: 'x', titel: 'y' })
    expect(warned).toMatchObject({
      ok: true,
      value: { title: 'x' },
      warnings: [{ path: 'titel', code: 'UNKNOWN_PARAMETER', message: expect.stringContaining('"title"') }],
    })
    expect(await check(schema, { title: 5, titel: 'y' })).toMatchObject({
      ok: false,
      issues: [{ path: 'title', code: 'INVALID_TYPE' }],
      warnings: [{ path: 'titel', code: 'UNKNOWN_PARAMETER' }],
    })
    expect(await check(z.looseObject({ a: z.string() }), { a: 'x', b: 1 })).toMatchObject({ ok: true, warnings: [] })
    const strict = await check(z.strictObject({ name: z.string() }), { name: 'x', nmae: 1 })
    expect(strict).toMatchObject({
      ok: false,
      issues: [{ path: 'nmae', code: 'UNKNOWN_PARAMETER', message: expect.stringContaining('"name"') }],
      warnings: [],
    })
  })

  test('the input is taken as it is: text is no number', async () => {
    expect(await codes(z.object({ n: z.number() }), { n: '1' })).toEqual(['n INVALID_TYPE'])
  })

  test('asynchronous checks are waited for', async () => {
    const free = z.object({ name: z.string().refine(async (name) => name !== 'taken', 'is taken') })
    expect(validate({ type: 'standard', schema: free }, { name: 'x' }, bounds)).toBeInstanceOf(Promise)
    expect(await check(free, { name: 'x' })).toMatchObject({ ok: true })
    expect(await codes(free, { name: 'taken' })).toEqual(['name INVALID_VALUE'])
  })

  test('an answer that needs no waiting comes at once', () => {
    expect(validate({ type: 'standard', schema }, { title: 'x' }, bounds)).toMatchObject({ ok: true })
  })

  test('a number as a key of an object is not an index', async () => {
    expect(await codes(z.object({ m: z.record(z.string(), z.number()) }), { m: { 0: 'x' } })).toEqual([
      'm.0 INVALID_TYPE',
    ])
  })
})

test('valibot', async () => {
  const schema = valibot.object({ title: valibot.string(), files: valibot.optional(valibot.array(valibot.number())) })
  expect(await check(schema, { title: 'x' })).toEqual({ ok: true, value: { title: 'x' }, warnings: [] })
  expect(await codes(schema, { files: [1, 'x'] })).toEqual(['title MISSING_REQUIRED', 'files[1] INVALID_VALUE'])
})

describe('a validator written by hand', () => {
  test('may say where in any of the ways the standard knows', async () => {
    const schema = handWritten(() => ({
      issues: [
        { message: 'a' },
        { message: 'b', path: ['x', { key: 'y z' }, 0] },
        { message: 'c', path: [Symbol('s')] },
      ],
    }))
    expect(await codes(schema, { x: { 'y z': [1] } })).toEqual([
      ' INVALID_VALUE',
      'x["y z"][0] INVALID_VALUE',
      'Symbol(s) MISSING_REQUIRED',
    ])
  })

  test('may mean a key of an object by a number', async () => {
    const schema = handWritten(() => ({ issues: [{ message: 'no', path: ['m', 0] }] }))
    expect(await codes(schema, { m: { 0: 'x' } })).toEqual(['m.0 INVALID_VALUE'])
    expect(await codes(schema, { m: ['x'] })).toEqual(['m[0] INVALID_VALUE'])
  })

  test('that refuses an unknown parameter is not warned about it as well', async () => {
    const { '~standard': standard } = handWritten(() => ({ issues: [{ message: 'no', path: ['titel'] }] }))
    const jsonSchema = { input: () => ({ properties: { title: {} } }) }
    const issue = { path: 'titel', code: 'INVALID_VALUE', message: '"titel" is 1: no.' }
    expect(await check({ '~standard': { ...standard, jsonSchema } }, { titel: 1, title: 2 })).toEqual({
      ok: false,
      issues: [issue],
      warnings: [],
    })
  })

  const faults: [string, StandardSchema][] = [
    [
      'throws',
      handWritten(() => {
        throw new Error('broken')
      }),
    ],
    ['rejects', handWritten(() => Promise.reject(new Error('broken')))],
    [
      'throws nothing at all',
      handWritten(() => {
        throw undefined
      }),
    ],
    ['answers nothing', handWritten(() => undefined as unknown as StandardResult<unknown>)],
    ['answers with no reason', handWritten(() => ({ issues: [] }))],
    ['answers with rubbish', handWritten(() => ({ issues: [undefined] }) as unknown as StandardResult<unknown>)],
    ['answers with rubbish later', handWritten(async () => ({ issues: 5 }) as unknown as StandardResult<unknown>)],
    ['is no validator', {} as StandardSchema],
    ['is nothing', undefined as unknown as StandardSchema],
  ]
  test.each(faults)('that %s is an issue, not a crash', async (_, schema) => {
    expect(await check(schema, {})).toMatchObject({ ok: false, issues: [{ path: '', code: 'INVALID_VALUE' }] })
  })

  test('cannot change what the caller holds', async () => {
    const input = { a: { b: 1 } }
    await check(
      handWritten((value) => ({ value: Object.assign(value as object, { a: 2 }) })),
      input,
    )
    expect(input).toEqual({ a: { b: 1 } })
  })

  test('may find a thousand faults; fifty are told', async () => {
    const schema = handWritten(() => ({ issues: Array.from({ length: 1000 }, (_, at) => ({ message: `${at}` })) }))
    expect(await codes(schema, {})).toHaveLength(50)
  })
})
