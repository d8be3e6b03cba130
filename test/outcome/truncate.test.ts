import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { truncateText } from '../../src/outcome/truncate.ts'

describe('a text that is cut', () => {
  test('keeps its beginning, with the arithmetic of the spec', () => {
    const text = 'x'.repeat(1000)
    expect(truncateText(text, 100)).toBe(`${text.slice(0, 100 - 14)}\n[TRUNCATED]`)
    expect(truncateText(text, 1000)).toBe(text)
    expect(truncateText(text, 999)).toBe(`${text.slice(0, 999 - 14)}\n[TRUNCATED]`)
  })

  test('keeps its end, or both', () => {
    const text = `first ${'x'.repeat(1000)} last`
    expect(truncateText(text, 20, 'tail')).toBe('[TRUNCATED]\nx last')
    expect(truncateText(text, 26, 'middle')).toBe('first \n[TRUNCATED]\nx last')
  })

  test('never gets longer than asked, and never splits a pair', () => {
    const texts = fc.string({ unit: 'grapheme', maxLength: 200 })
    const modes = fc.constantFrom('head' as const, 'tail' as const, 'middle' as const)
    fc.assert(
      fc.property(texts, fc.integer({ min: 0, max: 120 }), modes, (text, maxLength, mode) => {
        const cut = truncateText(text, maxLength, mode)
        expect(cut.length).toBeLessThanOrEqual(maxLength)
        expect(cut.isWellFormed()).toBe(true)
        expect(cut === text).toBe(text.length <= maxLength)
      }),
    )
  })
})
