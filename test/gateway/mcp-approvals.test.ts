// A person's yes or no through an MCP client, and everything that must not pass for a yes.

import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { defineTool, type LegworkOptions } from '../../src/index.ts'
import { destroy, eras, serve, textOf } from '../support/mcp.ts'
import { temporaryFolder } from '../support/temporary.ts'

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
  test('is told what to do, and an identical call runs once it is approved elsewhere', async () => {
    const folder = temporaryFolder()
    let ran = 0
    const counted = defineTool({
      name: 'counted',
      description: 'Counts',
      effects: { destructive: true },
      run: () => ++ran,
    })
    const { connect, legwork } = await serve(
      { functions: [counted], journal: { path: join(folder, 'journal.db') } },
      folder,
    )
    const client = await connect(era, { capabilities: { elicitation: { url: {} } } })
    const pending = await client.callTool({ name: 'counted', arguments: {} })
    expect(pending.isError).toBe(true)
    const [, id = ''] = /legwork approve (\S+?)"/.exec(textOf(pending)) ?? []
    expect(await client.callTool({ name: 'counted', arguments: {} }).then(textOf)).toContain(`legwork approve ${id}`)
    expect((await legwork.journal.approvals.answer(id, { approved: true })).ok).toBe(true)
    expect(await client.callTool({ name: 'counted', arguments: {} }).then(textOf)).toBe('1')
    expect(await client.callTool({ name: 'counted', arguments: {} }).then(textOf)).toContain('legwork approve')
    expect(ran).toBe(1)
  })
})

describe('an answer to a question of the newest revision', () => {
  const call = (more: object, { what = 'it', name = 'test' } = {}) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: 'demo--destroy',
      arguments: { what },
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name, version: '1' },
        'io.modelcontextprotocol/clientCapabilities': elicitation,
      },
      ...more,
    },
  })
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'demo--destroy' }

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
