// Clients that should not be there, and clients that misbehave.

import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { defineTool } from '../../src/index.ts'
import { openLegwork } from '../support/legwork.ts'
import { echo, eras, harmless, serve } from '../support/mcp.ts'

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}
const call = (id: unknown, message = 'x') => {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'demo--echo', arguments: { message } } }
}

describe('a request that should not be there', () => {
  test.each([
    ['with a foreign Origin', { origin: 'https://evil.example' }, 403],
    ['with the Origin of another port', { origin: 'http://127.0.0.1:9' }, 403],
    ['with an opaque Origin', { origin: 'null' }, 403],
    ['from a page', { 'sec-fetch-site': 'cross-site' }, 403],
    ['with a foreign Host', { host: 'evil.example' }, 403],
    ['without a token', { authorization: '' }, 401],
    ['with a wrong token', { authorization: `Bearer ${'x'.repeat(43)}` }, 401],
    ['that is no JSON', { 'content-type': 'text/plain' }, 415],
    ['with a session that there is none of', { 'mcp-session-id': 'made-up' }, 404],
  ])('%s is refused', async (_, headers, status) => {
    const { url, token } = await serve({ functions: [echo] })
    const { request } = await import('node:http')
    const answered = await new Promise<number | undefined>((resolve, reject) => {
      const asked = request(
        `${url}/mcp`,
        {
          method: 'POST',
          headers: {
            authorization: `Bearer ${token}`,
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            ...headers,
          },
        },
        (answer) => {
          answer.resume()
          resolve(answer.statusCode)
        },
      )
      asked.on('error', reject)
      asked.end(JSON.stringify({ ...call(2), ...('mcp-session-id' in headers ? {} : initialize) }))
    })
    expect(answered).toBe(status)
  })

  test('with our own address as its Origin is answered', async () => {
    const { post, url } = await serve({ functions: [echo] })
    expect((await post(initialize, { origin: url })).status).toBe(200)
  })

  test('with 100 MB of arguments is not read to its end', async () => {
    const { post, connect } = await serve({ functions: [echo] })
    const answer = await post(JSON.stringify(call(1, 'x'.repeat(100_000_000)))).catch(() => undefined)
    expect(answer?.status ?? 413).toBe(413)
    expect((await (await connect('legacy')).listTools()).tools).toHaveLength(1)
  })

  test.each([
    ['not JSON', '{'],
    ['nothing', ''],
    ['a list of nothing', '[]'],
    ['a number', '7'],
  ])('whose body is %s is refused, and the next is answered', async (_, body) => {
    const { post } = await serve({ functions: [echo] })
    const answer = await post(body)
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.status).toBeLessThan(500)
    expect((await post(initialize)).status).toBe(200)
  })
})

