import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shapeOf } from '../../src/sandbox/isolate-shape.ts'

/** The same, found by walking over the value. */
function walked(value: unknown): { depth: number; values: number; empty: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, values: 1, empty: 0 }
  const inner = Object.values(value).map(walked)
  return {
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
    values: 1 + inner.reduce((sum, { values }) => sum + values, 0),
    empty: (inner.length ? 0 : 1) + inner.reduce((sum, { empty }) => sum + empty, 0),
  }
}

test('the depth and the number of values are those of the value', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      const { depth, values, empty } = walked(value)
      expect(shapeOf(JSON.stringify(value))).toEqual({ depth, values: values + empty })
    }),
  )
})

test('what stands in texts does not count', () => {
  expect(shapeOf(JSON.stringify(['[[,,]]', '\\"[', '\\\\', { '{,': '"' }]))).toEqual({ depth: 2, values: 6 })
})

test.each(['"', '"\\', '[[[', ']]', '"\\"', ''])('%j is no JSON and does no harm', (text) => {
  expect(shapeOf(text).depth).toBeLessThan(4)
})
