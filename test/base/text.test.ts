import fc from 'fast-check'
import { expect, test } from 'vitest'
import { codeFrame, count, didYouMean, editDistance, grouped, nearest, placeOf } from '../../src/base/text.ts'

test('the nearest names come first, and remote ones not at all', () => {
  const names = ['github:closeIssue', 'github:createIssue', 'demo:echo']
  expect(nearest('github.createIsue', names)).toEqual(['github:createIssue', 'github:closeIssue'])
  expect(nearest('zzz', names)).toEqual([])
})

test('separators and case do not count', () => {
  expect(nearest('GITHUB__create_issue', ['github:createIssue'])).toEqual(['github:createIssue'])
})

test('two swapped letters are one mistake', () => {
  expect(editDistance('ehco', 'echo')).toBe(1)
})

test('the distance is symmetric, zero only for equal words, and bounded when asked', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (a, b) => {
      const distance = editDistance(a, b)
      expect(editDistance(b, a)).toBe(distance)
      expect(distance === 0).toBe(a === b)
      expect(editDistance(a, b, 2)).toBe(Math.min(distance, 3))
    }),
  )
})

test('a code frame points at the place', () => {
  const text = '{\n  "a": 1,\n  "b": 2\n}\n'
  const place = placeOf(text, text.indexOf('"b"'))
  expect(place).toEqual({ line: 3, column: 3 })
  expect(codeFrame(text, place)).toBe('  2 |   "a": 1,\n> 3 |   "b": 2\n    |   ^\n  4 | }')
})

test('sentences about amounts and near names', () => {
  expect([count(1, 'tool'), count(2000, 'tool')]).toEqual(['1 tool', '2,000 tools'])
  expect([didYouMean([]), didYouMean(['a', 'b'])]).toEqual(['', ' Did you mean "a" or "b"?'])
})

test('numbers in groups of three', () => {
  expect([0, 12, 999, 1_000, 12_345, 1_048_576].map(grouped)).toEqual([
    '0',
    '12',
    '999',
    '1,000',
    '12,345',
    '1,048,576',
  ])
})
