// What a web page, another user's process or a broken client may try.

import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { addressOf, meansHost } from '../../src/gateway/address.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import { gatewayToken, writeGatewayFile } from '../../src/gateway/token-file.ts'
import { type OpenGateway, openGateway, openParts, raw, statuses } from '../support/gateway.ts'
import { temporaryFolder } from '../support/temporary.ts'

const token = 'a-long-token-of-the-owner-0123456789'

type Attack = readonly [name: string, status: number, attack: (open: OpenGateway) => Promise<Response>]

const echo = (open: OpenGateway, headers: Record<string, string>) =>
  open.post('/tools/demo__echo', { message: 'hi' }, headers)

const attacks: readonly Attack[] = [
  ['a foreign Origin', 403, (open) => echo(open, { origin: 'https://evil.example' })],
  ['the Origin null', 403, (open) => echo(open, { origin: 'null' })],
  ['an empty Origin', 403, (open) => echo(open, { origin: '' })],
  ['a page on another port of localhost', 403, (open) => echo(open, { origin: 'http://localhost:9999' })],
  ['a page that says it is ours', 403, (open) => echo(open, { origin: open.gateway.url })],
  [
    'an image on a page',
    403,
    ({ gateway }) => fetch(`${gateway.url}/health`, { headers: { 'sec-fetch-site': 'cross-site' } }),
  ],
  ['no token', 401, ({ gateway }) => fetch(`${gateway.url}/tools`)],
  ['no token for a path that is not there', 401, ({ gateway }) => fetch(`${gateway.url}/nothing`)],
  ['no token for a post to /health', 401, ({ gateway }) => fetch(`${gateway.url}/health`, { method: 'POST' })],
  ['a wrong token', 401, (open) => open.ask('/tools', { headers: { authorization: `Bearer ${'a'.repeat(43)}` } })],
  [
    'half a token',
    401,
    (open) => open.ask('/tools', { headers: { authorization: `Bearer ${open.token.slice(0, 20)}` } }),
  ],
  ['another scheme', 401, (open) => open.ask('/tools', { headers: { authorization: `Basic ${open.token}` } })],
  [
    'the token in the query',
    401,
    ({ gateway, token }) => fetch(`${gateway.url}/tools?token=${token}&access_token=${token}`),
  ],
  [
    'the token in a cookie',
    401,
    ({ gateway, token }) => fetch(`${gateway.url}/tools`, { headers: { cookie: `token=${token}` } }),
  ],
  ['a form', 415, (open) => echo(open, { 'content-type': 'application/x-www-form-urlencoded' })],
  ['plain text', 415, (open) => echo(open, { 'content-type': 'text/plain' })],
  ['a form with files', 415, (open) => echo(open, { 'content-type': 'multipart/form-data; boundary=x' })],
  ['a type that begins with ours', 415, (open) => echo(open, { 'content-type': 'application/jsonx' })],
  ['a type with ours beside it', 415, (open) => echo(open, { 'content-type': 'text/plain; application/json' })],
  ['another charset', 415, (open) => echo(open, { 'content-type': 'application/json; charset=utf-16' })],
  ['a packed body', 415, (open) => echo(open, { 'content-encoding': 'gzip' })],
  ['a body without a type', 415, (open) => open.ask('/tools/demo__echo', { method: 'POST', body: new Blob(['{}']) })],
  [
    'a preflight',
    403,
    (open) => open.ask('/tools/demo__echo', { method: 'OPTIONS', headers: { origin: 'https://evil.example' } }),
  ],
  ['a preflight without an Origin', 405, (open) => open.ask('/tools/demo__echo', { method: 'OPTIONS' })],
  ['another method', 405, (open) => open.ask('/tools', { method: 'DELETE' })],
  ['a GET for a call', 405, (open) => open.ask('/tools/demo__echo')],
  ['a path that is not there', 404, (open) => open.ask('/nothing')],
  ['a path below a tool', 404, (open) => open.post('/tools/demo__echo/more', {})],
  ['a run on the main port', 404, (open) => open.ask(`/run/${'a'.repeat(43)}/health`)],
  [
    'a broken body',
    400,
    (open) =>
      open.ask('/tools/demo__echo', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' }),
  ],
  [
    'bad UTF-8',
    400,
    (open) =>
      open.ask('/tools/demo__echo', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: Buffer.from([0x22, 0xff, 0x22]),
      }),
  ],
]

