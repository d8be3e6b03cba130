import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type GatewayClient, gatewayClient, type RemoteRun, type RunRequest } from '../../src/gateway/client.ts'
import { openGateway } from '../support/gateway.ts'
import { temporaryFolder } from '../support/temporary.ts'

async function begin(client: GatewayClient, request: RunRequest = {}): Promise<RemoteRun> {
  const begun = await client.begin(request)
  if ('ok' in begun) throw new Error(begun.text)
  return begun
}

const send = (url: string, path: string, body?: unknown) =>
  fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })

test('a client finds the token by the address and asks for a run, whose calls are made at the gateway', async () => {
  const { gateway, folder, journal } = await openGateway()
  const client = gatewayClient(gateway.url, { folder, environment: {} })
  expect(await client.tools()).toContainEqual(expect.objectContaining({ id: 'demo:echo' }))
  const { door, outcome } = await begin(client, { name: 'report.ts', timeoutMs: 5_000 })
  expect(door.host).toBe(new URL(door.url).host)
  const ended: unknown[] = []
  door.open({ call: () => Promise.reject(new Error('never')), end: (how, body) => ended.push([how, body]) })
  await send(door.url, '/ready')
  await door.ready
  expect(await (await send(door.url, '/tools/demo__echo', { message: 'hi' })).json()).toMatchObject({ ok: true })
  await send(door.url, '/end/value', { a: 1 })
  expect(await outcome()).toMatchObject({ ok: true, value: { a: 1 }, calls: [{ tool: 'demo:echo' }] })
  expect(ended).toEqual([['value', '{"a":1}']])
  door.close()
  expect(journal.read({ phase: 'end' })).toHaveLength(2)
})

test('what a script threw comes back as it was told', async () => {
  const { gateway, folder } = await openGateway()
  const { door } = await begin(gatewayClient(gateway.url, { folder, environment: {} }))
  const { promise, resolve } = Promise.withResolvers<unknown>()
  door.open({ call: () => Promise.reject(new Error('never')), end: (how, body) => resolve([how, JSON.parse(body)]) })
  const thrown = { name: 'TypeError', message: 'it broke', stack: 'at report.ts:1:1' }
  await send(door.url, '/end/error', thrown)
  expect(await promise).toEqual(['error', thrown])
})

test('a client ends its run with a reason, or by shutting the door', async () => {
  const { gateway, folder } = await openGateway()
  const client = gatewayClient(gateway.url, { folder, environment: {} })
  const one = await begin(client)
  expect(await one.end('It left with exit code 7.')).toMatchObject({
    code: 'tool-failed',
    message: 'It left with exit code 7.',
  })
  const two = await begin(client)
  two.door.close()
  expect(await two.outcome()).toMatchObject({ code: 'cancelled' })
})

test('a gateway that stops in mid-run is told', async () => {
  const { gateway, folder } = await openGateway()
  const { door, outcome } = await begin(gatewayClient(gateway.url, { folder, environment: {} }))
  const { promise, resolve } = Promise.withResolvers<string>()
  door.open({ call: () => Promise.reject(new Error('never')), end: (how) => resolve(how) })
  const ended = outcome().then(
    (given) => given.ok,
    () => false,
  )
  await gateway.stop()
  expect(await promise).toBe('error')
  expect(await ended).toBe(false)
})

test('without a gateway there is no client', () => {
  const options = { folder: temporaryFolder(), environment: {} }
  expect(() => gatewayClient('http://127.0.0.1:9', options)).toThrow('No gateway of yours runs at http://127.0.0.1:9')
})

test.each([
  ['a gateway that is gone', undefined, 'cannot be reached'],
  ['another program on its port', { status: 200, body: '{"hello":1}' }, 'no run'],
  ['a program that says no', { status: 418, body: 'tea' }, 'answered with 418: tea'],
  ['a program that leads elsewhere', { status: 302, body: '' }, 'cannot be reached'],
])('%s is told', async (_, answer, message) => {
  const server = createServer((_request, response) => {
    response.writeHead(answer?.status ?? 500, { location: 'http://127.0.0.1:9/' }).end(answer?.body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const place = server.address()
  const port = typeof place === 'object' ? place?.port : undefined
  const folder = temporaryFolder()
  const file = { address: `http://127.0.0.1:${port}`, pid: process.pid, token: 'x'.repeat(43) }
  writeFileSync(join(folder, `gateway-${port}.json`), JSON.stringify(file), { mode: 0o600 })
  const client = gatewayClient(file.address, { folder, environment: {} })
  if (!answer) await new Promise((resolve) => server.close(resolve))
  await expect(client.begin({})).rejects.toThrow(message)
})
