import { readdirSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { expect, test } from 'vitest'
import { functionSource } from '../../src/function/source.ts'
import { defineTool } from '../../src/index.ts'
import { isListening, openGateway, raw, statuses } from '../support/gateway.ts'

/** A list in an answer. */
async function read(answer: Response): Promise<readonly unknown[]> {
  const body = await answer.json()
  return Array.isArray(body) ? body : []
}

test('/health needs no token and says only that it lives', async () => {
  const { gateway } = await openGateway()
  const answer = await fetch(`${gateway.url}/health`)
  expect(answer.status).toBe(200)
  expect(await answer.json()).toEqual({ ok: true })
})

test('/tools lists every tool with its spellings and its schema', async () => {
  const { ask } = await openGateway()
  const tools = await read(await ask('/tools'))
  expect(tools).toHaveLength(6)
  expect(tools[0]).toMatchObject({ id: 'demo:echo', kind: 'function', spellings: { wire: 'demo__echo' } })
  expect(tools[0]).toMatchObject({ input: { required: ['message'] } })
})

test('/search finds tools by what they do, best first', async () => {
  const { ask } = await openGateway()
  const found = await read(await ask('/search?q=destroys'))
  expect(found[0]).toMatchObject({ id: 'demo:destroy' })
  expect(await (await ask('/search')).json()).toEqual([])
  expect(await (await ask('/search?q=demo&most=1')).json()).toHaveLength(1)
})

test('the client is JavaScript, its declarations are TypeScript, and both follow the tools', async () => {
  const { ask, catalogue, made } = await openGateway()
  const client = await ask('/runtime/tools.ts?_t=1')
  expect(client.headers.get('content-type')).toMatch(/^text\/javascript/)
  expect(await client.text()).toContain('demo:echo')
  const declarations = await ask('/runtime/tools.d.ts')
  expect(declarations.headers.get('content-type')).toMatch(/^application\/typescript/)
  expect(await declarations.text()).toBe('export const names: 6')
  await ask('/runtime/tools.ts?_t=2')
  expect(made()).toBe(1)
  await catalogue.add(functionSource('more', [defineTool({ name: 'more:tool', description: '', run: () => 1 })]))
  expect(await (await ask('/runtime/tools.ts?_t=3')).text()).toContain('more:tool')
})

const oddNames = [
  '__proto__',
  'constructor',
  'toString',
  'prototype',
  '%2e%2e%2fhealth',
  'a%2Fb',
  '日本',
  '%00',
  '%ff',
  '%zz',
]
const calls: readonly (readonly [name: string, wire: string, input: unknown, outcome: object])[] = [
  ['a success', 'demo__echo', { message: 'hi' }, { ok: true, value: { message: 'hi' }, tool: 'demo:echo' }],
  ['a failure', 'demo__fail', {}, { ok: false, code: 'tool-failed' }],
  ['a wrong input', 'demo__echo', { message: 1 }, { ok: false, code: 'invalid-input' }],
  ['what would need a person', 'demo__destroy', {}, { ok: false, code: 'approval-needed' }],
  ['an unknown tool', 'demo__nothing', {}, { ok: false, code: 'unknown-tool' }],
  ['no object', 'demo__echo', [1], { ok: false, code: 'invalid-input' }],
  ...oddNames.map((wire) => [`the name ${wire}`, wire, {}, { ok: false, code: 'unknown-tool' }] as const),
]

test.each(calls)('%s is an outcome, with status 200', async (_, wire, input, outcome) => {
  const { post } = await openGateway()
  const answer = await post(`/tools/${wire}`, input)
  expect(answer.status).toBe(200)
  expect(await answer.json()).toMatchObject(outcome)
})

test('a call stands in the journal with the gateway as its caller', async () => {
  const { post, journal } = await openGateway()
  await post('/tools/demo__echo', { message: 'hi' })
  await post('/tools/demo__nothing', {})
  expect(journal.read({ phase: 'end' }).map(({ tool, caller, code }) => [tool, caller, code])).toEqual([
    ['demo__nothing', 'gateway', 'unknown-tool'],
    ['demo:echo', 'gateway', undefined],
  ])
})

test('what goes beside the input comes with a content type of its own', async () => {
  const { ask } = await openGateway()
  const type = { 'content-type': 'application/vnd.legwork.call+json' }
  const call = (body: unknown) =>
    ask('/tools/demo__prose', { method: 'POST', headers: type, body: JSON.stringify(body) })
  const outcome = await (await call({ input: {}, content: 'gently', timeoutMs: 1_000 })).json()
  expect(outcome).toMatchObject({ value: { content: 'gently', caller: { front: 'gateway' } } })
  for (const bad of [{ content: 1 }, { timeoutMs: 0 }, { timeoutMs: 1e9 }, { timeoutMs: 'x' }, []]) {
    expect((await call(bad)).status, JSON.stringify(bad)).toBe(400)
  }
})

test('a POST without a body is a call without arguments', async () => {
  const { ask } = await openGateway()
  expect(await (await ask('/tools/demo__write', { method: 'POST' })).json()).toMatchObject({ value: 'written' })
})

test('a client that goes away cancels its call', async () => {
  const { post, ask, waiting, journal, stopped } = await openGateway()
  const controller = new AbortController()
  const call = ask('/tools/demo__wait', { method: 'POST', signal: controller.signal })
  await waiting
  controller.abort()
  await expect(call).rejects.toThrow()
  await expect.poll(() => journal.read({ phase: 'end' }).map(({ code }) => code)).toEqual(['cancelled'])
  expect(stopped()).toBe(1)
  expect((await post('/tools/demo__echo', { message: 'still here' })).status).toBe(200)
})

test('a stop cancels what runs, answers it, and leaves no port open', async () => {
  const { gateway, ask, waiting, port, stopped, folder } = await openGateway()
  const door = await gateway.makeRunDoor()
  const call = ask('/tools/demo__wait', { method: 'POST' })
  await waiting
  await gateway.stop()
  expect(await (await call).json()).toMatchObject({ ok: false, code: 'cancelled' })
  expect(stopped()).toBe(1)
  expect(await isListening(port)).toBe(false)
  expect(await isListening(Number(door.host.split(':')[1]))).toBe(false)
  await gateway.stop()
  expect(readdirSync(folder)).toEqual([])
})

test.each(['0.0.0.0', '::', '192.0.2.1', 'example.com'])(
  'it does not listen on %s without a token of the owner',
  async (host) => {
    await expect(openGateway({ host })).rejects.toThrow('without a token of your own')
  },
)

test('a token of the owner must be hard to guess', async () => {
  await expect(openGateway({ token: 'secret' })).rejects.toThrow('32 to 512')
})

test('with a token of the owner it listens elsewhere, and takes every address in numbers as its own', async () => {
  const token = 'a-long-token-of-the-owner-0123456789'
  const { gateway, ask, port } = await openGateway({ host: '0.0.0.0', token })
  expect(gateway.url).toBe(`http://127.0.0.1:${port}`)
  expect((await ask('/tools')).status).toBe(200)
  expect((await ask('/tools', { headers: { authorization: 'Bearer wrong' } })).status).toBe(401)
  const withHost = (host: string) => raw(port, `GET /health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
  expect(statuses(await withHost(`10.0.0.7:${port}`))).toEqual(['200'])
  expect(statuses(await withHost(`evil.example:${port}`))).toEqual(['403'])
})

test('it listens on the loopback of IPv6 too', async (context) => {
  if (!Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1'))) {
    return context.skip('this machine has no IPv6')
  }
  const { gateway, ask } = await openGateway({ host: '[::1]' })
  expect(gateway.url).toMatch(/^http:\/\/\[::1\]:\d+$/)
  expect((await ask('/tools')).status).toBe(200)
})

test('a port that is taken is told', async () => {
  const { port } = await openGateway()
  await expect(openGateway({ port })).rejects.toThrow('something else listens there already')
})