describe('a session of an older revision', () => {
  async function openSession() {
    const wait = defineTool({
      name: 'wait',
      description: 'Waits a little',
      effects: harmless,
      run: async () => {
        await sleep(150)
        return 'waited'
      },
    })
    const served = await serve({ functions: [echo, wait] })
    const opened = await served.post(initialize)
    await opened.text()
    const session = opened.headers.get('mcp-session-id') ?? ''
    const headers = { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }
    await served.post({ jsonrpc: '2.0', method: 'notifications/initialized' }, headers)
    return { ...served, headers }
  }
  const wait = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'wait', arguments: {} } }

  test('answers the first of two calls with one id, and refuses the second', async () => {
    const { post, headers } = await openSession()
    const first = post(wait, headers).then((answer) => answer.text())
    await sleep(30)
    expect((await post({ ...call(7) }, headers)).status).toBe(400)
    expect(await first).toContain('waited')
    expect(await (await post(call(7), headers)).text()).toContain('"id":7')
  })

  test('does not answer a second call of an id with what the first gave, whose client hung up', async () => {
    const { post, url, token, headers } = await openSession()
    const hangUp = new AbortController()
    const first = fetch(`${url}/mcp`, {
      method: 'POST',
      signal: hangUp.signal,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify(wait),
    }).then((answer) => answer.text())
    await sleep(40)
    hangUp.abort()
    await expect(first).rejects.toThrow()
    await sleep(20)
    expect((await post(call(7), headers)).status).toBe(400)
    await sleep(300)
    expect(await (await post(call(7, 'second'), headers)).text()).toContain('second')
  })

  test('can use an id again that it gave up', async () => {
    const { post, headers } = await openSession()
    const first = post(wait, headers)
    await sleep(30)
    await post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } }, headers)
    expect(await (await post(call(7, 'second'), headers)).text()).toContain('second')
    void first.catch(() => {})
  })

  test('refuses two calls of one id that come together', async () => {
    const { post, headers } = await openSession()
    expect((await post([call(9, 'a'), call(9, 'b')], headers)).status).toBe(400)
    expect(await (await post(call(9), headers)).text()).toContain('"id":9')
  })

  test('is the session of its own path alone', async () => {
    const { post, headers } = await openSession()
    expect((await post(call(2), headers, '/mcp/meta')).status).toBe(404)
  })

  test('takes a cancellation after the end for nothing', async () => {
    const { post, headers } = await openSession()
    await (await post(call(3), headers)).text()
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 3 } }
    expect((await post(cancelled, headers)).status).toBe(202)
    expect(await (await post(call(4), headers)).text()).toContain('"id":4')
  })

  test('gives way to newer ones when there are very many and it is idle', async () => {
    const { post, headers } = await openSession()
    for (let at = 0; at < 256; at++) await (await post(initialize)).text()
    expect((await post(call(6), headers)).status).toBe(404)
    expect((await post(initialize)).status).toBe(200)
  })

  test('is over when its client says so', async () => {
    const { post, url, token, headers } = await openSession()
    const ended = await fetch(`${url}/mcp`, {
      method: 'DELETE',
      headers: { ...headers, authorization: `Bearer ${token}` },
    })
    expect(ended.status).toBe(200)
    expect((await post(call(5), headers)).status).toBe(404)
  })
})

test('a client of the newest revision that goes away in the middle of a call ends it', async () => {
  const stopped = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const wait = defineTool({
    name: 'wait',
    description: 'Waits',
    effects: harmless,
    run: (_, { signal }) => {
      begun.resolve()
      return new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          stopped.resolve()
          resolve('stopped')
        })
      })
    },
  })
  const { connect, legwork } = await serve({ functions: [wait] })
  const client = await connect('modern')
  const call = client.callTool({ name: 'wait', arguments: {} }).catch(() => 'gone')
  await begun.promise
  await client.close()
  expect(await call).toBe('gone')
  await stopped.promise
  await expect.poll(() => legwork.journal.read({ phase: 'end' })[0]?.code).toBe('cancelled')
})

test('a tool that there is none of is told as an error of the protocol', async () => {
  const { connect } = await serve({ functions: [echo] })
  for (const era of eras) {
    const client = await connect(era)
    await expect(client.callTool({ name: 'demo--was', arguments: {} })).rejects.toMatchObject({ code: -32_602 })
  }
})