test.each(attacks)('%s is answered with %i', async (_, status, attack) => {
  const open = await openGateway()
  const answer = await attack(open)
  expect(answer.status).toBe(status)
  expect(await answer.json()).toMatchObject({ ok: false, code: expect.any(String), message: expect.any(String) })
  expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([])
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(open.journal.read()).toEqual([])
})

const head = (open: OpenGateway, more = '') =>
  `Host: 127.0.0.1:${open.port}\r\nAuthorization: Bearer ${open.token}\r\nConnection: close\r\n${more}\r\n`
const bare = (host: string, path = '/tools', version = '1.1') =>
  `GET ${path} HTTP/${version}\r\n${host}Connection: close\r\n\r\n`
const json = 'Content-Type: application/json\r\n'

const rawAttacks: readonly (readonly [name: string, status: string, text: (open: OpenGateway) => string])[] = [
  ['a name that was made to lead here', '403', ({ port }) => bare(`Host: evil.example:${port}\r\n`)],
  ['a name that begins like ours', '403', ({ port }) => bare(`Host: localhost.evil:${port}\r\n`)],
  ['our address within a name', '403', ({ port }) => bare(`Host: 127.0.0.1:${port}.evil.example\r\n`)],
  ['our address with a user', '403', ({ port }) => bare(`Host: evil@127.0.0.1:${port}\r\n`)],
  ['our address without its port', '403', () => bare('Host: 127.0.0.1\r\n')],
  ['another address of this machine', '403', ({ port }) => bare(`Host: 0.0.0.0:${port}\r\n`)],
  ['our address in other numbers', '403', ({ port }) => bare(`Host: 2130706433:${port}\r\n`)],
  ['an empty Host', '403', () => bare('Host: \r\n')],
  ['no Host', '400', () => bare('')],
  ['no Host in HTTP/1.0', '403', () => bare('', '/tools', '1.0')],
  ['a foreign Host for /health', '403', ({ port }) => bare(`Host: evil.example:${port}\r\n`, '/health')],
  ['two Hosts, ours first', '403', ({ port }) => bare(`Host: 127.0.0.1:${port}\r\nHost: evil.example\r\n`, '/health')],
  ['two Hosts, ours last', '403', ({ port }) => bare(`Host: evil.example\r\nHost: 127.0.0.1:${port}\r\n`, '/health')],
  ['an absolute target', '400', (open) => `GET http://evil.example/tools HTTP/1.1\r\n${head(open)}`],
  ['our own address as an absolute target', '400', (open) => `GET ${open.gateway.url}/tools HTTP/1.1\r\n${head(open)}`],
  ['a target that is another host', '400', (open) => `GET //evil.example/health HTTP/1.1\r\n${head(open)}`],
  ['a path that climbs', '400', (open) => `GET /nothing/../tools HTTP/1.1\r\n${head(open)}`],
  ['a path that climbs in disguise', '400', (open) => `GET /nothing/%2e%2E/tools HTTP/1.1\r\n${head(open)}`],
  ['a path with backslashes', '400', (open) => `GET /nothing\\..\\tools HTTP/1.1\r\n${head(open)}`],
  ['a path with a dot', '400', (open) => `GET /./tools HTTP/1.1\r\n${head(open)}`],
  [
    'a climb past the exception for /health',
    '400',
    ({ port }) => bare(`Host: 127.0.0.1:${port}\r\n`, '/health/../tools'),
  ],
  ['two slashes', '400', (open) => `GET /tools//demo__echo HTTP/1.1\r\n${head(open)}`],
  [
    'a WebSocket',
    '400',
    (open) =>
      `GET /tools HTTP/1.1\r\n${head(open, 'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n')}`,
  ],
  [
    'a WebSocket of a page',
    '403',
    (open) =>
      `GET /tools HTTP/1.1\r\n${head(open, 'Origin: https://evil.example\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n')}`,
  ],
  [
    'an Origin behind a thousand headers',
    '403',
    (open) => `GET /tools HTTP/1.1\r\n${head(open, `${'a: b\r\n'.repeat(2_100)}Origin: https://evil.example\r\n`)}`,
  ],
  ['huge headers', '431', (open) => `GET /tools HTTP/1.1\r\n${head(open, `X: ${'x'.repeat(20_000)}\r\n`)}`],
  ['a huge target', '431', (open) => `GET /${'x'.repeat(20_000)} HTTP/1.1\r\n${head(open)}`],
  [
    'two lengths',
    '400',
    (open) =>
      `POST /tools/demo__echo HTTP/1.1\r\n${head(open, `${json}Content-Length: 2\r\nContent-Length: 3\r\n`)}{} `,
  ],
  [
    'a length and chunks',
    '400',
    (open) =>
      `POST /tools/demo__echo HTTP/1.1\r\n${head(open, `${json}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n`)}0\r\n\r\nGET /tools HTTP/1.1\r\n\r\n`,
  ],
  [
    'chunks in disguise',
    '400',
    (open) => `POST /tools/demo__echo HTTP/1.1\r\n${head(open, `${json}Transfer-Encoding : chunked\r\n`)}0\r\n\r\n`,
  ],
  [
    'two encodings',
    '400',
    (open) =>
      `POST /tools/demo__echo HTTP/1.1\r\n${head(open, `${json}Transfer-Encoding: chunked, identity\r\n`)}0\r\n\r\n`,
  ],
  [
    'a chunk without a size',
    '400',
    (open) =>
      `POST /tools/demo__echo HTTP/1.1\r\n${head(open, `${json}Transfer-Encoding: chunked\r\n`)}zz\r\n{}\r\n0\r\n\r\n`,
  ],
  ['a line feed alone', '400', (open) => `GET /tools HTTP/1.1\nHost: 127.0.0.1:${open.port}\n\n`],
  ['another protocol', '400', () => 'SSH-2.0-OpenSSH_9\r\n\r\n'],
]

