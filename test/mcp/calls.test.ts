import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Server } from '../../src/mcp/server.ts'
import { processesWith, soon, uniqueSeconds, withoutBubblewrap } from '../fixtures/run/support.ts'
import { nobody, openServer, openSource, serverFile } from './support.ts'

describe('results', () => {
  test.each([
    ['text', 'just words'],
    ['json', { a: [1, 2] }],
    ['structured', { a: 1 }],
    ['number', '12345678901234567890'],
    [
      'mixed',
      {
        content: [
          { type: 'text', text: 'a picture' },
          { type: 'image', data: 'aGk=', mimeType: 'image/png' },
          { type: 'resource', resource: { uri: 'file:///a', text: 'inside' } },
          { type: 'hologram', beam: 1 },
        ],
      },
    ],
  ])('%s', async (tool, value) => {
    const { call } = await openServer('plain')
    expect(await call(tool)).toEqual({ ok: true, value })
  })

  test.each([
    ['{"id":9007199254740993,"amount":0.1}', undefined],
    ['[12345678901234567890]', undefined],
    ['{"a":{"b":[-9007199254740993]}}', undefined],
    ['{"a":0.12345678901234567890123}', undefined],
    ['{"a":1e400}', undefined],
    ['{"a":1e-400}', undefined],
    [`{"a":${'['.repeat(20_000)}1234567890123456${']'.repeat(20_000)}}`, undefined],
    ['{"id":9007199254740991}', { id: Number.MAX_SAFE_INTEGER }],
    ['{"a":0.30000000000000004,"b":0.10000000000000001}', { a: 0.30000000000000004, b: 0.1 }],
    ['{"a":6.02214076e+023,"b":1e100,"c":100.0000000000000000}', { a: 6.02214076e23, b: 1e100, c: 100 }],
    ['{"a":"12345678901234567890"}', { a: '12345678901234567890' }],
    ['{"a":-0.0,"b":0.00000000000000000000}', { a: -0, b: 0 }],
  ])('no digit of a number in a text is lost (%#)', async (words, value) => {
    const { call } = await openServer('plain')
    expect(await call('digits', { words })).toEqual({ ok: true, value: value ?? words })
  })

  test('a failure has the server’s words and the content', async () => {
    const { call } = await openServer('plain')
    const content = [{ type: 'text', text: 'The disk is full.' }]
    expect(await call('fail')).toEqual({
      ok: false,
      code: 'tool-failed',
      message: 'The disk is full.',
      value: { content },
    })
  })

  test('a refusal by the protocol is a failure, and so is an answer that breaks it', async () => {
    const { call } = await openServer('plain')
    expect(await call('refuse')).toMatchObject({
      ok: false,
      message: expect.stringMatching(/^Not in this way$/),
      value: { code: -32_602 },
    })
    expect(await call('nonsense')).toMatchObject({ ok: false, code: 'tool-failed' })
  })

  test('a second answer and a late one do no harm', async () => {
    const { call } = await openServer('plain')
    expect(await call('twice')).toEqual({ ok: true, value: 'one' })
    expect(await call('late', {}, AbortSignal.timeout(50))).toMatchObject({ ok: false })
    await sleep(500)
    expect(await call('text')).toEqual({ ok: true, value: 'just words' })
  })
})

describe('what comes beside the answer', () => {
  test('progress reaches whoever called, also when it comes right before the answer', async () => {
    const { call } = await openServer('plain')
    const heard = nobody()
    await call('progress', {}, undefined, heard)
    expect(heard.progress).toEqual([
      { done: 1, total: 2, message: 'step 1' },
      { done: 2, total: 2, message: 'step 2' },
    ])
  })

  test('the log reaches the calls in flight, with its levels, and a flood of it is cut', async () => {
    const { call } = await openServer('plain')
    const heard = nobody()
    await call('log', {}, undefined, heard)
    expect(heard.logs).toEqual(['info hello', 'error disk: {"full":true}'])
    const flooded = nobody()
    await call('log_flood'.replace('_f', 'F'), {}, undefined, flooded)
    expect(flooded.logs).toHaveLength(1_000)
  })

  test('a flood of progress is cut, and nothing in it steers a terminal', async () => {
    const { call } = await openServer('plain')
    const heard = nobody()
    await call('progressFlood', {}, undefined, heard)
    expect(heard.progress).toHaveLength(1_000)
    expect(heard.progress[7]).toEqual({ done: 7, message: '7' })
  })

  test('what a server says of a failure steers no terminal either', async () => {
    const { call } = await openServer('plain')
    expect(await call('oddWords')).toMatchObject({ ok: false, message: 'no<U+202E>way' })
  })

  test('what is stopped before it began does not wait for a server', async () => {
    const settings = { command: process.execPath, args: [serverFile, 'hang'], workspace: '/tmp' }
    const server = new Server('x', { ...settings, bounds: { connectMs: 8_000 } })
    onTestFinished(() => server.close())
    const before = performance.now()
    await expect(server.complete({}, AbortSignal.abort())).rejects.toThrow('stopped')
    expect(performance.now() - before).toBeLessThan(4_000)
  })

  test('a call that is cancelled settles at once, and the server is told', async () => {
    const { call } = await openServer('plain')
    await call('text')
    const stop = new AbortController()
    const waiting = call('ignore', {}, stop.signal)
    await sleep(50)
    stop.abort()
    expect(await waiting).toMatchObject({ ok: false })
    const told = await call('cancelled')
    expect(told.ok && told.value).toHaveLength(1)
  })
})

