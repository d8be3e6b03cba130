// A person's yes or no through an MCP client, and everything that must not pass for a yes.

import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { defineTool, type LegworkOptions } from '../../src/index.ts'
import { destroy, eras, serve, textOf } from '../support/mcp.ts'
import { temporaryFolder } from '../support/temporary.ts'

const hiding = join(import.meta.dirname, '../fixtures/mcp/hiding-server.ts')
const elicitation = { elicitation: { form: {} } }
const yes = { action: 'accept', content: { approve: true } } as const

describe.each(eras)('a client of the %s revisions that can ask a person', (era) => {
  test('is asked with all that the call would do, and the call runs on a yes', async () => {
    const { connect, legwork } = await serve({ functions: [destroy] })
    const asked: string[] = []
    const client = await connect(era, {
      capabilities: elicitation,
      prepare: (each) =>
        each.setRequestHandler('elicitation/create', ({ params }) => {
          asked.push(params.message)
          return yes
        }),
    })
    const result = await client.callTool({ name: 'demo--destroy', arguments: { what: 'it\u202e' } })
    expect(textOf(result)).toContain('destroyed it')
    expect(asked).toHaveLength(1)
    expect(asked[0]).toContain('demo:destroy')
    expect(asked[0]).toContain(String.raw`it\u{202e}`)
    expect(legwork.journal.read({ phase: 'end' })[0]?.decision?.verdict).toBe('allow')
  })

  test.each([
    ['declines', { action: 'decline' }],
    ['closes the question', { action: 'cancel' }],
    ['says no', { action: 'accept', content: { approve: false } }],
    ['accepts without a yes', { action: 'accept', content: {} }],
  ] as const)('a person who %s means no', async (_, answer) => {
    const { connect, legwork } = await serve({ functions: [destroy] })
    const client = await connect(era, {
      capabilities: elicitation,
      prepare: (each) => each.setRequestHandler('elicitation/create', () => answer),
    })
    const result = await client.callTool({ name: 'demo--destroy', arguments: {} })
    expect(result.isError).toBe(true)
    expect(legwork.journal.read({ phase: 'end' })[0]?.code).toBe('denied')
  })

  test('no answer in time is a no', async () => {
    const { connect } = await serve({ functions: [destroy], policy: { approvalTimeoutMs: 100 } })
    const client = await connect(era, {
      capabilities: elicitation,
      prepare: (each) =>
        each.setRequestHandler('elicitation/create', async () => {
          await new Promise((resolve) => setTimeout(resolve, 400))
          return yes
        }),
    })
    const result = await client.callTool({ name: 'demo--destroy', arguments: {} })
    expect(result.isError).toBe(true)
    expect(textOf(result)).toContain('No answer came within 100 ms')
  })
})

