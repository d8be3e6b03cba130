// Scripts through an MCP client: those that may only look, and those that may do more.

import { describe, expect, test } from 'vitest'
import { MetaTools } from '../../src/gateway/mcp-meta.ts'
import type { Work } from '../../src/gateway/mcp-peer.ts'
import { defineTool } from '../../src/index.ts'
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
  const meta = new MetaTools({ ...parts, script }, 20)
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
