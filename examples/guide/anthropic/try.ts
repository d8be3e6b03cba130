// Runs the example against a server that plays the model: it calls one tool and then says what it was told.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Anthropic from '@anthropic-ai/sdk'
import { answer } from './answer.ts'

const server = createServer(async (request, response) => {
  let text = ''
  for await (const chunk of request) text += chunk
  const body = JSON.parse(text)
  const told = text.includes('tool_result') ? JSON.stringify(body.messages.at(-1)) : undefined
  const input = { files: ['notes.md'], lines: true }
  const content = told ? [{ type: 'text', text: told }] : [{ type: 'tool_use', id: 't1', name: 'wc', input }]
  const stop_reason = told ? 'end_turn' : 'tool_use'
  const usage = { input_tokens: 1, output_tokens: 1 }
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ id: 'm', type: 'message', role: 'assistant', model: 'x', usage, content, stop_reason }))
}).listen(0, '127.0.0.1', async () => {
  const { port } = server.address() as AddressInfo
  const client = new Anthropic({ apiKey: 'none', baseURL: `http://127.0.0.1:${port}`, maxRetries: 0 })
  console.log(await answer(client, 'x', 'How many lines has notes.md?'))
  server.close()
})
