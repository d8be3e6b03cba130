import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ClientOptions, clientModule } from '../../src/toolscript/client.ts'
import { definition, described } from './declarations-compile.ts'

interface Request {
  readonly path: string
  readonly type: string | undefined
  readonly body: unknown
}

type Answer = (request: Request, response: ServerResponse, incoming: IncomingMessage) => void

/** A gateway that writes down what it is asked, and answers as each test says. */
const requests: Request[] = []
const echo: Answer = (request, response) => response.end(JSON.stringify({ ok: true, value: request }))
let answer: Answer = echo
let address = ''

const server = createServer(async (incoming, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  const body = Buffer.concat(chunks).toString()
  const request = { path: incoming.url ?? '', type: incoming.headers['content-type'], body: JSON.parse(body) }
  requests.push(request)
  answer(request, response, incoming)
})

beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/run/the-capability`
})
beforeEach(() => {
  requests.length = 0
  answer = echo
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const names = ['create_issue', 'constructor', '__proto__', 'then', 'call', 'delete']
const catalogue = [
  ...names.map((name) => definition(['github', name], {})),
  definition(['git'], {}, { kind: 'program' }),
  ...['log', 'name', 'call', 'prototype'].map((name) => definition(['git', name], {}, { kind: 'program' })),
  definition(['tree'], {}),
  definition(['__proto__', '__proto__'], {}, { kind: 'function' }),
]

type Call = (input?: unknown, options?: object) => Promise<unknown>
interface Module {
  readonly tools: Readonly<Record<string, Call & Readonly<Record<string, Call>>>>
  readonly ToolError: new (fields: object) => Error
}

let loads = 0
async function load(options: ClientOptions = {}): Promise<Module> {
  const text = `${clientModule(await described(catalogue), { gateway: address, ...options })}// ${loads++}`
  return import(`data:text/javascript;base64,${Buffer.from(text).toString('base64')}`)
}

/** A tool by its path, wherever that leads. */
async function tool(path: string, options?: ClientOptions): Promise<Call> {
  const { tools } = await load(options)
  return path.split('.').reduce((at: unknown, name) => Reflect.get(Object(at), name), tools) as Call
}

describe('a call', () => {
  test.each([
    ['github.createIssue', 'github__create_issue'],
    ['github.constructor', 'github__constructor'],
    ['github.proto', 'github____proto__'],
    ['github.then', 'github__then'],
    ['github.call', 'github__call'],
    ['git', 'git'],
    ['git.log', 'git__log'],
    ['git.name', 'git__name'],
    ['git.call', 'git__call'],
    ['git.prototype', 'git__prototype'],
    ['tree', 'tree'],
    ['__proto__.__proto__', '__proto______proto__'],
  ])('of tools.%s goes to %s', async (path, wire) => {
    const call = await tool(path)
    await call({ a: 1 })
    expect(requests).toEqual([
      {
        path: expect.stringMatching(new RegExp(`^/run/the-capability/tools/${wire}$`)),
        type: 'application/json',
        body: { a: 1 },
      },
    ])
  })

  test('without an input sends an empty object', async () => {
    await (await tool('tree'))()
    expect(requests[0]?.body).toEqual({})
  })

  test('with content or a time limit says so beside the input', async () => {
    const call = await tool('tree')
    await call({ a: 1 }, { content: 'Please', timeoutMs: 50 })
    expect(requests[0]).toMatchObject({
      type: 'application/vnd.legwork.call+json',
      body: { input: { a: 1 }, content: 'Please', timeoutMs: 50 },
    })
  })

  test.each([null, 0, '', false, { content: [{ type: 'image', data: 'x' }] }])(
    'gives back %j as it is',
    async (value) => {
      answer = (_, response) => response.end(JSON.stringify({ ok: true, value }))
      expect(await (await tool('tree'))()).toEqual(value)
    },
  )
})

