// What the servers behind Legwork have besides tools, and what they ask: passed on to the client that made the call, and to no other.

import { join } from 'node:path'
import type { Client } from '@modelcontextprotocol/client'
import { describe, expect, test } from 'vitest'
import type { LegworkOptions } from '../../src/index.ts'
import { eras, serve, textOf } from '../support/mcp.ts'

const fixtures = join(import.meta.dirname, '../fixtures/mcp')
const serverOf = (file: string, legwork: object = {}) => ({
  command: process.execPath,
  args: [join(fixtures, file)],
  legwork: { trust: 'org' as const, pin: 'off' as const, ...legwork },
})
const allowed: LegworkOptions = { policy: { allow: ['*'] } }
const word = (said: string) => (each: Client) =>
  each.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { word: said } }))
const capabilities = { elicitation: { form: {} }, sampling: {} }

describe.each(eras)('for a client of the %s revisions', (era) => {
  test('resources, templates, prompts and completions are passed on', async () => {
    const { connect, legwork } = await serve({
      ...allowed,
      mcpServers: { notes: serverOf('asking-server.ts'), more: serverOf('conformance-server.ts') },
      redact: { values: ['token-1234567890'] },
    })
    const client = await connect(era)
    const { resources } = await client.listResources()
    expect(resources.map(({ uri }) => uri)).toEqual([
      'note://Today',
      'test://static-text',
      'test://static-binary',
      'test://watched-resource',
    ])
    const today = await client.readResource({ uri: 'note://Today' })
    expect(JSON.stringify(today)).not.toContain('token-1234567890')
    expect(legwork.journal.read({ phase: 'end' })[0]).toMatchObject({ tool: 'notes:readResource', caller: 'mcp:test' })
    const byName = await client.readResource({ uri: 'note://by-name/me' })
    expect(byName.contents[0]).toMatchObject({ text: 'note me' })
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain('note://by-name/{name}')
    const { prompts } = await client.listPrompts()
    expect(prompts.map(({ name }) => name)).toContain('notes__greet')
    const prompt = await client.getPrompt({ name: 'notes__greet', arguments: { name: 'Ada' } })
    expect(JSON.stringify(prompt.messages)).toContain('Greet Ada')
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name: 'more__test_prompt_with_arguments' },
      argument: { name: 'arg1', value: 'par' },
    })
    expect(completion.values).toContain('paris')
    await expect(client.readResource({ uri: 'other://nothing' })).rejects.toThrow()
    await expect(client.getPrompt({ name: 'greet' })).rejects.toThrow()
  })

  test('a rule of the policy holds for resources too', async () => {
    const { connect, legwork } = await serve({
      mcpServers: { notes: serverOf('asking-server.ts') },
      policy: { deny: ['notes:*'] },
    })
    const client = await connect(era)
    await expect(client.readResource({ uri: 'note://Today' })).rejects.toThrow('Denied')
    expect(legwork.journal.read({ phase: 'end' })[0]?.code).toBe('denied')
  })

  test('a resource that changes is told to those who asked for it', async () => {
    const { connect } = await serve({ ...allowed, mcpServers: { notes: serverOf('asking-server.ts') } })
    const [first, second] = await Promise.all([connect(era), connect(era)])
    const updated = Promise.withResolvers<string>()
    let wrong = 0
    first.setNotificationHandler('notifications/resources/updated', ({ params }) => updated.resolve(params.uri))
    second.setNotificationHandler('notifications/resources/updated', () => void wrong++)
    if (era === 'modern') await first.listen({ resourceSubscriptions: ['note://Today'] })
    else await first.subscribeResource({ uri: 'note://Today' })
    await first.callTool({ name: 'notes__touch', arguments: {} })
    expect(await updated.promise).toBe('note://Today')
    expect(wrong).toBe(0)
  })

  test('what an older server asks reaches the client that made the call', async () => {
    const { connect } = await serve({ ...allowed, mcpServers: { notes: serverOf('asking-server.ts') } })
    const client = await connect(era, {
      capabilities,
      prepare: (each) => {
        word('blue')(each)
        each.setRequestHandler('sampling/createMessage', () => {
          return { model: 'm', role: 'assistant', content: { type: 'text', text: 'well met' } }
        })
      },
    })
    const asked = await client.callTool({ name: 'notes__ask', arguments: { message: 'Which?' } })
    expect(textOf(asked)).toBe('accept {"word":"blue"}')
    expect(textOf(await client.callTool({ name: 'notes__sample', arguments: {} }))).toContain('well met')
  })

  test('a client that cannot be asked is not asked', async () => {
    const { connect } = await serve({ ...allowed, mcpServers: { notes: serverOf('asking-server.ts') } })
    const client = await connect(era)
    const asked = await client.callTool({ name: 'notes__ask', arguments: { message: 'Which?' } })
    expect(asked.isError).toBe(true)
    expect(textOf(asked)).toContain('cannot be asked')
  })

  test('while two clients use one connection, a question that could be for either is refused', async () => {
    const { connect } = await serve({ ...allowed, mcpServers: { notes: serverOf('asking-server.ts') } })
    const [first, second] = await Promise.all(
      ['one', 'two'].map((name) => connect(era, { name, capabilities, prepare: word(name) })),
    )
    const waiting = second?.callTool({ name: 'notes__wait', arguments: { ms: 600 } })
    const asked = await first?.callTool({ name: 'notes__ask', arguments: { message: 'Which?', afterMs: 200 } })
    expect(asked?.isError).toBe(true)
    expect(textOf(asked)).toContain('Which client')
    await waiting
  })

  test('with a connection for each client, no answer and no memory crosses', async () => {
    const { connect } = await serve({
      ...allowed,
      mcpServers: { notes: serverOf('asking-server.ts', { connection: 'per-client' }) },
    })
    const clients = await Promise.all(
      ['one', 'two'].map(async (name) => {
        return { name, client: await connect(era, { name, capabilities, prepare: word(name) }) }
      }),
    )
    await Promise.all(
      clients.map(async ({ name, client }) => {
        await client.callTool({ name: 'notes__remember', arguments: { word: name } })
        const asked = await client.callTool({ name: 'notes__ask', arguments: { message: 'Who?', afterMs: 20 } })
        expect(textOf(asked)).toBe(`accept {"word":"${name}"}`)
        expect(textOf(await client.callTool({ name: 'notes__recall', arguments: {} }))).toBe(name)
      }),
    )
  })

  test('nothing that a server hides reaches a client, wherever it hides it', async () => {
    const { connect } = await serve({ ...allowed, mcpServers: { up: serverOf('hiding-server.ts') } })
    const client = await connect(era)
    const all = [
      await client.listTools(),
      await client.listResources(),
      await client.listPrompts(),
      await client.callTool({ name: 'up__list', arguments: {} }),
      await client.readResource({ uri: 'x://a' }),
      await client.getPrompt({ name: 'up__p' }),
    ]
    for (const told of all) expect(JSON.stringify(told)).toContain('hidden<U+202E> text')
    expect(JSON.stringify(all)).not.toMatch(/[\u{e0000}-\u{e007f}\u202e]/u)
    expect(all.at(-1)).toHaveProperty('description', 'true')
  })

  test('a structured result that is a list is not lost beside an image', async () => {
    const { connect } = await serve({ ...allowed, mcpServers: { up: serverOf('hiding-server.ts') } })
    const client = await connect(era)
    const { structuredContent, content } = await client.callTool({ name: 'up__list', arguments: {} })
    if (era === 'modern') expect(structuredContent).toEqual([1, 2])
    else expect(JSON.stringify([structuredContent, content])).toContain('[1,2]')
  })

  test('a large picture is passed on as one, with what there is to say about the input', async () => {
    const { connect } = await serve({ ...allowed, mcpServers: { up: serverOf('picture-server.ts') } })
    const client = await connect(era)
    const { content } = await client.callTool({ name: 'up__draw', arguments: { dryy: true } })
    expect(content).toMatchObject([
      { type: 'text', text: 'a picture' },
      { type: 'image', data: expect.stringMatching(/^.{200000}$/) },
      { type: 'text', text: 'Note: There is no parameter "dryy". Did you mean "dry"?' },
    ])
  })

  test('what a server logs reaches the client while it is the only one', async () => {
    const { connect } = await serve({ ...allowed, mcpServers: { notes: serverOf('asking-server.ts') } })
    const logs: unknown[] = []
    const client = await connect(era, {
      prepare: (each) =>
        each.setNotificationHandler('notifications/message', ({ params }) => void logs.push(params.data)),
    })
    const _meta = { 'io.modelcontextprotocol/logLevel': 'info' as const }
    await client.callTool({ name: 'notes__say', arguments: {}, ...(era === 'modern' && { _meta }) })
    expect(logs).toEqual(['careful'])
  })
})

