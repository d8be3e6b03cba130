import { expect, test } from 'vitest'
import { LegworkError } from '../../src/model/errors.ts'
import { limitNames, limitSpecs, makeLimits } from '../../src/model/limits.ts'

test('every default lies within its own range', () => {
  for (const name of limitNames) {
    const { default: value, min, max, about } = limitSpecs[name]
    expect(value).toBeGreaterThanOrEqual(min)
    expect(value).toBeLessThanOrEqual(max)
    expect(about).toMatch(/\.$/)
  }
})

test('what is given replaces the default', () => {
  expect(makeLimits({ timeoutMs: 1 })).toMatchObject({
    timeoutMs: 1,
    maxOutputBytes: 1_048_576,
    maxTextLength: 100_000,
  })
})

test.each([0, -1, 1.5, Number.NaN, 600_001])('a time limit of %s is misuse', (timeoutMs) => {
  const make = () => makeLimits({ timeoutMs })
  expect(make).toThrow(LegworkError)
  expect(make).toThrow(`The limit "timeoutMs" is ${timeoutMs}; it must be a whole number from 1 to 600000.`)
})
