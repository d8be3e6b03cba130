import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Anthropic from '@anthropic-ai/sdk'
import { expect, onTestFinished, test } from 'vitest'
import { anthropicTools } from '../../src/adapters/anthropic.ts'
import type { Legwork } from '../../src/index.ts'
import { giveUp, openPictures, openSlow, openTools, runs } from './tools.ts'

/** A server that speaks the protocol: first it wants a tool, then it is done. Keeps what it was sent. */
async function openServer(name: string, input: unknown) {
  const requests: { messages: { content: unknown }[] }[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    requests.push(JSON.parse(Buffer.concat(chunks).toString()))
    const isFirst = requests.length === 1
    const content = isFirst ? [{ type: 'tool_use', id: 't1', name, input }] : [{ type: 'text', text: 'done' }]
    const usage = { input_tokens: 1, output_tokens: 1 }
    const common = { id: 'm', type: 'message', role: 'assistant', model: 'x', usage, stop_sequence: null }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ ...common, content, stop_reason: isFirst ? 'tool_use' : 'end_turn' }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { requests, client: new Anthropic({ apiKey: 'none', baseURL: `http://127.0.0.1:${port}`, maxRetries: 0 }) }
}

const messages = [{ role: 'user' as const, content: 'x' }]
const asked = { model: 'x', max_tokens: 10, max_iterations: 3, messages }

async function converseWith(legwork: Legwork, name: string, input: unknown) {
  const { client, requests } = await openServer(name, input)
  const last = await client.beta.messages.toolRunner({ ...asked, tools: await anthropicTools(legwork) })
  return { last, told: requests[1]?.messages.at(-1)?.content, legwork }
}

const converse = async (name: string, input: unknown, approve?: () => boolean) =>
  converseWith(await openTools({ ...(approve && { approve }) }), name, input)

test('a model’s call runs, and the model reads the text', async () => {
  const { last, told, legwork } = await converse('demo--echo', { message: 'hi' })
  expect(last.content).toMatchObject([{ text: 'done' }])
  expect(told).toMatchObject([{ type: 'tool_result', tool_use_id: 't1', content: '{"message":"hi"}' }])
  expect(legwork.journal.read({ phase: 'end' })).toMatchObject([{ caller: 'toolcall:anthropic' }])
})

test('a failure is told as an error, without secrets', async () => {
  const { told } = await converse('demo--fail', {})
  expect(told).toMatchObject([{ is_error: true }])
  expect(JSON.stringify(told)).toContain('it broke')
  expect(JSON.stringify(told)).not.toContain('hunter2')
})

test('what asks is asked by Legwork’s own handler; without one it does not run', async () => {
  await converse('demo--remove', { what: 'a' })
  expect(runs).toEqual([])
  await converse('demo--remove', { what: 'b' }, () => true)
  expect(runs).toEqual(['b'])
})

test('a tool that takes a list takes it as a value', async () => {
  const { told } = await converse('demo--count', { value: ['a'] })
  expect(told).toMatchObject([{ content: '["a"]' }])
})

test('images reach the model as images, and the rest of a result as text', async () => {
  const { told } = await converseWith(await openPictures(), 'test__test_multiple_content_types', {})
  const source = { type: 'base64', media_type: 'image/png', data: expect.stringMatching(/^iVBOR/) }
  const rest = { type: 'text', text: expect.stringContaining('mixed-content-resource') }
  expect(told).toMatchObject([
    { content: [{ type: 'text', text: 'Multiple content types test:' }, { type: 'image', source }, rest] },
  ])
})

test('giving up the runner ends the process that a tool has started', async () => {
  const slow = await openSlow()
  const tools = await anthropicTools(slow.legwork)
  const { client } = await openServer('slow', {})
  await giveUp(slow, (signal) => client.beta.messages.toolRunner({ ...asked, tools }, { signal }))
})
