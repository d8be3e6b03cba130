import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { defineTool } from '../../src/index.ts'
import { openLegwork } from '../support/legwork.ts'
import { reply } from './replies.ts'

const data = Buffer.alloc(150_000, 'picture').toString('base64')
const note = '[image: image/png, 150,000 bytes]'
const words = 'a picture'

function open() {
  const server = join(import.meta.dirname, '../fixtures/mcp/picture-server.ts')
  const ours = { trust: 'org', pin: 'off' } as const
  return openLegwork({ mcpServers: { up: { command: process.execPath, args: [server], legwork: ours } } })
}

async function draw(provider: Parameters<typeof reply>[0], input: object = {}) {
  const legwork = await open()
  const { messages, results } = await legwork.handle(
    provider,
    reply(provider, [{ id: 'a', name: 'up__draw', arguments: input }]),
  )
  return { messages, outcome: results[0]?.outcome }
}

describe('a picture', () => {
  test('goes to Anthropic as an image, beside the words', async () => {
    const { messages } = await draw('anthropic')
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } }
    expect(messages).toMatchObject([
      { content: [{ content: [{ type: 'text', text: words }, image], is_error: false }] },
    ])
  })

  test('goes to the responses API of OpenAI as an image', async () => {
    const { messages } = await draw('openai-responses')
    const image = { type: 'input_image', image_url: `data:image/png;base64,${data}` }
    expect(messages).toMatchObject([{ output: [{ type: 'input_text', text: words }, image] }])
  })

  test.each(['openai', 'gemini'] as const)('is a note for %s', async (provider) => {
    const { messages } = await draw(provider)
    const told = JSON.stringify(messages)
    expect(told).toContain(note)
    expect(told).toContain(words)
    expect(told.length).toBeLessThan(1_000)
  })

  test('is a note in the text, and whole in the value', async () => {
    const { outcome } = await draw('anthropic')
    expect(outcome?.text).toContain(note)
    expect(outcome?.text.length).toBeLessThan(500)
    expect(outcome?.value).toMatchObject({ content: [{}, { data }] })
  })

  test('comes with what there is to say about the input', async () => {
    const { messages } = await draw('anthropic', { dryy: true })
    expect(messages).toMatchObject([
      { content: [{ content: [{}, { type: 'image' }, { text: expect.stringContaining('no parameter "dryy"') }] }] },
    ])
  })
})

test.each([
  ['sound', '[audio: audio/wav, 150,000 bytes]'],
  ['file', '[file: a/b, 150,000 bytes]'],
])('a %s is a note', async (type, expected) => {
  const { messages } = await draw('anthropic', { type })
  expect(JSON.stringify(messages)).toContain(expected)
  expect(JSON.stringify(messages).length).toBeLessThan(1_000)
})

test('what a function returns is shown as text, without its bytes', async () => {
  const content = [{ type: 'image', data, mimeType: 'image/png' }]
  const paint = defineTool({
    name: 'paint',
    description: 'P',
    effects: { destructive: false },
    run: () => ({ content }),
  })
  const legwork = await openLegwork({ functions: [paint] })
  const { messages } = await legwork.handle('anthropic', reply('anthropic', [{ id: 'a', name: 'paint' }]))
  expect(messages).toMatchObject([{ content: [{ content: expect.stringContaining(note) }] }])
})
