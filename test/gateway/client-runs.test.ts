import { expect, test } from 'vitest'
import { createGateway } from '../../src/gateway/gateway.ts'
import type { GatewayParts } from '../../src/gateway/parts.ts'
import { type OpenGateway, openGateway, openParts } from '../support/gateway.ts'
import { temporaryFolder } from '../support/temporary.ts'

async function begin({ post }: OpenGateway, request: object = {}): Promise<{ id: string; url: string }> {
  const answer = await post('/runs', request)
  expect(answer.status).toBe(200)
  return Object(await answer.json())
}

const call = async (url: string, wire: string, input: unknown = {}) => {
  const headers = { 'content-type': 'application/json' }
  return (await fetch(`${url}/tools/${wire}`, { method: 'POST', headers, body: JSON.stringify(input) })).json()
}
const end = (url: string, how: string, body: string) =>
  fetch(`${url}/end/${how}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })

test('a run is one call, with its calls linked to it, and its value is its outcome', async () => {
  const open = await openGateway()
  const { id, url } = await begin(open, { name: 'report.ts' })
  expect(await call(url, 'demo__echo', { message: 'hi' })).toMatchObject({ ok: true })
  expect(await call(url, 'demo__prose')).toMatchObject({
    value: { caller: { front: 'toolscript', name: 'report.ts' } },
  })
  const waiting = open.ask(`/runs/${id}`)
  await end(url, 'value', '{"done":true}')
  expect(await (await waiting).json()).toMatchObject({
    ok: true,
    tool: 'toolscript',
    value: { done: true },
    calls: [{ tool: 'demo:echo' }, { tool: 'demo:prose' }],
  })
  const [run, ...calls] = open.journal.read({ phase: 'end' })
  expect(run).toMatchObject({
    tool: 'toolscript',
    kind: 'toolscript',
    caller: 'gateway:report.ts',
    script: 'report.ts',
  })
  expect(calls.map(({ parentId }) => parentId)).toEqual([run?.callId, run?.callId])
  expect((await fetch(`${url}/health`)).status).toBe(404)
  expect(await (await open.ask(`/runs/${id}`)).json()).toMatchObject({ ok: true })
})

test.each([
  [
    'an error',
    'error',
    '{"name":"Error","message":"it broke"}',
    { ok: false, code: 'tool-failed', message: 'it broke' },
  ],
  ['another value thrown', 'error', '"why"', { ok: false, code: 'tool-failed', message: '"why"' }],
  ['nothing said', 'error', '', { ok: false, code: 'tool-failed', message: 'The run failed and did not say why.' }],
  ['no value', 'value', '', { ok: true, value: null }],
  ['a value that is no JSON', 'value', '{', { ok: false, code: 'tool-failed' }],
])('%s is the outcome of its run', async (_, how, body, outcome) => {
  const open = await openGateway()
  const { id, url } = await begin(open)
  expect((await end(url, how, body)).status).toBe(204)
  expect(await (await open.ask(`/runs/${id}`)).json()).toMatchObject(outcome)
})

test('the client ends a run with its reason, or without', async () => {
  const open = await openGateway()
  const one = await begin(open)
  const two = await begin(open)
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ reason: 'The script left with exit code 7.' })
  const said = await open.ask(`/runs/${one.id}`, { method: 'DELETE', headers, body })
  expect(await said.json()).toMatchObject({ code: 'tool-failed', message: 'The script left with exit code 7.' })
  const cancelled = await open.ask(`/runs/${two.id}`, { method: 'DELETE' })
  expect(await cancelled.json()).toMatchObject({ code: 'cancelled' })
  for (const { url } of [one, two]) expect((await fetch(`${url}/health`)).status).toBe(404)
})

test('a run ends by its time limit, and so do its calls', async () => {
  const open = await openGateway()
  const { id, url } = await begin(open, { timeoutMs: 150 })
  const waiting = call(url, 'demo__wait')
  expect(await (await open.ask(`/runs/${id}`)).json()).toMatchObject({ code: 'timed-out', afterMs: 150 })
  expect(await waiting).toMatchObject({ code: 'cancelled' })
  expect(open.stopped()).toBe(1)
})

test('a run that goes on is told as such', async () => {
  const open = await openGateway()
  const { id } = await begin(open)
  const answer = await open.ask(`/runs/${id}?waitMs=10`)
  expect(answer.status).toBe(202)
  expect(await answer.json()).toEqual({ state: 'running', isSaid: false })
})

test('a read-only run calls nothing that may change something', async () => {
  const open = await openGateway()
  const { url } = await begin(open, { readOnly: true })
  expect(await call(url, 'demo__echo', { message: 'hi' })).toMatchObject({ ok: true })
  expect(await call(url, 'demo__write')).toMatchObject({ ok: false, code: 'denied' })
})

test('a run has a bound on its calls, and the call too many is not made', async () => {
  const open = await openGateway()
  const { id, url } = await begin(open)
  let made = 0
  const worker = async () => {
    for (;;) {
      const outcome = await call(url, 'demo__echo', { message: 'hi' }).catch(() => ({}))
      if (!Object(outcome).ok) return outcome
      made++
    }
  }
  const refused = await Promise.all(Array.from({ length: 40 }, worker))
  expect(made).toBe(1_000)
  expect(refused[0]).toMatchObject({ code: 'too-busy', message: 'A script may make 1000 calls; this was one more.' })
  await end(url, 'value', '1')
  expect(await (await open.ask(`/runs/${id}`)).json()).toMatchObject({ ok: true })
})

test('stopping the gateway ends its runs', async () => {
  const open = await openGateway()
  await begin(open)
  await open.gateway.stop()
  expect(open.journal.read({ phase: 'end' })).toMatchObject([{ tool: 'toolscript', code: 'cancelled' }])
})

test.each([
  ['[]'],
  ['1'],
  ['{"name": 1}'],
  [JSON.stringify({ name: 'x'.repeat(1_001) })],
  ['{"timeoutMs": 0}'],
  ['{"timeoutMs": 600001}'],
  ['{"timeoutMs": "1"}'],
  ['{"readOnly": "no"}'],
  ['{"source": "1"}'],
])('a run cannot be asked for by %s', async (body) => {
  const { ask, journal } = await openGateway()
  const headers = { 'content-type': 'application/json' }
  expect((await ask('/runs', { method: 'POST', headers, body })).status).toBe(400)
  expect(journal.read()).toEqual([])
})

test.each(['unknown', '__proto__', 'constructor'])('there is no run %s', async (id) => {
  const { ask } = await openGateway()
  expect((await ask(`/runs/${id}`)).status).toBe(404)
  expect((await ask(`/runs/${id}`, { method: 'DELETE' })).status).toBe(404)
})

test('runs need the token, and are nowhere on a run’s own port', async () => {
  const open = await openGateway()
  const { id, url } = await begin(open)
  expect((await fetch(`${open.gateway.url}/runs/${id}`)).status).toBe(401)
  expect((await fetch(`${open.gateway.url}/runs`, { method: 'POST' })).status).toBe(401)
  expect((await fetch(`${url}/runs`, { method: 'POST' })).status).toBe(404)
  expect((await fetch(`${new URL(url).origin}/runs/${id}`)).status).toBe(404)
})

test('a client that goes away before its run has begun leaves none', async () => {
  const { parts } = await openParts()
  const asked = Promise.withResolvers<AbortSignal | undefined>()
  const executeTool: GatewayParts['executeTool'] = (_, { signal }) => {
    asked.resolve(signal)
    return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(new Error('stopped'))))
  }
  const token = 'a-long-token-of-the-owner-0123456789'
  const controller = new AbortController()
  const gateway = await createGateway({ ...parts, executeTool }, { folder: temporaryFolder(), token })
  const headers = { authorization: `Bearer ${token}` }
  fetch(`${gateway.url}/runs`, { method: 'POST', headers, signal: controller.signal }).catch(() => {})
  const signal = await asked.promise
  controller.abort()
  await expect.poll(() => signal?.aborted).toBe(true)
  await gateway.stop()
})