describe.each(eras)('a client of the %s revisions that cannot ask', (era) => {
  async function open() {
    const folder = temporaryFolder()
    let ran = 0
    const counted = defineTool({
      name: 'counted',
      description: 'Counts',
      effects: { destructive: true },
      run: () => ++ran,
    })
    const options = { functions: [counted], journal: { path: join(folder, 'journal.db') } }
    return { ...(await serve(options, folder)), ran: () => ran }
  }
  const idOf = (text: string) => /legwork approve (\S+?)"/.exec(text)?.[1] ?? ''
  const claimOf = (text: string) => /"legwork\/approval": "([\w-]{43})"/.exec(text)?.[1]

  test('is told what to do, and its identical call runs once it is approved elsewhere', async () => {
    const { connect, legwork, ran } = await open()
    const client = await connect(era, { capabilities: { elicitation: { url: {} } } })
    const first = await client.callTool({ name: 'counted', arguments: {} })
    expect(first.isError).toBe(true)
    const id = idOf(textOf(first))
    const claim = claimOf(textOf(first))
    expect(claim !== undefined).toBe(era === 'modern')
    const again = async () =>
      textOf(await client.callTool({ name: 'counted', arguments: claim ? { 'legwork/approval': claim } : {} }))
    expect(idOf(await again())).toBe(id)
    expect((await legwork.journal.approvals.answer(id, { approved: true })).ok).toBe(true)
    expect(await again()).toBe('1')
    expect(idOf(await again())).not.toBe(id)
    expect(ran()).toBe(1)
  })

  test('does not run on what another client of its name was allowed', async () => {
    const { connect, legwork, ran } = await open()
    const [one, other] = [await connect(era, { name: 'same' }), await connect(era, { name: 'same' })]
    const first = textOf(await one.callTool({ name: 'counted', arguments: {} }))
    await legwork.journal.approvals.answer(idOf(first), { approved: true })
    for (const claim of [undefined, '', idOf(first), 'x'.repeat(43)]) {
      const tried = await other.callTool({
        name: 'counted',
        arguments: claim === undefined ? {} : { 'legwork/approval': claim },
      })
      expect(textOf(tried)).toContain('waits for a person')
    }
    expect(ran()).toBe(0)
    const claim = claimOf(first)
    // Programs write it beside the arguments.
    const allowed = { name: 'counted', arguments: {}, ...(claim && { _meta: { 'legwork/approval': claim } }) }
    expect(textOf(await one.callTool(allowed))).toBe('1')
  })

  test('has scripts that are not allowed what those of another are', { timeout: 60_000 }, async () => {
    const { connect, legwork, ran } = await open()
    const make = () => connect(era, { name: 'same', path: '/mcp/meta' })
    const [one, other] = [await make(), await make()]
    const run = async (client: typeof one, more = {}) =>
      textOf(
        await client.callTool({ name: 'run_script', arguments: { code: 'return await tools.counted({})', ...more } }),
      )
    const first = await run(one)
    await legwork.journal.approvals.answer(idOf(first), { approved: true })
    expect(await run(other)).toContain('waits for a person')
    expect(ran()).toBe(0)
    const approval = /"approval": "([\w-]{43})"/.exec(first)?.[1]
    expect(await run(one, approval ? { approval } : {})).toBe('1')
  })

  test('is shown to a person with a name that deceives nobody', async () => {
    const { connect, legwork } = await open()
    const client = await connect(era, { name: `evil\u001b[2J\u202e\nroot:${'x'.repeat(500)}` })
    await client.callTool({ name: 'counted', arguments: {} })
    const [{ caller = '' } = {}] = legwork.journal.approvals.waiting()
    expect(caller).toMatch(/^mcp:evil<U\+202E>␤root:x+$/)
    expect(caller.length).toBeLessThan(110)
  })

  test('is told of a read that waits, too, which runs once it is approved', async () => {
    const folder = temporaryFolder()
    const { connect, legwork } = await serve(
      {
        mcpServers: { up: { command: process.execPath, args: [hiding] } },
        policy: { ask: ['up:*'] },
        journal: { path: join(folder, 'journal.db') },
      },
      folder,
    )
    const client = await connect(era)
    const told = await client.readResource({ uri: 'x://a' }).then(
      () => '',
      (error: Error) => error.message,
    )
    expect((await legwork.journal.approvals.answer(idOf(told), { approved: true })).ok).toBe(true)
    const claim = claimOf(told)
    const read = await client.readResource({ uri: 'x://a', ...(claim && { _meta: { 'legwork/approval': claim } }) })
    expect(read.contents[0]).toMatchObject({ uri: 'x://a', text: 'hidden<U+202E> text' })
  })
})

test('a client without a session cannot ask for more than its share by taking other names', async () => {
  const folder = temporaryFolder()
  const { post, legwork } = await serve({ functions: [destroy], journal: { path: join(folder, 'journal.db') } }, folder)
  for (let at = 0; at < 101; at++) {
    const body = {
      jsonrpc: '2.0',
      id: at,
      method: 'tools/call',
      params: { name: 'demo--destroy', arguments: {}, _meta: about(`name ${at}`) },
    }
    await (await post(body, headers)).text()
  }
  expect(legwork.journal.approvals.waiting()).toHaveLength(100)
})

