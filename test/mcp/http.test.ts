import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { McpCommonSettings } from '../../src/mcp/settings.ts'
import { openSource, warningsOf } from './support.ts'

type Fields = Record<string, unknown>
interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly message: Fields
}
type Answer = (exchange: Exchange) => void

const object = { type: 'object' }

/** A server that does as it should, unless `odd` takes an exchange over. */
async function openAddress(odd: (exchange: Exchange) => boolean, more: Partial<McpCommonSettings> = {}, path = '/mcp') {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const message = chunks.length ? JSON.parse(Buffer.concat(chunks).toString()) : {}
    const exchange = { request, response, message }
    if (!odd(exchange)) wellBehaved(exchange)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const bounds = { connectMs: 3_000, listMs: 3_000, maxMessageBytes: 1_048_576 }
  return openSource({ url: `http://127.0.0.1:${port}${path}`, workspace: '/tmp', bounds, ...more })
}

const wellBehaved: Answer = ({ request, response, message }) => {
  if (request.method !== 'POST') return void response.writeHead(405).end()
  const { method } = message
  if (message.id === undefined) return void response.writeHead(202).end()
  if (method === 'server/discover') return fail(response, message, -32_601)
  if (method === 'initialize') {
    const { protocolVersion } = message.params as Fields
    const serverInfo = { name: 'plain', version: '1' }
    return reply(response, message, { protocolVersion, serverInfo, capabilities: { tools: {} } })
  }
  if (method === 'tools/list') return reply(response, message, { tools: [{ name: 'echo', inputSchema: object }] })
  return reply(response, message, { content: [{ type: 'text', text: 'hello' }] })
}

function reply(response: ServerResponse, { id }: Fields, result: Fields): void {
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, result }))
}

function fail(response: ServerResponse, { id }: Fields, code: number): void {
  const error = { code, message: 'No' }
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, error }))
}

const isCall = ({ message }: Exchange) => message.method === 'tools/call'

test('headers are sent with every request, and to no other origin', async () => {
  const seen: unknown[] = []
  const other = createServer((request, response) => {
    seen.push(`elsewhere ${request.headers['x-key']}`)
    response.end()
  })
  other.listen(0, '127.0.0.1')
  await once(other, 'listening')
  onTestFinished(() => void other.close())
  const { port } = other.address() as AddressInfo
  const { call } = await openAddress(
    (exchange) => {
      seen.push(exchange.request.headers['x-key'])
      if (!isCall(exchange)) return false
      exchange.response.writeHead(307, { location: `http://127.0.0.1:${port}/` }).end()
      return true
    },
    { headers: { 'X-Key': 'k-123' } } as Partial<McpCommonSettings>,
  )
  expect(await call('echo')).toMatchObject({ ok: false, code: 'tool-failed' })
  expect(new Set(seen)).toEqual(new Set(['k-123']))
})

test.each([
  ['answers with a failure', 500, 'server x: It answered with HTTP status 500.'],
  ['wants a token', 401, 'server x: It needs authorisation. Run "legwork auth x".'],
  ['forbids it', 403, 'server x: It answered with HTTP status 403.'],
  ['is not there', 404, 'server x: It answered with HTTP status 404.'],
])('an address that %s', async (_, status, why) => {
  const { catalogue } = await openAddress(({ response }) => {
    response.writeHead(status).end('no')
    return true
  })
  expect(await catalogue.list()).toEqual([])
  expect(warningsOf(catalogue)).toEqual([why])
})

test('an address where nobody listens', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  const { catalogue } = await openSource({ url: `http://127.0.0.1:${port}/mcp`, workspace: '/tmp' })
  expect(await catalogue.list()).toEqual([])
  expect(warningsOf(catalogue)).toEqual(['server x: It could not be reached (ECONNREFUSED).'])
})

test('an address that is a web page', async () => {
  const { catalogue } = await openAddress(({ response }) => {
    response.setHeader('content-type', 'text/html').end('<h1>Hello</h1>')
    return true
  })
  expect(await catalogue.list()).toEqual([])
  expect(warningsOf(catalogue)[0]).toMatch(/^server x: It could not be spoken to: .*text\/html/)
})

test('an address that never answers', async () => {
  const { catalogue } = await openAddress(() => true, { bounds: { connectMs: 500 } })
  expect(await catalogue.list()).toEqual([])
  expect(warningsOf(catalogue)).toEqual(['server x: It did not answer within 0.5 s of its start.'])
})

test('an answer that is too large fails its call, and the next call works', async () => {
  let calls = 0
  const { call } = await openAddress((exchange) => {
    if (!isCall(exchange) || calls++ > 0) return false
    const { response, message } = exchange
    response.setHeader('content-type', 'application/json')
    response.write(`{"jsonrpc":"2.0","id":${message.id},"result":{"content":[{"type":"text","text":"`)
    for (let at = 0; at < 64; at++) response.write('x'.repeat(65_536))
    response.end('"}]}}')
    return true
  })
  const ran = await call('echo')
  expect(!ran.ok && ran.message).toContain('It sent a message of more than 1048576 bytes.')
  expect(await call('echo')).toEqual({ ok: true, value: 'hello' })
})

