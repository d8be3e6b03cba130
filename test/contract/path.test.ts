import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parsePath, readPath, writePath } from '../../src/contract/path.ts'

const at = (value: unknown, text: string) => {
  const parsed = parsePath(text)
  if (!parsed.ok) throw new Error(parsed.message)
  return readPath(value, parsed.path)
}

test.each([
  ['$', { a: 1 }, { a: 1 }],
  ['$.a.b', { a: { b: 2 } }, 2],
  ['$.a[1]', { a: [1, 2] }, 2],
  ["$['odd key']", { 'odd key': 3 }, 3],
  ['$["a.b"].c', { 'a.b': { c: 4 } }, 4],
  ['a.b', { a: { b: 5 } }, 5],
  ['$.a.0', { a: [6] }, 6],
  ['$.a', { a: null }, null],
])('%s is found', (path, value, found) => {
  expect(at(value, path)).toEqual(found)
})

test.each([
  '$.b',
  '$.a.b.c',
  '$.a[9]',
  '$.__proto__',
  '$.constructor',
  '$.toString',
  '$.list.length',
  '$.list.map',
  '$.text[0]',
])('%s leads to nothing', (path) => {
  expect(at({ a: 1, list: [1], text: 'x' }, path)).toBeUndefined()
})

test.each(['', '$.', '$..a', '$.a[', '$.a[x]', "$['a", '$[-1]', '$.a]', `$${'.a'.repeat(65)}`])(
  '%j is broken',
  (path) => {
    expect(parsePath(path)).toMatchObject({ ok: false, message: expect.stringContaining('is broken') })
  },
)

describe('laws', () => {
  const key = fc.stringMatching(/^[a-z_]{1,8}$/)
  test('what is written at a path is read there', () => {
    fc.assert(
      fc.property(fc.array(key, { minLength: 1, maxLength: 5 }), fc.jsonValue(), (keys, value) => {
        const root = {}
        writePath(root, keys, value)
        expect(readPath(root, keys)).toEqual(value)
        expect(Object.getPrototypeOf(root)).toBe(Object.prototype)
      }),
    )
  })

  test('writing never reaches a prototype', () => {
    writePath({}, ['__proto__', 'polluted'], 1)
    writePath({}, ['constructor', 'prototype', 'polluted'], 1)
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })
})
