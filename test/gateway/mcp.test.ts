// Legwork as an MCP server, as clients of both revisions see it.

import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { defineTool } from '../../src/index.ts'
import { destroy, echo, eras, harmless, serve, textOf } from '../support/mcp.ts'

const many = Array.from({ length: 60 }, (_, at) =>
  defineTool({ name: `many:tool${at}`, description: `Does number ${at}`, effects: harmless, run: () => at }),
)

describe.each(eras)('a client of the %s revisions', (era) => {
  test('lists every tool in the order of the names, with what it may do', async () => {
    const { connect } = await serve({ functions: [echo, destroy] })
    const client = await connect(era)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['demo--destroy', 'demo--echo'])
    const [first, second] = tools
    expect(first?.annotations).toEqual({
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    })
    expect(second?.annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false, openWorldHint: false })
    expect(second?.inputSchema).toMatchObject({ type: 'object', required: ['message'] })
    expect(second?.outputSchema).toBeDefined()
  })

  test('gets structured results, with the same as text', async () => {
    const { connect, legwork } = await serve({ functions: [echo] })
    const client = await connect(era)
    await client.listTools()
    const result = await client.callTool({ name: 'demo--echo', arguments: { message: 'hi' } })
    expect(result.structuredContent).toEqual({ message: 'hi' })
    expect(JSON.parse(textOf(result))).toEqual({ message: 'hi' })
    const [entry] = legwork.journal.read({ phase: 'end' })
    expect(entry).toMatchObject({ tool: 'demo:echo', caller: 'mcp:test' })
  })

  test('is told of its own fault, and of a tool that there is none of, and both are in the journal', async () => {
    const { connect, legwork } = await serve({ functions: [echo] })
    const client = await connect(era)
    const invalid = await client.callTool({ name: 'demo--echo', arguments: {} })
    expect(invalid.isError).toBe(true)
    expect(textOf(invalid)).toContain('message')
    await expect(client.callTool({ name: 'demo--gone', arguments: {} })).rejects.toMatchObject({
      code: -32_602,
      message: expect.not.stringContaining('legwork tools'),
    })
    expect(legwork.journal.read({ phase: 'end' }).map(({ code }) => code)).toEqual(['unknown-tool', 'invalid-input'])
  })

  test('hears of progress', async () => {
    const slow = defineTool({
      name: 'slow',
      description: 'Takes its time',
      effects: harmless,
      run: async (_, { progress }) => {
        progress({ done: 1, total: 2 })
        progress({ done: 2, total: 2 })
        await sleep(20)
        return 'done'
      },
    })
    const progress: unknown[] = []
    const { connect } = await serve({ functions: [slow] })
    const client = await connect(era)
    await client.callTool(
      { name: 'slow', arguments: {} },
      { onprogress: (update) => void progress.push(update.progress) },
    )
    expect(progress).toEqual([1, 2])
  })

  test('stops a call that it gives up', async () => {
    const stopped = Promise.withResolvers<string>()
    const begun = Promise.withResolvers<void>()
    const wait = defineTool({
      name: 'wait',
      description: 'Waits',
      effects: harmless,
      run: (_, { signal }) => {
        begun.resolve()
        return new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            stopped.resolve('stopped')
            resolve('stopped')
          })
        })
      },
    })
    const { connect } = await serve({ functions: [wait, echo] })
    const client = await connect(era)
    const controller = new AbortController()
    const call = client.callTool({ name: 'wait', arguments: {} }, { signal: controller.signal })
    await begun.promise
    controller.abort()
    await expect(call).rejects.toThrow()
    expect(await stopped.promise).toBe('stopped')
    const after = await client.callTool({ name: 'demo--echo', arguments: { message: 'still here' } })
    expect(after.structuredContent).toEqual({ message: 'still here' })
  })

  test('is told that the tools have changed', async () => {
    const { connect, legwork } = await serve({ functions: [echo] })
    const changed = Promise.withResolvers<void>()
    const client = await connect(era)
    await client.listTools()
    client.setNotificationHandler('notifications/tools/list_changed', () => changed.resolve())
    if (era === 'modern') await client.listen({ toolsListChanged: true })
    // The tool that reads long results comes when there is the first.
    const outcome = await legwork.call({ tool: 'demo:echo', input: { message: 'x'.repeat(30_000) } })
    await legwork.results.keep(outcome)
    await changed.promise
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('legwork--readResult')
  })

  test('reads a long result in parts, and loses nothing', async () => {
    const long = defineTool({
      name: 'long',
      description: 'Says much',
      output: { type: 'object', properties: { words: { type: 'string' } }, required: ['words'] },
      effects: harmless,
      run: () => ({ words: 'wörd '.repeat(20_000) }),
    })
    const { connect } = await serve({ functions: [long] })
    const client = await connect(era)
    await client.listTools()
    const result = await client.callTool({ name: 'long', arguments: {} })
    const { content } = result as unknown as { content: readonly { type: string; uri?: string }[] }
    const uri = content.find(({ type }) => type === 'resource_link')?.uri ?? ''
    expect(textOf(result).length).toBeLessThan(26_000)
    let whole = ''
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const { contents } = await client.readResource({ uri: `${uri}?offset=${offset}&length=50000` })
      const [part] = contents as { text?: string; _meta?: { 'legwork/part'?: { nextOffset?: number } } }[]
      whole += part?.text ?? ''
      offset = part?._meta?.['legwork/part']?.nextOffset
    }
    expect(JSON.parse(whole)).toEqual({ words: 'wörd '.repeat(20_000) })
    await expect(client.readResource({ uri: 'legwork://results/0' })).rejects.toThrow()
  })

  test('sees a few tools instead of very many', async () => {
    const { connect } = await serve({ functions: [...many, echo] })
    const client = await connect(era)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'search_tools',
      'describe_tools',
      'call_tool',
      'query_script',
      'run_script',
      'get_run',
    ])
    const found = textOf(await client.callTool({ name: 'search_tools', arguments: { query: 'says back', limit: 2 } }))
    expect(found).toContain('tools.demo.echo')
    const described = textOf(
      await client.callTool({ name: 'describe_tools', arguments: { names: ['tools.demo.echo', 'nothing'] } }),
    )
    expect(described).toContain('message: string')
    expect(described).toContain('There is no tool "nothing"')
    const called = await client.callTool({
      name: 'call_tool',
      arguments: { name: 'demo.echo', input: { message: 'x' } },
    })
    expect(called.structuredContent).toEqual({ message: 'x' })
    await expect(client.callTool({ name: 'demo--echo', arguments: { message: 'x' } })).rejects.toThrow('search_tools')
    await expect(client.callTool({ name: 'call_tool', arguments: { name: 'demo.ehco' } })).rejects.toThrow(
      'There is no tool "demo.ehco". Did you mean "demo--echo"? Look for it with search_tools.',
    )
  })

  test('chooses by the path what it sees, whoever it is', async () => {
    const { connect } = await serve({ functions: [...many, echo], serve: { expose: 'meta' } })
    const [direct, meta, usual] = await Promise.all(
      ['/mcp/direct', '/mcp/meta', '/mcp'].map(async (path) => (await connect(era, { path })).listTools()),
    )
    expect([direct?.tools.length, meta?.tools.length, usual?.tools.length]).toEqual([61, 6, 6])
  })

  test('has a description with hidden characters made visible', async () => {
    const odd = defineTool({ name: 'odd', description: 'Nice\u202e tool', effects: harmless, run: () => 'a\u202eb' })
    const { connect } = await serve({ functions: [odd] })
    const client = await connect(era)
    const { tools } = await client.listTools()
    expect(tools[0]?.description).not.toContain('\u202e')
    expect(textOf(await client.callTool({ name: 'odd', arguments: {} }))).not.toContain('\u202e')
  })

  test('sends a hundred calls at once and gets each its own answer', async () => {
    const { connect } = await serve({ functions: [echo] })
    const client = await connect(era)
    const answers = await Promise.all(
      Array.from({ length: 100 }, async (_, at) =>
        client.callTool({ name: 'demo--echo', arguments: { message: String(at) } }),
      ),
    )
    expect(answers.map(({ structuredContent }) => (structuredContent as { message: string }).message)).toEqual(
      Array.from({ length: 100 }, (_, at) => String(at)),
    )
  })
})

test('annotations say the worst that is not ruled out', async () => {
  const unknown = defineTool({ name: 'unknown', description: 'Who knows', run: () => 1 })
  const { connect } = await serve({ functions: [unknown] })
  const { tools } = await (await connect('modern')).listTools()
  expect(tools[0]?.annotations).toEqual({
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  })
})