test.each(rawAttacks)('%s is answered with %s, once', async (_, status, text) => {
  const open = await openGateway()
  expect(statuses(await raw(open.port, text(open)))).toEqual([status])
  expect(open.journal.read()).toEqual([])
})

test('a proxy is not to be had', async () => {
  const { port } = await openGateway()
  expect(statuses(await raw(port, 'CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n'))).toEqual([])
})

test.each([
  ['told beforehand', { 'content-length': '2000' }],
  ['found on the way', { 'transfer-encoding': 'chunked' }],
])('a body that is too large is refused, %s', async (_, headers) => {
  const open = await openGateway({ maxInputBytes: 1_000 })
  const [[name, value] = []] = Object.entries(headers)
  const body = 'x'.repeat(2_000)
  const sent = name === 'content-length' ? body : `7d0\r\n${body}\r\n0\r\n\r\n`
  const answer = await raw(
    open.port,
    `POST /tools/demo__echo HTTP/1.1\r\n${head(open, `${json}${name}: ${value}\r\n`)}${sent}`,
  )
  expect(statuses(answer)).toEqual(['413'])
  expect((await open.post('/tools/demo__echo', { message: 'x'.repeat(900) })).status).toBe(200)
  expect((await open.post('/tools/demo__echo', { message: 'x'.repeat(1_000) })).status).toBe(413)
})

test.each([
  ['silence', ''],
  ['half a head', 'GET /tools HTTP/1.1\r\nHost:'],
  ['half a body', 'body'],
])('a client that sends %s and then nothing is let go of', async (_, sent) => {
  const open = await openGateway({ bounds: { headersTimeoutMs: 150, requestTimeoutMs: 200 } })
  const text =
    sent === 'body' ? `POST /tools/demo__echo HTTP/1.1\r\n${head(open, `${json}Content-Length: 9\r\n`)}{"` : sent
  expect(statuses(await raw(open.port, text)).filter((status) => status !== '408')).toEqual([])
  expect(open.journal.read()).toEqual([])
})

test('an answer that nobody reads is let go of', async () => {
  const size = 64_000_000
  const { parts } = await openParts()
  const runtime = { ...parts.runtime, client: () => 'x'.repeat(size) }
  const gateway = await createGateway(
    { ...parts, runtime },
    { folder: temporaryFolder(), token, bounds: { answerTimeoutMs: 100 } },
  )
  const { port } = new URL(gateway.url)
  const socket = connect(Number(port), '127.0.0.1')
  socket.on('error', () => {})
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.write(`GET /runtime/tools.ts HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n\r\n`)
  await new Promise((resolve) => socket.once('readable', resolve))
  await sleep(1_000)
  let received = 0
  socket.on('data', (chunk) => {
    received += chunk.length
  })
  await closed
  expect(received).toBeLessThan(size)
  await gateway.stop()
})