test('an event that is too large fails its call; many small ones do not', async () => {
  const { call } = await openAddress((exchange) => {
    if (!isCall(exchange)) return false
    const { response, message } = exchange
    const { isLarge } = (message.params as { arguments: { isLarge?: boolean } }).arguments
    response.setHeader('content-type', 'text/event-stream')
    if (isLarge) response.write(`data: ${'x'.repeat(2_000_000)}`)
    for (let at = 0; at < 100; at++) response.write(`: ${'x'.repeat(20_000)}\r\n\r\n`)
    const result = { content: [{ type: 'text', text: 'hello' }] }
    response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id: message.id, result })}\n\n`)
    return true
  })
  expect(await call('echo')).toEqual({ ok: true, value: 'hello' })
  const ran = await call('echo', { isLarge: true })
  expect(!ran.ok && ran.message).toContain('It sent a message of more than 1048576 bytes.')
})

test('a stream that ends without an answer fails its call at once', async () => {
  const { call } = await openAddress((exchange) => {
    if (!isCall(exchange)) return false
    exchange.response.setHeader('content-type', 'text/event-stream').end(': nothing\n\n')
    return true
  })
  const before = performance.now()
  const ran = await call('echo')
  expect(!ran.ok && ran.message).toContain('The server ended the connection before it answered.')
  expect(performance.now() - before).toBeLessThan(2_000)
})

test('a failing answer to one call leaves the connection as it is', async () => {
  let initialized = 0
  let calls = 0
  const { call } = await openAddress((exchange) => {
    if (exchange.message.method === 'initialize') initialized++
    if (!isCall(exchange) || calls++ > 0) return false
    exchange.response.writeHead(503).end('busy')
    return true
  })
  expect(await call('echo')).toMatchObject({ ok: false, message: expect.stringContaining('HTTP status 503') })
  expect(await call('echo')).toEqual({ ok: true, value: 'hello' })
  expect(initialized).toBe(1)
})

test('a server that has forgotten its session is asked for another, and the call is made', async () => {
  let sessions = 0
  const { call } = await openAddress((exchange) => {
    const { request, response, message } = exchange
    if (message.method === 'initialize') response.setHeader('mcp-session-id', `session-${++sessions}`)
    if (!isCall(exchange) || request.headers['mcp-session-id'] !== 'session-1') return false
    response.writeHead(404).end()
    return true
  })
  expect(await call('echo')).toEqual({ ok: true, value: 'hello' })
  expect(sessions).toBe(2)
})

test('a refusal of one call is not a lost session: it is not made twice, and says what the server says', async () => {
  let [sessions, calls] = [0, 0]
  const { call } = await openAddress((exchange) => {
    const { response, message } = exchange
    if (message.method === 'initialize') response.setHeader('mcp-session-id', `session-${++sessions}`)
    if (!isCall(exchange)) return false
    calls++
    response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"the bank said no\u001b[2J"}')
    return true
  })
  const ran = await call('echo')
  expect(!ran.ok && ran.message).toContain('HTTP status 400. It said: {"error":"the bank said no"}')
  expect([sessions, calls]).toEqual([1, 1])
})

/** A server of the old transport, at one address; it answers a POST there with a status. */
function oldServer(status: number, seen: string[] = []): (exchange: Exchange) => boolean {
  let stream: ServerResponse | undefined
  return ({ request, response, message }) => {
    seen.push(`${request.method} ${request.url}`)
    if (request.url === '/mcp' && request.method === 'POST') return Boolean(response.writeHead(status).end())
    if (request.url === '/mcp') {
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' })
      stream.write('event: endpoint\ndata: /messages\n\n')
      return true
    }
    const result =
      message.method === 'initialize'
        ? { protocolVersion: '2024-11-05', serverInfo: { name: 'old', version: '1' }, capabilities: { tools: {} } }
        : message.method === 'tools/list'
          ? { tools: [{ name: 'echo', inputSchema: object }] }
          : { content: [{ type: 'text', text: 'hello' }] }
    response.writeHead(202).end()
    if (message.id !== undefined)
      stream?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: message.id, result })}\n\n`)
    return true
  }
}

test.each([400, 402, 404, 405, 409, 410, 422, 429])(
  'an address that answers the first message with %i is tried in the old way',
  async (status) => {
    const { call } = await openAddress(oldServer(status))
    expect(await call('echo')).toEqual({ ok: true, value: 'hello' })
  },
)

test('an address that is said to speak in the old way is not spoken to in another', async () => {
  const seen: string[] = []
  const { call } = await openAddress(oldServer(403, seen), { transport: 'sse' } as Partial<McpCommonSettings>)
  expect(await call('echo')).toEqual({ ok: true, value: 'hello' })
  expect(seen).not.toContain('POST /mcp')
})
