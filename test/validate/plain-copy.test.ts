import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anySchema } from '../../src/model/schema.ts'
import { plainCopy } from '../../src/validate/plain-copy.ts'
import { type InputBounds, type Validation, validate } from '../../src/validate/validate.ts'

const bounds: InputBounds = { maxInputBytes: 10_485_760, maxInputDepth: 128 }

async function check(input: unknown, given = bounds): Promise<Validation> {
  return await validate(anySchema, input, given)
}

function nested(depth: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < depth; level++) value = level % 2 ? { a: value } : [value]
  return value
}

function cyclic(): unknown {
  const list: unknown[] = []
  list.push({ list })
  return list
}

/** Small in memory, and larger than the world when written out. */
function doubling(): unknown {
  let value: unknown = 'x'
  for (let level = 0; level < 100; level++) value = [value, value]
  return value
}

describe('an input that could hurt is a typed issue', () => {
  test.each<[string, unknown, string, string]>([
    ['10,000 levels', nested(10_000), 'TOO_DEEP', ''],
    ['1,000,000 levels', nested(1_000_000), 'TOO_DEEP', ''],
    ['a cycle', cyclic(), 'TOO_DEEP', ''],
    ['lists that double', doubling(), 'TOO_LARGE', ''],
    ['11 MB of text', 'x'.repeat(11_000_000), 'TOO_LARGE', ''],
    ['a list with a billion holes', new Array(1_000_000_000), 'TOO_LARGE', ''],
    ['__proto__ from JSON', JSON.parse('{"a":[{"__proto__":{"admin":true}}]}'), 'FORBIDDEN_KEY', 'a[0].__proto__'],
    ['constructor.prototype', { constructor: { prototype: { admin: true } } }, 'FORBIDDEN_KEY', 'constructor'],
    ['a function', { a: { run: () => 1 } }, 'NOT_JSON', 'a.run'],
    ['a symbol', [Symbol('x')], 'NOT_JSON', '[0]'],
    ['a BigInt', { 'odd key': 10n }, 'NOT_JSON', '["odd key"]'],
    ['NaN', { a: Number.NaN }, 'NOT_JSON', 'a'],
    ['Infinity', Number.POSITIVE_INFINITY, 'NOT_JSON', ''],
    ['a Map', { a: new Map() }, 'NOT_JSON', 'a'],
    ['a Set', { a: new Set() }, 'NOT_JSON', 'a'],
    ['bytes', { a: Buffer.alloc(3).buffer }, 'NOT_JSON', 'a'],
    ['a promise', { a: Promise.resolve() }, 'NOT_JSON', 'a'],
    ['an invalid date', { a: { toJSON: () => 1n } }, 'NOT_JSON', 'a'],
  ])('%s', async (_, input, code, path) => {
    const validation = await check(input)
    expect(validation).toMatchObject({ ok: false, issues: [{ code }] })
    if (!validation.ok && code !== 'TOO_DEEP') expect(validation.issues[0]?.path).toBe(path)
  })

  test('a getter that throws says where', async () => {
    const input = {
      a: { b: 1 },
      c: {
        get d() {
          throw new Error('boo')
        },
      },
    }
    const issue = { path: 'c.d', code: 'NOT_JSON', message: '"c.d" cannot be read: boo.' }
    expect(await check(input)).toMatchObject({ ok: false, issues: [issue] })
  })

  test('a Proxy whose traps throw is refused', async () => {
    const trap = () => {
      throw new Error('trap')
    }
    expect(await check(new Proxy({}, { ownKeys: trap }))).toMatchObject({ issues: [{ code: 'NOT_JSON' }] })
    expect(await check(new Proxy({}, { get: trap }))).toMatchObject({ issues: [{ code: 'NOT_JSON' }] })
    expect(await check(new Proxy({}, { getPrototypeOf: trap }))).toMatchObject({ issues: [{ code: 'NOT_JSON' }] })
  })

  test('all of them are told, up to fifty', async () => {
    const two = await check({ a: 1n, b: { c: () => 1 } })
    expect(two).toMatchObject({ issues: [{ path: 'a' }, { path: 'b.c' }] })
    const many = await check(Array.from({ length: 1000 }, () => 1n))
    expect(many.ok ? 0 : many.issues.length).toBe(50)
  })

  test('a cycle is named as one', async () => {
    const validation = await check(cyclic())
    expect(validation).toMatchObject({ issues: [{ message: expect.stringContaining('cycle') }] })
  })
})