test('a call that waits for an answer does not run out of time', async () => {
  const { connect } = await serve({
    ...allowed,
    limits: { timeoutMs: 1_000 },
    mcpServers: { notes: serverOf('asking-server.ts') },
  })
  const client = await connect('legacy', {
    capabilities,
    prepare: (each) =>
      each.setRequestHandler('elicitation/create', async () => {
        await new Promise((resolve) => setTimeout(resolve, 1_400))
        return { action: 'decline' }
      }),
  })
  await client.listTools()
  expect(textOf(await client.callTool({ name: 'notes__ask', arguments: { message: 'Slowly' } }))).toContain('decline')
})

test('a tool that has just gone is told as such, and the client that the list is another', async () => {
  const { connect } = await serve({ ...allowed, mcpServers: { notes: serverOf('asking-server.ts') } })
  const client = await connect('legacy')
  const names = async () => (await client.listTools()).tools.map(({ name }) => name)
  expect(await names()).toContain('notes__brief')
  const changed = Promise.withResolvers<void>()
  client.setNotificationHandler('notifications/tools/list_changed', () => changed.resolve())
  await client.callTool({ name: 'notes__vanish', arguments: {} })
  await changed.promise
  await expect(client.callTool({ name: 'notes__brief', arguments: {} })).rejects.toMatchObject({ code: -32_602 })
  expect(await names()).not.toContain('notes__brief')
})
