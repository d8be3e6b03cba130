import { expect, test } from 'vitest'
import type { Json } from '../../src/base/json.ts'
import type { Outcome } from '../../src/model/outcome.ts'
import { resultParts } from '../../src/outcome/result-parts.ts'

const outcome = (value: Json, text = JSON.stringify(value)): Outcome => {
  return { ok: true, callId: 'c', tool: 't', value, text, startedAt: '', durationMs: 0, warnings: [] }
}
const image = { type: 'image', data: 'iVBORw==', mimeType: 'image/png' }
const words = { type: 'text', text: 'a picture' }

test('an image is a part, and so is the text beside it', () => {
  const shown = { type: 'image', mediaType: 'image/png', data: 'iVBORw==' }
  expect(resultParts(outcome({ content: [words, image] }), 'mcp')).toEqual([words, shown])
})

test.each<[string, Json]>([
  ['text alone', { content: [words] }],
  ['a value that is no content', { a: 1 }],
  ['a type that no model sees', { content: [{ ...image, mimeType: 'image/svg+xml' }] }],
  ['data that is not base64', { content: [{ ...image, data: 'https://example.com' }] }],
  ['no data', { content: [{ ...image, data: '' }] }],
  ['a block of another sort', { content: [image, { type: 'hologram' }] }],
])('%s stays text', (_, value) => {
  expect(resultParts(outcome(value), 'mcp')).toBeUndefined()
})

test('what a function returns is its own, and looks like an image only by chance', () => {
  expect(resultParts(outcome({ content: [image] }), 'function')).toBeUndefined()
})

test('what cannot be shown beside an image is told, without its data', () => {
  const sound = { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' }
  const [, told] = resultParts(outcome({ content: [image, sound] }), 'mcp') ?? []
  expect(told).toEqual({ type: 'text', text: '[audio: audio/wav, 4 bytes]' })
})

test('text that is longer than a model is shown is cut, and the image with it', () => {
  const long = { type: 'text', text: 'x'.repeat(2_000) }
  expect(resultParts(outcome({ content: [long, image] }, `${'x'.repeat(900)}[TRUNCATED]`), 'mcp')).toBeUndefined()
})

test('a failure is text', () => {
  const { value: _, ...rest } = outcome(null)
  const failure: Outcome = { ...rest, ok: false, code: 'tool-failed', message: 'x', value: { content: [image] } }
  expect(resultParts(failure, 'mcp')).toBeUndefined()
})