describe('a call that fails', () => {
  test('throws an error with what the outcome says', async () => {
    const issues = [{ path: 'title', code: 'MISSING_REQUIRED', message: 'It is missing.' }]
    const outcome = {
      ok: false,
      tool: 'github:createIssue',
      code: 'invalid-input',
      message: 'No',
      issues,
      value: { a: 1 },
    }
    answer = (_, response) => response.end(JSON.stringify(outcome))
    const { tools, ToolError } = await load()
    const error: unknown = await tools.github?.createIssue?.().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ToolError)
    expect(error).toMatchObject({
      name: 'ToolError',
      tool: 'github:createIssue',
      code: 'invalid-input',
      message: 'No title: It is missing.',
      issues,
      value: { a: 1 },
    })
  })

  const cycle: { self?: unknown } = {}
  cycle.self = cycle
  test.each([
    ['a cycle', cycle],
    ['a BigInt', { a: 1n }],
    ['a function', () => 1],
    ['a symbol', Symbol('x')],
  ])('because its input is %s never reaches the gateway', async (_, input) => {
    await expect((await tool('tree'))(input)).rejects.toMatchObject({ code: 'invalid-input', tool: 'tree' })
    expect(requests).toEqual([])
  })

  test.each([
    ['a page', (_: Request, response: ServerResponse) => response.end('<html>')],
    ['no outcome', (_: Request, response: ServerResponse) => response.end('{"ok": "yes"}')],
    ['nothing', (_: Request, response: ServerResponse) => response.destroy()],
    [
      'a refusal of its own',
      (_: Request, response: ServerResponse) =>
        response.writeHead(413).end('{"ok": false, "code": "too-large", "message": "It is too large."}'),
    ],
    ['a refusal', (_: Request, response: ServerResponse) => response.writeHead(404).end('{}')],
    [
      'a way elsewhere',
      (_: Request, response: ServerResponse) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
    ],
  ])('because the gateway answers with %s names no address', async (_, how) => {
    answer = how
    const error: unknown = await (await tool('tree'))().catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'gateway', tool: 'tree' })
    expect(`${error instanceof Error ? error.stack : ''}${JSON.stringify(error)}`).not.toMatch(
      /127\.0\.0\.1|capability/,
    )
  })

  test('is given up when its signal fires, before, while it waits and while it runs', async () => {
    answer = () => {}
    const call = await tool('tree', { maxConcurrentCalls: 1 })
    await expect(call({}, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'cancelled' })
    const [first, second] = [new AbortController(), new AbortController()]
    const running = call({}, { signal: first.signal })
    const waits = call({}, { signal: second.signal })
    second.abort()
    await expect(waits).rejects.toMatchObject({ code: 'cancelled' })
    first.abort()
    await expect(running).rejects.toMatchObject({ code: 'cancelled' })
    answer = echo
    await call({ last: true })
    expect(requests.at(-1)?.body).toEqual({ last: true })
  })
})

describe('many calls', () => {
  test('are made sixteen at a time, and each gets its own answer', async () => {
    const inputs = Array.from({ length: 60 }, (_, at) => ({ at }))
    const held: (() => void)[] = []
    let answered = 0
    let most = 0
    // Sixteen are held back until all of them are there, and a little longer: one too many would be seen.
    answer = (request, response) => {
      held.push(() => response.end(JSON.stringify({ ok: true, value: request.body })))
      most = Math.max(most, held.length)
      if (held.length !== Math.min(16, inputs.length - answered)) return
      setTimeout(() => {
        answered += held.length
        for (const release of held.splice(0)) release()
      }, 20)
    }
    const call = await tool('tree')
    expect(await Promise.all(inputs.map((input) => call(input)))).toEqual(inputs)
    expect(most).toBe(16)
    expect(requests).toHaveLength(60)
  })

  test('beyond the most that a script may make are refused without a request', async () => {
    const call = await tool('tree', { maxCalls: 5 })
    const all = await Promise.allSettled(Array.from({ length: 1_000 }, () => call()))
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
    expect(all.at(-1)).toMatchObject({ reason: { code: 'too-busy', message: expect.stringContaining('5 calls') } })
    expect(requests).toHaveLength(5)
  })

  test('do not let one that fails keep its place', async () => {
    answer = (_, response) => response.destroy()
    const call = await tool('tree', { maxConcurrentCalls: 1 })
    await Promise.allSettled([call(), call(), call()])
    answer = echo
    await expect(call()).resolves.toMatchObject({ path: expect.stringContaining('tree') })
  })
})

describe('the tree of tools', () => {
  test.each([
    ['githb', 'There is no "tools.githb". Did you mean "tools.github"?'],
    ['github.createIsue', 'There is no "tools.github.createIsue". Did you mean "tools.github.createIssue"?'],
    ['github.create_issue', 'There is no "tools.github.create_issue". Did you mean "tools.github.createIssue"?'],
    ['git.lgo', 'There is no "tools.git.lgo". Did you mean "tools.git.log"?'],
    ['hasOwnProperty', 'There is no "tools.hasOwnProperty".'],
    ['zzzzzzzz', 'There is no "tools.zzzzzzzz".'],
  ])('has no %s, and says what is near', async (path, message) => {
    await expect(tool(path)).rejects.toMatchObject({ code: 'unknown-tool', message })
  })

  test('can be listed, awaited, written as JSON and not changed', async () => {
    const { tools } = await load()
    expect(Object.keys(tools)).toEqual(['__proto__', 'git', 'github', 'tree'])
    expect(Object.keys(tools.git ?? {})).toEqual(expect.arrayContaining(['call', 'log', 'name', 'prototype']))
    expect(await tools).toBe(tools)
    expect(JSON.stringify(tools)).toMatch(/^\{/)
    expect(Reflect.set(tools, 'tree', () => 'other')).toBe(false)
    expect(Reflect.set(Object(tools.github), 'createIssue', () => 'other')).toBe(false)
  })

  test('is the same text for every run, without an address, however many tools there are', async () => {
    const many = await described(Array.from({ length: 1_000 }, (_, at) => definition(['server', `tool_${at}`], {})))
    const text = clientModule(many)
    expect(text).toBe(clientModule(many.toReversed()))
    expect(text).not.toMatch(/https?:/)
    expect(text.split('\n').length).toBe(clientModule([]).split('\n').length)
  })
})