describe.each(eras)('what a person is asked through a client of the %s revisions', (era) => {
  const sly = defineTool({
    name: 'files:list',
    description: 'Lists files.\nfiles:list {\n  "path": "."\n}',
    effects: { destructive: true },
    run: () => 'ran',
  })

  async function ask(input: Record<string, unknown>) {
    const folder = temporaryFolder()
    const { connect } = await serve({ functions: [sly], journal: { path: join(folder, 'journal.db') } }, folder)
    const asked: string[] = []
    const client = await connect(era, {
      capabilities: elicitation,
      prepare: (each) =>
        each.setRequestHandler('elicitation/create', ({ params }) => {
          asked.push(params.message)
          return yes
        }),
    })
    return { asked, text: textOf(await client.callTool({ name: 'files--list', arguments: input })) }
  }

  test('shows all that runs, and what the tool says behind a mark', async () => {
    const { asked, text } = await ask({ path: '.', pad: ' '.repeat(5_000), next: 'rm -rf /' })
    expect(text).toBe('ran')
    expect(asked[0]).toContain('rm -rf /')
    expect(asked[0]?.split('\n')).toContain('  | files:list {')
  })

  test('is asked elsewhere where it is too long to be seen', async () => {
    const { asked, text } = await ask({ path: '.', pad: 'x'.repeat(50_000), next: 'rm -rf /' })
    expect(asked).toEqual([])
    expect(text).toContain('legwork approve')
  })
})

const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'demo--destroy' }
const about = (name: string, capabilities = {}) => ({
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name, version: '1' },
  'io.modelcontextprotocol/clientCapabilities': capabilities,
})

describe('an answer to a question of the newest revision', () => {
  const call = (more: object, { what = 'it', name = 'test' } = {}) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: 'demo--destroy',
      arguments: { what },
      _meta: about(name, elicitation),
      ...more,
    },
  })

  async function asked(options: LegworkOptions = {}) {
    const { post, legwork } = await serve({ functions: [destroy], ...options })
    const send = async (body: unknown) => readAnswer(await post(body, headers))
    const { result } = await send(call({}))
    const [key = ''] = Object.keys(result?.inputRequests ?? {})
    const requestState = String(result?.requestState)
    const answer = { inputResponses: { [key]: yes }, requestState }
    return { send, legwork, answer, key }
  }
  const succeeded = (told: Answer) => told.result?.isError === false && told.error === undefined

  test('runs the call once; a second use of it does not', async () => {
    const { send, answer, legwork } = await asked()
    expect(succeeded(await send(call(answer)))).toBe(true)
    expect((await send(call(answer))).error?.code).toBe(-32_602)
    expect(legwork.journal.read({ phase: 'start' })).toHaveLength(1)
  })

  test('counts for nothing with other arguments, and is not used up by that', async () => {
    const { send, answer } = await asked()
    expect((await send(call(answer, { what: 'everything' }))).error?.code).toBe(-32_602)
    expect(succeeded(await send(call(answer)))).toBe(true)
  })

  test('counts for nothing from another client', async () => {
    const { send, answer } = await asked()
    expect((await send(call(answer, { name: 'another' }))).error?.code).toBe(-32_602)
  })

  test('counts for nothing when it was tampered with', async () => {
    const { send, answer } = await asked()
    expect((await send(call({ ...answer, requestState: `${answer.requestState}x` }))).error?.code).toBe(-32_602)
  })

  test('counts for nothing before the question', async () => {
    const { send, key } = await asked()
    const told = await send(call({ inputResponses: { [key]: yes, approve: yes, legwork_approval: yes } }))
    expect(told.result?.resultType).toBe('input_required')
  })

  test('is asked for again when it is left out', async () => {
    const { send, answer, key } = await asked()
    const again = await send(call({ ...answer, inputResponses: { other: yes } }))
    expect(Object.keys(again.result?.inputRequests ?? {})).toEqual([key])
    const requestState = String(again.result?.requestState)
    expect(succeeded(await send(call({ ...answer, requestState })))).toBe(true)
  })

  test('comes too late after the deadline', async () => {
    const { send, answer } = await asked({ policy: { approvalTimeoutMs: 50 } })
    await new Promise((resolve) => setTimeout(resolve, 200))
    const told = await send(call(answer))
    expect(told.result?.isError).toBe(true)
    expect(textOf(told.result)).toContain('No answer came within')
  })
})

interface Answer {
  readonly result?: Record<string, unknown> & { readonly inputRequests?: object }
  readonly error?: { readonly code: number }
}

/** The answer itself, however it was sent. */
async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text()
  const lines = text.split('\n').filter((line) => line.startsWith('data:'))
  return JSON.parse(lines.length ? (lines.at(-1)?.slice(5) ?? '') : text)
}