test('a million brackets are an outcome', async () => {
  const { ask } = await openGateway()
  const headers = { 'content-type': 'application/json' }
  const body = `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`
  const answer = await ask('/tools/demo__echo', { method: 'POST', headers, body })
  expect(await answer.json()).toMatchObject({ ok: false, code: 'invalid-input' })
})

test('what goes wrong inside is not told', async () => {
  const { parts } = await openParts()
  const tools = () => Promise.reject(new Error('the secret is 42'))
  const gateway = await createGateway({ ...parts, tools }, { folder: temporaryFolder(), token })
  const answer = await fetch(`${gateway.url}/tools`, { headers: { authorization: `Bearer ${token}` } })
  expect(answer.status).toBe(500)
  expect(await answer.text()).not.toContain('42')
  await gateway.stop()
})

test('connections that say nothing give way to those that do, and never to a request that runs', async () => {
  const open = await openGateway({ bounds: { maxConnections: 8, headersTimeoutMs: 20_000 } })
  const port = Number(new URL(open.gateway.url).port)
  const waiting = open.post('/tools/demo__wait', {}).then(({ status }) => status, String)
  await open.waiting
  const silent = Array.from({ length: 30 }, () => connect(port, '127.0.0.1').on('error', () => {}))
  const gone = silent.map((socket) => new Promise((settle) => socket.once('close', settle)))
  await Promise.race(gone)
  expect((await fetch(`${open.gateway.url}/health`)).status).toBe(200)
  expect(await Promise.race([waiting, sleep(100, 'still running')])).toBe('still running')
  for (const socket of silent) socket.destroy()
})

test('a connection that says nothing at all is closed soon', async () => {
  const { gateway } = await openGateway()
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1').resume()
  const before = performance.now()
  await new Promise((settle) => socket.once('close', settle))
  expect(performance.now() - before).toBeLessThan(6_000)
})

test('a connection that lies idle after an answer is closed', async () => {
  const { gateway } = await openGateway({ bounds: { idleTimeoutMs: 100 } })
  const { port, host } = new URL(gateway.url)
  const socket = connect(Number(port), '127.0.0.1').resume()
  socket.write(`GET /health HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
  const before = performance.now()
  await new Promise((settle) => socket.once('close', settle))
  expect(performance.now() - before).toBeLessThan(10_000)
})

test('requests that do not wait for their answers get one of them', async () => {
  const open = await openGateway()
  const { port, host } = new URL(open.gateway.url)
  const one = `GET /tools HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${open.token}\r\n\r\n`
  const answered = statuses(await raw(Number(port), one.repeat(50)))
  expect(answered.filter((status) => status === '200')).toHaveLength(1)
  expect(answered.length).toBeLessThan(3)
})

test('a path is what it is, letter by letter', async () => {
  const open = await openGateway()
  expect((await open.ask('/runtime/toolsXts')).status).toBe(404)
  expect((await open.ask('/runtime/tools.ts')).status).toBe(200)
})

test.each([
  ['localhost', '127.0.0.1', 80, true],
  ['127.0.0.1', '127.0.0.1', 80, true],
  ['[::1]', '::1', 80, true],
  ['127.0.0.1:80', '127.0.0.1', 80, true],
  ['127.0.0.1', '127.0.0.1', 4123, false],
  ['127.0.0.1:80', '127.0.0.1', 4123, false],
  ['evil.example', '127.0.0.1', 80, false],
  ['', '127.0.0.1', 80, false],
])('the Host "%s" to a gateway on %s, port %i: %s', (given, host, port, means) => {
  expect(meansHost(given, host, port)).toBe(means)
})

test('the address of a gateway on port 80 is the one that clients name', () => {
  const folder = temporaryFolder()
  const address = addressOf('127.0.0.1', 80)
  writeGatewayFile(folder, { address, pid: process.pid, token: 'the-token' })
  for (const url of ['http://127.0.0.1', 'http://127.0.0.1:80', 'http://localhost/']) {
    expect(gatewayToken(url, { folder, environment: {} })).toBe('the-token')
  }
})
