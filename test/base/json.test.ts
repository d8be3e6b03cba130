import fc from 'fast-check'
import { expect, test } from 'vitest'
import { maxJsonDepth, messageOf, toJson } from '../../src/base/json.ts'

test('whatever JSON can hold is copied as JSON has it', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
      const made = toJson(value)
      expect(made.ok && JSON.stringify(made.json)).toBe(JSON.stringify(value))
    }),
  )
})

test('undefined becomes null at the top and in lists, and is left out of objects', () => {
  expect(toJson(undefined)).toEqual({ ok: true, json: null })
  expect(toJson([undefined])).toEqual({ ok: true, json: [null] })
  const made = toJson({ a: undefined })
  expect(made.ok && JSON.stringify(made.json)).toBe('{}')
})

test('NaN is null, dates are text, toJSON is honoured', () => {
  const made = toJson({ n: Number.NaN, d: new Date(0), own: { toJSON: () => 'mine' } })
  expect(made).toEqual({ ok: true, json: { n: null, d: '1970-01-01T00:00:00.000Z', own: 'mine' } })
})

const cycle: { self?: unknown } = {}
cycle.self = cycle

test.each([
  ['a cycle', { a: cycle }, 'a.self', 'a cycle'],
  ['a BigInt', { list: [1, 2n] }, 'list[1]', 'the BigInt 2'],
  ['a function', { run: () => 1 }, 'run', 'a function'],
  ['a symbol', [Symbol('x')], '[0]', 'a symbol'],
  ['a Map', { m: new Map() }, 'm', 'a Map'],
  ['a Set', new Set(), '', 'a Set'],
  ['a list without end', { l: new Array(4_000_000_000) }, 'l', 'a list of 4000000000 items'],
  ['bytes', { b: new Uint8Array(2) }, 'b', 'bytes'],
])('%s is named with its path', (_, value, path, what) => {
  const made = toJson(value)
  expect(made).toMatchObject({ ok: false, path })
  expect(made.ok || made.message).toContain(what)
})

test('a value that is too deep is refused and does not overflow the stack', () => {
  let deep: unknown = 1
  for (let at = 0; at < 100_000; at++) deep = [deep]
  const made = toJson(deep)
  expect(made.ok || made.message).toContain(`more than ${maxJsonDepth} levels`)
})

test('a key named __proto__ stays a key and pollutes nothing', () => {
  const made = toJson(JSON.parse('{"__proto__": {"polluted": true}}'))
  expect(made.ok && Object.keys(made.json as object)).toEqual(['__proto__'])
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
})

test('a getter that throws is a fault, not a crash', () => {
  const made = toJson({
    get broken() {
      throw new Error('no')
    },
  })
  expect(made).toMatchObject({ ok: false, message: 'Reading the value failed: no' })
})

test.each([
  [new Error('plain'), 'plain'],
  [new TypeError(''), 'TypeError'],
  ['text', 'text'],
  [{ code: 1 }, '{"code":1}'],
  [undefined, 'undefined'],
  [cycle, 'an error that cannot be shown'],
])('whatever is thrown has a message', (thrown, message) => {
  expect(messageOf(thrown)).toBe(message)
})

test('boxed values are unboxed, an error is its name and message, and what would be lost in silence is a fault', () => {
  class Point {
    x = 1
  }
  expect(toJson([new String('a'), new Number(1), new Point(), new RangeError('far')])).toEqual({
    ok: true,
    json: ['a', 1, { x: 1 }, { name: 'RangeError', message: 'far' }],
  })
  for (const [value, what] of [
    [Promise.resolve(1), 'Promise'],
    [/x/, 'RegExp'],
    [new WeakMap(), 'WeakMap'],
    [new Blob([]), 'Blob'],
  ] as const) {
    expect(toJson({ it: value })).toMatchObject({
      ok: false,
      path: 'it',
      message: `JSON cannot hold a ${what} (at it).`,
    })
  }
})

test('an error whose message is no text still has one', () => {
  expect(messageOf(Object.assign(new Error('x'), { message: 7 }))).toBe('7')
})
