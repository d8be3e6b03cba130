import { expect, test } from 'vitest'
import { learningRedactor } from '../../src/outcome/learning-redactor.ts'

test('what it is told of later is hidden from then on, besides what it knew', () => {
  const redactor = learningRedactor({ values: ['first-secret'], patterns: ['acme_[a-z]{4}'] })
  const text = 'first-secret later-secret acme_abcd'
  expect(redactor.text(text)).toBe('[REDACTED] later-secret [REDACTED]')
  redactor.learn('later-secret')
  redactor.learn('later-secret')
  expect(redactor.text(text)).toBe('[REDACTED] [REDACTED] [REDACTED]')
  expect(redactor.value({ text })).toEqual({ text: '[REDACTED] [REDACTED] [REDACTED]' })
  const stream = redactor.stream()
  expect(stream.push('later-') + stream.push('secret\n') + stream.end()).toBe('[REDACTED]\n')
})
