import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startCapture } from '../../src/run/capture.ts'

test('what is kept does not depend on how it came in', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), fc.integer({ min: 1, max: 300 }), (chunks, maxBytes) => {
      const pieces = startCapture(maxBytes)
      for (const chunk of chunks) pieces.add(chunk)
      const whole = startCapture(maxBytes)
      whole.add(Buffer.concat(chunks))
      expect(pieces.text()).toBe(whole.text())
      expect(pieces.bytes()).toBe(Buffer.concat(chunks).length)
    }),
  )
})

test('text that fits comes back whole', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const capture = startCapture(10_000)
      capture.add(Buffer.from(text))
      expect(capture.text()).toBe(text)
    }),
  )
})

test('text that does not fit is a beginning of it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 20 }), (text, maxBytes) => {
      const capture = startCapture(maxBytes)
      capture.add(Buffer.from(text))
      expect(text.startsWith(capture.text())).toBe(true)
    }),
  )
})
