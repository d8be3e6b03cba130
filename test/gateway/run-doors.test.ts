import { EventEmitter } from 'node:events'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { RunDoorState } from '../../src/gateway/run-door-state.ts'
import { openRunDoors, type RunDoorsOptions } from '../../src/gateway/run-doors.ts'
import type { Outcome } from '../../src/model/outcome.ts'
import { maxEndBytes, type RunCallOptions, type RunDoor, type RunService } from '../../src/toolscript/run-door.ts'
import { isListening, openParts, raw, statuses } from '../support/gateway.ts'

interface Opened {
  readonly door: RunDoor
  readonly other: RunDoor
  readonly port: number
  readonly ended: (readonly [how: string, body: string])[]
  readonly service: RunService
  readonly close: () => Promise<void>
}

async function openDoors(options: RunDoorsOptions = {}): Promise<Opened> {
  const { parts } = await openParts()
  const doors = await openRunDoors(parts, options)
  onTestFinished(() => doors.close())
  const door = await doors.makeRunDoor()
  const other = await doors.makeRunDoor()
  const ended: [string, string][] = []
  const service: RunService = {
    call: (tool, input, { signal }) => parts.execute({ tool, input, signal, caller: { front: 'toolscript' } }),
    end: (how, body) => ended.push([how, body]),
  }
  return { door, other, port: Number(door.host.split(':')[1]), ended, service, close: doors.close }
}

const post = (url: string, body: unknown = {}) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
const status = async (url: string) => (await fetch(url)).status

test('an address is unguessable and of loopback', async () => {
  const { door, other } = await openDoors()
  expect(door.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/run\/[\w-]{43}$/)
  expect(door.url.startsWith(`http://${door.host}/`)).toBe(true)
  expect(door.url).not.toBe(other.url)
})

test('every route of the gateway stands below it, and the call takes the one path', async () => {
  const { door, service } = await openDoors()
  door.open(service)
  expect(await (await fetch(`${door.url}/health`)).json()).toEqual({ ok: true })
  expect(await (await fetch(`${door.url}/tools`)).json()).toHaveLength(6)
  expect(await (await fetch(`${door.url}/search?q=destroys`)).json()).toMatchObject([{ id: 'demo:destroy' }])
  expect(await (await fetch(`${door.url}/runtime/tools.ts?_t=1`)).text()).toContain('demo:echo')
  expect(await status(`${door.url}/runtime/tools.d.ts`)).toBe(200)
  const outcome = await (await post(`${door.url}/tools/demo__echo`, { message: 'hi' })).json()
  expect(outcome).toMatchObject({ ok: true, value: { message: 'hi' } })
  expect(await (await post(`${door.url}/tools/constructor`)).json()).toMatchObject({ code: 'unknown-tool' })
})

test('before it is open it serves the runtime and takes the sign that the guest is ready, no call and no end', async () => {
  const { door, service, ended } = await openDoors()
  expect(await status(`${door.url}/runtime/tools.ts`)).toBe(200)
  expect((await post(`${door.url}/tools/demo__echo`, { message: 'hi' })).status).toBe(409)
  expect((await post(`${door.url}/end/value`, 1)).status).toBe(409)
  expect((await fetch(`${door.url}/ready`, { method: 'POST' })).status).toBe(204)
  await door.ready
  door.open(service)
  expect((await post(`${door.url}/tools/demo__echo`, { message: 'hi' })).status).toBe(200)
  expect(ended).toEqual([])
})

test('the first end counts, as the text that was sent', async () => {
  const { door, service, ended } = await openDoors()
  door.open(service)
  const send = (how: string, body: string) =>
    fetch(`${door.url}/end/${how}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  expect((await send('value', '{ "a":1 }')).status).toBe(204)
  expect((await send('error', '{}')).status).toBe(409)
  expect(ended).toEqual([['value', '{ "a":1 }']])
})

test('an end above its bound is refused, and another may follow', async () => {
  const { door, service, ended } = await openDoors()
  door.open(service)
  const headers = { 'content-type': 'application/json' }
  const body = Buffer.alloc(maxEndBytes + 1, '1')
  const answer = await fetch(`${door.url}/end/value`, { method: 'POST', headers, body }).then(
    ({ status }) => status,
    () => 413,
  )
  expect(answer).toBe(413)
  expect((await post(`${door.url}/end/error`, { message: 'too large' })).status).toBe(204)
  expect(ended).toHaveLength(1)
})

test('a wrong, an old and somebody else’s capability lead nowhere', async () => {
  const { door, other, service, port } = await openDoors()
  door.open(service)
  const wrong = `http://127.0.0.1:${port}/run/${'A'.repeat(43)}`
  for (const path of ['', '/', '/health', '/tools', '/runtime/tools.ts']) {
    expect(await status(`${wrong}${path}`), path).toBe(404)
  }
  expect((await post(`${other.url}/tools/demo__echo`, { message: 'hi' })).status).toBe(409)
  door.close()
  expect(await status(`${door.url}/health`)).toBe(404)
  expect((await post(`${door.url}/tools/demo__echo`, { message: 'hi' })).status).toBe(404)
  expect(await status(`${other.url}/health`)).toBe(200)
})

test('a call in flight when the door is shut is answered still', async () => {
  const { door, service } = await openDoors()
  const begun = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const call: RunService['call'] = async (...given) => {
    begun.resolve()
    await release.promise
    return service.call(...given)
  }
  door.open({ ...service, call })
  const answer = post(`${door.url}/tools/demo__echo`, { message: 'hi' })
  await begun.promise
  door.close()
  release.resolve()
  expect(await (await answer).json()).toMatchObject({ ok: true })
})

test('a guest that goes away gives its call up', async () => {
  const { door, service } = await openDoors()
  const given = Promise.withResolvers<AbortSignal>()
  const call: RunService['call'] = (wire, input, options) => {
    given.resolve(options.signal)
    return untilStopped(wire, input, options)
  }
  door.open({ ...service, call })
  const controller = new AbortController()
  fetch(`${door.url}/tools/demo__echo`, { method: 'POST', signal: controller.signal }).catch(() => {})
  const signal = await given.promise
  controller.abort()
  await expect.poll(() => signal.aborted).toBe(true)
})

test('one run cannot crowd out the others', async () => {
  const { door, other, service } = await openDoors()
  door.open({ ...service, call: untilStopped })
  other.open(service)
  const controller = new AbortController()
  let refused = 0
  const ask = async () => {
    const answer = await fetch(`${door.url}/tools/demo__echo`, { method: 'POST', signal: controller.signal })
    if (answer.status === 429) refused++
  }
  const many = Array.from({ length: 80 }, ask)
  await expect.poll(() => refused, { timeout: 10_000 }).toBe(16)
  expect((await post(`${other.url}/tools/demo__echo`, { message: 'hi' })).status).toBe(200)
  controller.abort()
  await Promise.allSettled(many)
})

/** A call that ends by its signal alone. */
function untilStopped(_wire: string, _input: unknown, { signal }: RunCallOptions): Promise<Outcome> {
  return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))))
}

