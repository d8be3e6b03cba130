import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { safePattern } from '../../src/base/safe-pattern.ts'

function compiled(source: string) {
  const pattern = safePattern(source)
  if (!pattern.ok) throw new Error(pattern.reason)
  return pattern
}

test.each([
  '^(a+)+$',
  '^(a|a)*$',
  '^(a|aa)+$',
  '(a*)*b',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  'a*a*a*a*a*a*b',
  '([a-z]+)*\\d',
])('%s cannot hang the host', (source) => {
  expect(compiled(source).test(`${'a'.repeat(20_000)}!`)).toBe(false)
})

test.each([
  ['is no pattern', '(', 'is faulty'],
  ['refers back', '(a)\\1', 'cannot be run in bounded time'],
  ['looks ahead', '(?=a)b', 'cannot be run in bounded time'],
  ['is enormous', '(a{1000}){1000}', 'cannot be run in bounded time'],
  ['grows when it is compiled', '([a-z]{30}|[0-9]{31}|[A-Z]{32}){30}', 'is too large'],
  ['is long', 'a'.repeat(5_001), 'is too large'],
])('one that %s is refused with the reason', (_, source, reason) => {
  expect(safePattern(source)).toMatchObject({ ok: false, reason: expect.stringContaining(reason) })
})

describe('a pattern means what it means in JavaScript', () => {
  const sources = [
    '^[a-z0-9][a-z0-9-]*$',
    '^\\p{L}+$',
    '\\bfoo\\b',
    '^.$',
    '^[^]$',
    '[]',
    '^\\u{1F600}$',
    'a{2,3}',
    '^\\d{4}-\\d{2}$',
    '}{',
    '\\-',
    '^(?:a|b)+$',
    '[\\w-]',
  ]
  const text = fc.oneof(
    fc.string({ unit: fc.constantFrom(...'ab01-_ é😀\n{}') }),
    fc.constantFrom('foo', 'foo bar', '2024-01', '😀', ''),
  )
  test.each(sources)('%s', (source) => {
    const own = isUnicode(source) ? new RegExp(source, 'u') : new RegExp(source)
    const { test: matches } = compiled(source)
    fc.assert(
      fc.property(text, (it) => {
        expect(matches(it)).toBe(own.test(it))
      }),
    )
  })
})

test('the spans are those of JavaScript, without the empty ones', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'abc1 ') }), (text) => {
      const own = [...text.matchAll(/a+b?|c*/g)].filter(([found]) => found !== '')
      const expected = own.map(({ index, 0: found }) => ({ start: index, end: index + found.length }))
      expect(compiled('a+b?|c*').spans(text)).toEqual(expected)
    }),
  )
})

test('no more spans are looked for than the caller wants', () => {
  let left = 2
  expect(compiled('a').spans('aaaaa', () => --left > 0)).toEqual([
    { start: 0, end: 1 },
    { start: 1, end: 2 },
  ])
})

function isUnicode(source: string): boolean {
  try {
    new RegExp(source, 'u')
    return true
  } catch {
    return false
  }
}
