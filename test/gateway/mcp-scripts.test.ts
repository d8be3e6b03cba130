// Scripts through an MCP client: those that may only look, and those that may do more.

import { describe, expect, test } from 'vitest'
import { MetaTools } from '../../src/gateway/mcp-meta.ts'
import type { Work } from '../../src/gateway/mcp-peer.ts'
import { KeptRuns } from '../../src/gateway/mcp-runs.ts'
import { type Approve, defineTool } from '../../src/index.ts'
import { openParts } from '../support/gateway.ts'
import { echo, eras, harmless, serve, textOf } from '../support/mcp.ts'

const write = defineTool({
  name: 'demo:write',
  description: 'Writes',
  effects: { destructive: false, filesystem: { write: true } },
  run: () => 'written',
})
const risky = defineTool({
  name: 'demo:risky',
  description: 'Risks',
  effects: { destructive: true },
  run: () => 'done',
})
const add = defineTool({
  name: 'demo:add',
  description: 'Adds',
  input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
  output: { type: 'number' },
  effects: harmless,
  run: ({ a, b }) => Number(a) + Number(b),
})

describe.each(eras)('a client of the %s revisions', { timeout: 60_000 }, (era) => {
  test('runs scripts; one that may only look changes nothing', async () => {
    const { connect, legwork } = await serve({ functions: [echo, write, add], serve: { expose: 'meta' } })
    const client = await connect(era)
    const sum = await client.callTool({
      name: 'query_script',
      arguments: {
        code: 'let sum = 0\nfor (let at = 0; at < 5; at++) sum = await tools.demo.add({ a: sum, b: at })\nreturn { sum }',
      },
    })
    expect(sum.structuredContent).toEqual({ sum: 10 })
    const looked = await client.callTool({
      name: 'query_script',
      arguments: { code: 'return await tools.demo.write({})' },
    })
    expect(looked.isError).toBe(true)
    expect(legwork.journal.read({ phase: 'end', tool: 'demo:write' })[0]?.code).toBe('denied')
    const wrote = await client.callTool({
      name: 'run_script',
      arguments: { code: 'return await tools.demo.write({})' },
    })
    expect(textOf(wrote)).toContain('written')
    const faulty = await client.callTool({
      name: 'run_script',
      arguments: { code: 'return await tools.demo.nothing()' },
    })
    expect(faulty.isError).toBe(true)
  })

  test('need not import the tools, whatever a text in the script looks like', async () => {
    const { connect } = await serve({ functions: [echo], serve: { expose: 'meta' } })
    const client = await connect(era)
    const run = async (code: string) => textOf(await client.callTool({ name: 'query_script', arguments: { code } }))
    const call = 'return (await tools.demo.echo({ message: "hello" })).message'
    for (const code of [`// from "toolscript"\n${call}`, `import { tools } from 'toolscript'\n${call}`, call]) {
      expect(await run(code)).toBe('hello')
    }
  })

  test('is asked about what a script does', async () => {
    const { connect } = await serve({ functions: [risky], serve: { expose: 'meta' } })
    let asked = 0
    const client = await connect(era, {
      capabilities: { elicitation: { form: {} } },
      prepare: (each) =>
        each.setRequestHandler('elicitation/create', () => {
          asked++
          return { action: 'accept', content: { approve: true } }
        }),
    })
    const code = 'return await Promise.all([tools.demo.risky({}), tools.demo.risky({})])'
    const ran = await client.callTool({ name: 'run_script', arguments: { code } })
    expect(textOf(ran)).toContain('done')
    expect(asked).toBe(2)
  })

  test.each([
    ['search_tools', { query: 7 }],
    ['search_tools', { query: 'x', limit: 0 }],
    ['describe_tools', { names: 'x' }],
    ['call_tool', {}],
    ['call_tool', { name: 'demo:echo', arguments: { message: 'x' } }],
    ['search_tools', { query: 'x', names: [] }],
    ['run_script', { code: 1 }],
    ['query_script', { code: '', timeoutMs: 0 }],
    ['query_script', { code: 'import secrets from "./package.json" with { type: "json" }\nreturn secrets' }],
    ['query_script', { code: 'return await import("./package.json", { with: { type: "json" } })' }],
    ['get_run', { id: 'made-up' }],
  ])('is told of its own fault by %s', async (name, input) => {
    const { connect } = await serve({ functions: [echo], serve: { expose: 'meta' } })
    const client = await connect(era)
    expect((await client.callTool({ name, arguments: input })).isError).toBe(true)
  })
})

test('a run that takes longer than a client waits is asked for later', async () => {
  const { parts } = await openParts()
  const finish = Promise.withResolvers<void>()
  const script = async () => {
    await finish.promise
    return parts.execute({ tool: 'demo:echo', input: { message: 'at last' } })
  }
  const meta = new MetaTools({ ...parts, script }, new KeptRuns(20))
  const never = new AbortController().signal
  const client = {
    id: 'one',
    connection: 'one',
    capabilities: {},
    gone: never,
    ask: () => Promise.reject(new Error('Nobody is asked.')),
  }
  const current = () => {
    throw new Error('Nothing is told.')
  }
  const work: Work = { signal: never, client, caller: { front: 'mcp' }, current }
  const begun = await meta.call('run_script', { code: 'return 1' }, work)
  const [, id] = /"id":"([^"]+)"/.exec(begun && 'result' in begun ? textOf(begun.result) : '') ?? []
  expect(await meta.call('get_run', { id }, work)).toHaveProperty('result')
  finish.resolve()
  expect(await meta.call('get_run', { id }, work)).toMatchObject({
    outcome: { ok: true, value: { message: 'at last' } },
  })
})

describe('a question of a run that its client no longer waits for', () => {
  const request = { signal: new AbortController().signal } as Parameters<Approve>[0]
  const never = Promise.withResolvers<never>().promise

  async function begun(first: Approve) {
    const { parts } = await openParts()
    const runs = new KeptRuns(20)
    const go = Promise.withResolvers<void>()
    const answers: unknown[] = []
    const end = await runs.begin({ approve: first }, async (approve) => {
      await go.promise
      answers.push(await approve?.(request))
      return parts.execute({ tool: 'demo:echo', input: { message: 'at last' } })
    })
    return { runs, go, answers, id: 'id' in end ? end.id : '' }
  }

  test('is asked of whoever asks for the run next', async () => {
    const { runs, go, answers, id } = await begun(() => false)
    go.resolve()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(answers).toEqual([])
    expect(await runs.again(id, { approve: () => true })).toMatchObject({ outcome: { ok: true } })
    expect(answers).toEqual([true])
  })

  test('is asked again of another, where whoever was asked is gone', async () => {
    const { runs, go, answers, id } = await begun(() => never)
    go.resolve()
    const gone = Promise.withResolvers<never>()
    gone.promise.catch(() => {})
    expect(await runs.again(id, { approve: () => gone.promise })).toEqual({ id })
    gone.reject(new Error('The client is gone.'))
    expect(await runs.again(id, { approve: () => true })).toMatchObject({ outcome: { ok: true } })
    expect(answers).toEqual([true])
  })
})