const attacks: readonly (readonly [name: string, status: string, request: (path: string, port: number) => string])[] = [
  ['the gateway’s own health', '404', (_, port) => get('/health', port)],
  ['the gateway’s own tools', '404', (_, port) => get('/tools', port)],
  ['a path that climbs to it', '400', (path, port) => get(`${path}/../../health`, port)],
  ['a path that climbs to it in disguise', '400', (path, port) => get(`${path}/%2e%2e/%2e%2e/health`, port)],
  ['the list of runs', '404', (path, port) => get(`${path}/runs`, port)],
  ['two slashes', '400', (path, port) => get(`/${path}/health`, port)],
  ['an encoded capability', '404', (path, port) => get(`/run/%41${path.slice(6)}/health`, port)],
  ['a capability in other letters', '404', (path, port) => get(`${path.toUpperCase()}/health`, port)],
  ['a capability that is cut', '404', (path, port) => get(`${path.slice(0, -1)}/health`, port)],
  ['a capability with more behind it', '404', (path, port) => get(`${path}A/health`, port)],
  ['a capability in the query', '404', (path, port) => get(`/health?run=${path.slice(5)}`, port)],
  ['a foreign Host', '403', (path) => `GET ${path}/health HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`],
  ['a foreign Origin', '403', (path, port) => get(`${path}/health`, port, 'Origin: https://evil.example\r\n')],
  ['a WebSocket', '400', (path, port) => get(`${path}/health`, port, 'Upgrade: websocket\r\n')],
  ['a form', '415', (path, port) => formPost(`${path}/tools/demo__echo`, port)],
  ['another method', '405', (path, port) => get(`${path}/end/value`, port)],
  ['another end', '404', (path, port) => formPost(`${path}/end/other`, port).replace('text/plain', 'application/json')],
]

const get = (path: string, port: number, more = '') =>
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n${more}\r\n`
const formPost = (path: string, port: number) =>
  `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}`

test.each(attacks)('%s is answered with %s', async (_, expected, request) => {
  const { door, service, port } = await openDoors()
  door.open(service)
  const answer = await raw(port, request(new URL(door.url).pathname, port))
  expect(statuses(answer)).toEqual([expected])
  expect(answer).not.toContain(door.url.slice(-43))
})

test('closing shuts every door and leaves no port open', async () => {
  const { door, service, port, close } = await openDoors()
  const begun = Promise.withResolvers<void>()
  const call: RunService['call'] = (wire, input, options) => {
    begun.resolve()
    return untilStopped(wire, input, options)
  }
  door.open({ ...service, call })
  const answer = post(`${door.url}/tools/demo__echo`)
  await begun.promise
  await close()
  expect((await answer).status).toBe(500)
  expect(await isListening(port)).toBe(false)
})

/** So many connections, each with a request whose answer is not read. */
function neverReading(port: number, amount: number, text: string) {
  const sockets = Array.from({ length: amount }, () =>
    connect(port, '127.0.0.1')
      .pause()
      .on('error', () => {}),
  )
  for (const socket of sockets) socket.write(text)
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
}

test('an answer counts against the run until it is read', async () => {
  const state = new RunDoorState()
  const answers = Array.from({ length: 65 }, () => new EventEmitter())
  const ask = (outgoing = new EventEmitter()) =>
    state.during({ incoming: { headers: {} }, outgoing }, async () => ({ status: 200 })).then((answer) => answer.status)
  expect(await Promise.all(answers.map(ask))).toEqual([...Array(64).fill(200), 429])
  expect(await ask()).toBe(429)
  answers[0]?.emit('close')
  expect(await ask()).toBe(200)
})

test('bodies that a run begins to send count against it by what they say they hold', async () => {
  const { door, port } = await openDoors()
  const { pathname } = new URL(door.url)
  const head = `POST ${pathname}/end/value HTTP/1.1\r\nHost: ${door.host}\r\nContent-Type: application/json\r\n`
  neverReading(port, 2, `${head}Content-Length: ${maxEndBytes}\r\n\r\n[`)
  await expect.poll(() => post(`${door.url}/end/value`, 1).then((answer) => answer.status)).toBe(429)
  expect(await status(`${door.url}/health`)).toBe(200)
})