describe('a server that goes away', () => {
  test('fails the call in flight at once, says why, does not repeat it, and is started again by the next', async () => {
    const { call, record } = await openServer('plain')
    const waiting = call('ignore')
    await call('text')
    const before = performance.now()
    const died = call('die')
    const message =
      'The server "x" did not finish this call, which is not repeated. It ended with exit code 7. It said: Segmentation fault, so to speak'
    expect(await died).toEqual({ ok: false, code: 'tool-failed', message })
    expect(await waiting).toEqual({ ok: false, code: 'tool-failed', message })
    expect(performance.now() - before).toBeLessThan(1_000)
    expect(await call('text')).toEqual({ ok: true, value: 'just words' })
    expect(record().filter((line) => line.startsWith('start'))).toHaveLength(2)
  })

  test('waits longer each time, until calls fail without a start', async () => {
    const { call, record } = await openServer('plain')
    for (let round = 0; round < 4; round++) await call('die')
    const died = [await call('die'), await call('die')]
    const last = died.find((ran) => !ran.ok && ran.message.includes('It is started again after'))
    expect(last).toMatchObject({ ok: false, code: 'tool-failed' })
    expect(record().filter((line) => line.startsWith('start')).length).toBeLessThanOrEqual(6)
  })

  test('ends with everything that it started', async () => {
    const { call, catalogue } = await openServer('plain')
    const seconds = uniqueSeconds()
    await call('child', { seconds })
    expect(await soon(() => processesWith(seconds).length === 1)).toBe(true)
    await catalogue.close()
    expect(await soon(() => processesWith(seconds).length === 0)).toBe(true)
  })

  test('a message that is too large ends the connection, and the next call makes another', async () => {
    const { call } = await openServer('plain', { bounds: { maxMessageBytes: 2_097_152 } })
    const ran = await call('huge')
    expect(ran).toMatchObject({ ok: false, code: 'tool-failed' })
    expect(!ran.ok && ran.message).toContain('It sent a message of more than 2097152 bytes and was stopped.')
    expect(await call('text')).toEqual({ ok: true, value: 'just words' })
  })

  test('a server that reads nothing of what it asks for is ended, and the next call starts it again', async () => {
    const { call } = await openServer('plain')
    const ran = await call('stopsInput')
    expect(!ran.ok && ran.message).toContain('It did not read what it was sent and was stopped.')
    expect(await call('text')).toEqual({ ok: true, value: 'just words' })
  })

  test('a catalogue that is closed while the server hangs does not wait for it', async () => {
    const { catalogue } = await openServer('hang')
    const listing = catalogue.list()
    await sleep(100)
    const before = performance.now()
    await catalogue.close()
    expect(performance.now() - before).toBeLessThan(2_000)
    await listing
  })
})

test('a server that says that its tools changed is listed again, also while it is called', async () => {
  const { call, catalogue, record } = await openServer('plain')
  const calling = call('change')
  expect(await soonFound(() => catalogue.resolve('x:brandNew'))).toBe(true)
  expect(await calling).toEqual({ ok: true, value: 'changed' })
  expect(record().filter((line) => line === 'list')).toHaveLength(2)
  expect(await call('brandNew')).toEqual({ ok: true, value: 'brand_new' })
})

test('a server whose tools change whenever they are listed is not listed all the time', async () => {
  const { call, record } = await openServer('always-changing')
  await call('text')
  await sleep(1_500)
  expect(record().filter((line) => line === 'list').length).toBeLessThanOrEqual(4)
})

test('a server that was started again is listed again', async () => {
  const { call, record } = await openServer('plain')
  await call('die')
  await call('text')
  expect(await soon(() => record().filter((line) => line === 'list').length === 2)).toBe(true)
})

test('a server gets its own variables and the usual few, and runs in its folder', async () => {
  process.env.LEGWORK_TEST_SECRET = 'not for servers'
  const { call } = await openServer('plain', { env: { OWN: 'yes' }, cwd: '/usr' })
  const ran = await call('env')
  delete process.env.LEGWORK_TEST_SECRET
  const names = Object.keys(ran.ok ? Object(ran.value) : {})
  expect(names).toContain('OWN')
  expect(names.filter((name) => !/^(PATH|HOME|TMPDIR|TZ|TERM|LANG|LC_\w+|SHLVL|OWN)$/.test(name))).toEqual([])
  expect(await call('cwd')).toEqual({ ok: true, value: '/usr' })
})

test('calls to one server run side by side', async () => {
  const { call } = await openServer('plain')
  await call('text')
  const before = performance.now()
  await Promise.all(Array.from({ length: 20 }, () => call('wait', { ms: 200 })))
  expect(performance.now() - before).toBeLessThan(2_000)
})

async function soonFound(find: () => unknown): Promise<boolean> {
  for (let tries = 0; tries < 300; tries++) {
    if ((await find()) !== undefined) return true
    await sleep(10)
  }
  return false
}

test.skipIf(withoutBubblewrap)(
  'a server that is shut in with its processes takes even those along that have left',
  async () => {
    const { call, catalogue } = await openServer('plain', { confine: 'processes' })
    const seconds = uniqueSeconds()
    await call('child', { seconds, detached: true })
    expect(await soon(() => processesWith(seconds).length === 1)).toBe(true)
    await catalogue.close()
    expect(await soon(() => processesWith(seconds).length === 0)).toBe(true)
  },
)

test.skipIf(withoutBubblewrap)('a server that is shut in fully sees its workspace and no network', async () => {
  const workspace = join(import.meta.dirname, '../..')
  const command = process.execPath
  const { call } = await openSource({ command, args: [serverFile, 'plain'], workspace, confine: 'full' })
  expect(await call('json')).toEqual({ ok: true, value: { a: [1, 2] } })
  expect(await call('interfaces')).toEqual({ ok: true, value: ['lo'] })
})