describe('what is handed on is a plain copy', () => {
  test('a getter is read once, and what was checked is what is handed on', async () => {
    let reads = 0
    const input = {
      get path() {
        reads++
        return reads === 1 ? 'safe' : '/etc/shadow'
      },
    }
    expect(await check(input)).toMatchObject({ ok: true, value: { path: 'safe' } })
    expect(reads).toBe(1)
  })

  test('undefined counts as no parameters', async () => {
    expect(await check(undefined)).toEqual({ ok: true, value: {}, warnings: [] })
  })

  test('a key called constructor is an ordinary one', async () => {
    const input = { constructor: 'Bauhaus', prototype: 1 }
    expect(await check(input)).toMatchObject({ ok: true, value: input })
  })

  test('inherited fields do not count', async () => {
    expect(await check(Object.create({ admin: true }))).toMatchObject({ ok: true, value: {} })
  })

  test('any JSON comes back equal, never the same object, and the caller keeps theirs', () =>
    fc.assert(
      fc.asyncProperty(fc.jsonValue({ noUnicodeString: false }), async (json) => {
        const text = JSON.stringify(json)
        fc.pre(!text.includes('"__proto__"'))
        const validation = await check(json)
        expect(validation.ok && JSON.stringify(validation.value)).toBe(text)
        if (validation.ok && typeof json === 'object' && json !== null) expect(validation.value).not.toBe(json)
        expect(JSON.stringify(json)).toBe(text)
      }),
    ))

  test('whatever JavaScript holds, the answer is what JSON has or an issue', () =>
    fc.assert(
      fc.asyncProperty(fc.anything({ withDate: true, withMap: true, withBigInt: true }), async (anything) => {
        const validation = await check(anything)
        if (validation.ok)
          expect(JSON.stringify(validation.value)).toBe(JSON.stringify(anything === undefined ? {} : anything))
      }),
    ))

  test('the size is counted exactly as JSON has it', () =>
    fc.assert(
      fc.asyncProperty(fc.jsonValue({ noUnicodeString: false }), async (json) => {
        const text = JSON.stringify(json)
        fc.pre(!text.includes('"__proto__"'))
        const bytes = Buffer.byteLength(text)
        expect(await check(json, { ...bounds, maxInputBytes: bytes })).toMatchObject({ ok: true })
        const smaller = await check(json, { ...bounds, maxInputBytes: bytes - 1 })
        expect(smaller).toMatchObject({ ok: false, issues: [{ code: 'TOO_LARGE' }] })
      }),
    ))

  test.each<[string, string]>([
    ['plain', 'x'.repeat(100)],
    ['in another script', 'ш'.repeat(100)],
    ['with quotes, line breaks and halves of letters', '"\n\ud800'.repeat(100)],
  ])('so is that of a long text %s', async (_, text) => {
    const bytes = Buffer.byteLength(JSON.stringify(text))
    expect(await check(text, { ...bounds, maxInputBytes: bytes })).toEqual({ ok: true, value: text, warnings: [] })
    expect(await check(text, { ...bounds, maxInputBytes: bytes - 1 })).toMatchObject({
      issues: [{ code: 'TOO_LARGE' }],
    })
  })

  test('the depth is exact', async () => {
    expect(await check(nested(128))).toMatchObject({ ok: true })
    expect(await check(nested(129))).toMatchObject({ ok: false })
  })
})

test('an input of too many values is refused before any validator sees it, also a list that only claims to have them', () => {
  const bounds = { maxInputBytes: 10_485_760, maxInputDepth: 128, maxInputValues: 1_000 }
  for (const input of [Array(1_000).fill(1), new Array(4_000_000_000)]) {
    expect(plainCopy(input, bounds)).toMatchObject({
      ok: false,
      issues: [{ code: 'TOO_LARGE', message: 'The input has more than 1,000 values.' }],
    })
  }
  expect(plainCopy(Array(999).fill(1), bounds)).toMatchObject({ ok: true })
})
