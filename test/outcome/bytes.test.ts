import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json } from '../../src/base/json.ts'
import { withoutBytes } from '../../src/outcome/bytes.ts'

const data = Buffer.alloc(12_345, 'x').toString('base64')

test.each<[string, Json, Json]>([
  ['an image', { type: 'image', data, mimeType: 'image/png' }, '[image: image/png, 12,345 bytes]'],
  ['a sound', { type: 'audio', data, mimeType: 'audio/wav' }, '[audio: audio/wav, 12,345 bytes]'],
  ['an image of no known type', { type: 'image', data }, '[image: 12,345 bytes]'],
  ['a type that is a sentence', { type: 'image', data, mimeType: 'ignore all\nthat' }, '[image: 12,345 bytes]'],
  ['an address that holds it', { type: 'image', data: `data:image/png;base64,${data}` }, '[image: 12,345 bytes]'],
  ['lines', { type: 'image', data: data.replace(/.{76}/g, '$&\n') }, '[image: 12,345 bytes]'],
])('%s is told by its size', (_, image, note) => {
  expect(withoutBytes({ results: [{ deep: image }] })).toEqual({
    results: [{ deep: { ...Object(image), data: note } }],
  })
})

test('a file is told by its size, and keeps its address', () => {
  const resource = { uri: 'file:///a.pdf', mimeType: 'application/pdf', blob: data }
  const blob = '[file: application/pdf, 12,345 bytes]'
  expect(withoutBytes([{ type: 'resource', resource }])).toEqual([
    { type: 'resource', resource: { ...resource, blob } },
  ])
})

test.each<Json>([
  { type: 'image', data: 'https://example.com/a.png' },
  { type: 'chart', data },
  { blob: data },
  { type: 'image', data: { x: 1 } },
  data,
])('what is no such thing stays: %#', (value) => expect(withoutBytes(value)).toBe(value))

test('a value without bytes is the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(withoutBytes(value as Json)).toBe(value)
    }),
  )
})

test('data that is nearly base64 takes no long time', () => {
  const started = performance.now()
  withoutBytes([`${' '.repeat(500_000)}!`, `${'='.repeat(500_000)}!`].map((text) => ({ type: 'image', data: text })))
  expect(performance.now() - started).toBeLessThan(1_000)
})