test.each([1_001, 100_000])('a client that wants to watch %i resources is refused at once', async (amount) => {
  const { post } = await serve({ functions: [echo] })
  const notifications = { resourceSubscriptions: Array.from({ length: amount }, (_, at) => `x://${at}`) }
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const body = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: { _meta, notifications } }
  const answer = await post(body, { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' })
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({ id: 1, error: { code: -32_602 } })
})

describe('over streams', () => {
  const wait = defineTool({
    name: 'wait',
    description: 'Waits a little',
    effects: harmless,
    run: async () => {
      await sleep(150)
      return 'waited'
    },
  })

  async function openStreams() {
    const legwork = await openLegwork({ functions: [echo, wait], limits: { maxInputBytes: 10_000 } })
    const input = new PassThrough()
    const output = new PassThrough()
    let written = ''
    output.setEncoding('utf8').on('data', (more: string) => {
      written += more
    })
    const over = legwork.mcp({ input, output })
    const write = (message: unknown) =>
      input.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`)
    const answers = async (amount: number) => {
      await expect.poll(() => written.split('\n').length - 1, { timeout: 5_000 }).toBe(amount)
      return written
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    }
    write(initialize)
    await answers(1)
    const end = () => {
      input.end()
      return over
    }
    return { write, answers, end }
  }

  test('the first of two calls with one id is answered, and the second refused', async () => {
    const { write, answers, end } = await openStreams()
    write({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'wait', arguments: {} } })
    write(call(7))
    const [, refused, answered] = await answers(3)
    expect(refused).toMatchObject({ id: null, error: { code: -32_600 } })
    expect(answered).toMatchObject({ id: 7, result: { content: [{ text: 'waited' }] } })
    write(call(7))
    expect((await answers(4)).at(-1)).toMatchObject({ id: 7, result: { isError: false } })
    await end()
  })

  const long = 'x'.repeat(200_000)
  test.each([
    ['behind its arguments', `{"method":"m","params":{"arguments":{"id":7,"x":"${long}"}},"jsonrpc":"2.0","id":9}`, 9],
    ['before its method', `{"params":{"x":"${long}"},"id":"nine","method":"m","jsonrpc":"2.0"}`, 'nine'],
    ['before them', `{"jsonrpc":"2.0","id":9,"method":"m","params":{"x":"${long}","id":7}}`, 9],
    ['nowhere but in them', `{"jsonrpc":"2.0","method":"m","params":{"x":"${long}","id":7}}`, null],
    ['nowhere but deep in them', `{"method":"m","params":{"a":[{"id":7}],"x":"${long}"},"jsonrpc":"2.0"}`, null],
    ['as a text in them', `{"method":"m","params":{"a":"{\\"id\\":7}","x":"${long} \\"id\\":7"}}`, null],
  ])('a message that is too long and has its id %s is refused by its own id', async (_, line, id) => {
    const { write, answers, end } = await openStreams()
    write(line)
    expect((await answers(2)).at(-1)).toMatchObject({ id, error: { code: -32_600 } })
    await end()
  })
})

/** One client over streams of its own, in its own words. */
function rawClient(serveOver: (input: PassThrough, output: PassThrough) => Promise<void>) {
  const input = new PassThrough()
  const output = new PassThrough()
  const waiting = new Map<unknown, (answer: { result?: { structuredContent?: unknown } }) => void>()
  let rest = ''
  output.setEncoding('utf8').on('data', (more: string) => {
    const lines = (rest + more).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const message = JSON.parse(line)
      waiting.get(message.id)?.(message)
      waiting.delete(message.id)
    }
  })
  const over = serveOver(input, output)
  const send = (message: { id?: unknown }) =>
    new Promise<{ result?: { structuredContent?: unknown } }>((resolve) => {
      waiting.set(message.id, resolve)
      input.write(`${JSON.stringify(message)}\n`)
    })
  const end = () => {
    input.end()
    return over
  }
  return { send, end }
}

test('in 10,000 calls of two clients with the same ids no answer goes to the other', { timeout: 60_000 }, async () => {
  const legwork = await openLegwork({ functions: [echo] })
  const clients = ['one', 'two'].map((name) => {
    return { name, ...rawClient((input, output) => legwork.mcp({ input, output })) }
  })
  const crossed: unknown[] = []
  await Promise.all(
    clients.map(async ({ name, send }) => {
      await send(initialize)
      for (let batch = 0; batch < 50; batch++) {
        const ids = Array.from({ length: 100 }, (_, at) => 2 + batch * 100 + at)
        const answers = await Promise.all(ids.map((id) => send(call(id, `${name} ${id}`))))
        answers.forEach(({ result }, at) => {
          const wanted = `${name} ${ids[at]}`
          const { message } = (result?.structuredContent ?? {}) as { message?: string }
          if (message !== wanted) crossed.push([wanted, result])
        })
      }
    }),
  )
  expect(crossed).toEqual([])
  for (const { end } of clients) await end()
})

test('a gateway that stops does not wait for clients that listen', async () => {
  const { connect, legwork } = await serve({ functions: [echo] })
  const [old, latest] = await Promise.all([connect('legacy'), connect('modern')])
  await Promise.all([old.listTools(), latest.listen({ toolsListChanged: true })])
  await sleep(100)
  const started = performance.now()
  await legwork.close()
  expect(performance.now() - started).toBeLessThan(2_500)
})
