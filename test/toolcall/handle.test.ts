import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type Provider, providers } from '../../src/doors/toolcall.ts'
import { defineTool } from '../../src/index.ts'
import { openLegwork } from '../support/legwork.ts'
import { answers, recorded, reply, type Wanted } from './replies.ts'

const harmless = { destructive: false, network: false, filesystem: { write: false } }

const echo = defineTool({
  name: 'demo:echo',
  description: 'Says it back',
  input: z.object({ message: z.string(), times: z.number().optional(), mark: z.string().nullable().optional() }),
  effects: harmless,
  run: (input) => input,
})
const anything = defineTool({
  name: 'anything',
  description: 'Takes anything',
  effects: harmless,
  input: {},
  run: () => 'ran',
})
const destroy = defineTool({
  name: 'demo:destroy',
  description: 'Destroys',
  effects: { destructive: true },
  run: () => 'gone',
})
const fail = defineTool({
  name: 'demo:fail',
  description: 'Fails',
  effects: harmless,
  run: () => {
    throw new Error('it broke with the key AKIAIOSFODNN7EXAMPLE')
  },
})
const functions = [echo, anything, destroy, fail]

const calls = (provider: Provider, wanted: readonly Wanted[]) => reply(provider, wanted)
const one = (provider: Provider, name: string, given: unknown) => calls(provider, [{ id: 'a', name, arguments: given }])

describe.each(providers)('legwork.handle with a reply of %s', (provider) => {
  test('runs its calls and gives the messages to send back, one answer for each call', async () => {
    const legwork = await openLegwork({ functions })
    const wanted = ['demo--echo', 'demo--ehco', 'demo--destroy', 'demo--fail', '__proto__'].map((name, at) => {
      return { id: `id${at}`, name, arguments: '{"message":"hi"}' }
    })
    const { done, messages, results, notMade } = await legwork.handle(provider, calls(provider, wanted))
    expect(done).toBe(false)
    expect(notMade).toEqual([])
    expect(results.map(({ outcome }) => (outcome.ok ? 'ok' : outcome.code))).toEqual([
      'ok',
      'unknown-tool',
      'approval-needed',
      'tool-failed',
      'unknown-tool',
    ])
    expect(answers(messages)).toEqual(results.map(({ call, outcome }) => ({ id: call.id, text: outcome.text })))
    expect(results[1]?.outcome.text).toContain('Did you mean "demo--echo"?')
    expect(JSON.stringify(messages)).not.toContain('AKIAIOSFODNN7EXAMPLE')
  })

  test('says that it is done when there are no calls', async () => {
    const legwork = await openLegwork({ functions })
    expect(await legwork.handle(provider, calls(provider, []))).toEqual({
      done: true,
      messages: [],
      results: [],
      notMade: [],
    })
  })

  test('leaves out the nulls that strict mode makes the model write', async () => {
    const legwork = await openLegwork({ functions })
    const given = '{"message":"hi","times":null,"mark":null}'
    const { results } = await legwork.handle(provider, one(provider, 'demo--echo', given))
    expect(results[0]?.outcome).toMatchObject({ ok: true, value: { message: 'hi', mark: null } })
  })

  test.each([
    ['{"message": ', 'not JSON'],
    ['[1]', 'a list'],
    [`${'{"message":'.repeat(10_000)}1${'}'.repeat(10_000)}`, 'nested too deeply'],
    ['{"message":"hi","__proto__":{"admin":true}}', '__proto__'],
    ['{"message":"hi","constructor":{"prototype":{"admin":true}}}', 'constructor'],
  ])('answers arguments such as %.30j with an error, even for a tool that takes anything', async (given, why) => {
    const legwork = await openLegwork({ functions })
    for (const name of ['demo--echo', 'anything']) {
      const { results, messages } = await legwork.handle(provider, one(provider, name, given))
      expect(results[0]?.outcome).toMatchObject({ ok: false, code: 'invalid-input' })
      expect(String(answers(messages)[0]?.text)).toContain(why)
      expect(Object.getPrototypeOf({}).admin).toBeUndefined()
    }
    expect(legwork.journal.read({ limit: 10 })).toHaveLength(4)
  })

  test('refuses enormous arguments by the limit of the configuration', async () => {
    const legwork = await openLegwork({ functions, limits: { maxInputBytes: 1_000 } })
    const text = JSON.stringify({ message: 'x'.repeat(2_000) })
    const { results } = await legwork.handle(provider, one(provider, 'demo--echo', text))
    expect(results[0]?.outcome).toMatchObject({ ok: false, code: 'invalid-input' })
  })

  test('runs the first of two calls with one id, and refuses the second', async () => {
    const legwork = await openLegwork({ functions })
    const twice = [1, 2].map((times) => ({
      id: 'same',
      name: 'demo--echo',
      arguments: JSON.stringify({ message: 'hi', times }),
    }))
    const { results, messages } = await legwork.handle(provider, calls(provider, twice))
    expect(results.map(({ outcome }) => outcome.ok)).toEqual([true, false])
    expect(answers(messages)).toHaveLength(2)
    expect(results[1]?.outcome.text).toContain('same id')
  })

  test('makes 128 of 10,000 calls and answers the rest with an error', async () => {
    const legwork = await openLegwork({ functions })
    const many = Array.from({ length: 10_000 }, (_, at) => ({ id: `c${at}`, name: 'demo--ehco', arguments: '{}' }))
    const { results, notMade, messages } = await legwork.handle(provider, calls(provider, many))
    expect(results).toHaveLength(128)
    expect(notMade).toHaveLength(9_872)
    const texts = answers(messages)
    expect(texts).toHaveLength(10_000)
    expect(texts.at(-1)).toEqual({ id: 'c9999', text: expect.stringContaining('asks for 10000 calls; the first 128') })
  })

  test('does not write down a name of a million letters', async () => {
    const legwork = await openLegwork({ functions })
    const { results } = await legwork.handle(provider, one(provider, `demo--echo${'o'.repeat(1_000_000)}`, '{}'))
    expect(results[0]?.outcome).toMatchObject({ ok: false, code: 'unknown-tool' })
    expect(JSON.stringify(legwork.journal.read({ limit: 2 })).length).toBeLessThan(3_000)
  })

  test('refuses a tool that was not offered, and lists only those that are', async () => {
    const legwork = await openLegwork({ functions })
    const only = ({ id }: { id: string }) => id === 'demo:echo'
    expect(JSON.stringify(await legwork.tools(provider, { only }))).not.toContain('destroy')
    const { results } = await legwork.handle(provider, one(provider, 'anything', '{}'), { only })
    expect(results[0]?.outcome).toMatchObject({ ok: false, code: 'invalid-input' })
    expect(results[0]?.outcome.text).toContain('was not offered')
  })

  test('names the provider as the caller, in the journal too', async () => {
    const legwork = await openLegwork({ functions })
    await legwork.handle(provider, one(provider, 'demo--echo', '{"message":"hi"}'))
    expect(legwork.journal.read({ limit: 1 })[0]).toMatchObject({ caller: `toolcall:${provider}`, tool: 'demo:echo' })
  })

  test('every name it offers leads back to the tool', async () => {
    const legwork = await openLegwork({ functions })
    const text = JSON.stringify(await legwork.tools(provider, { strict: true }))
    const names = [...text.matchAll(/"name":"([^"]+)"/g)].map((match) => match[1] ?? '')
    expect(names).toHaveLength(functions.length)
    const { results } = await legwork.handle(
      provider,
      calls(
        provider,
        names.map((name, at) => ({ id: `${at}`, name, arguments: '{"message":"hi"}' })),
      ),
    )
    expect(results.map(({ outcome }) => outcome.tool)).toEqual(['demo:echo', 'anything', 'demo:destroy', 'demo:fail'])
  })
})

test('calls that change nothing run side by side; two that may write the same do not', async () => {
  const log: string[] = []
  const slow = (name: string, write: boolean) =>
    defineTool({
      name,
      description: '',
      effects: { destructive: false, network: false, filesystem: { write } },
      run: async () => {
        log.push(`${name} begins`)
        await wait(20)
        log.push(`${name} ends`)
      },
    })
  const legwork = await openLegwork({ functions: [slow('read', false), slow('write', true)] })
  const two = (name: string) =>
    calls(
      'anthropic',
      [1, 2].map((id) => ({ id: `${id}`, name, arguments: {} })),
    )
  await legwork.handle('anthropic', two('read'))
  await legwork.handle('anthropic', two('write'))
  expect(log).toEqual([
    ...['read begins', 'read begins', 'read ends', 'read ends'],
    ...['write begins', 'write ends', 'write begins', 'write ends'],
  ])
})

test('a signal cancels the calls, and every call still has its answer', async () => {
  const hang = defineTool({ name: 'hang', description: '', effects: harmless, run: () => new Promise(() => {}) })
  const legwork = await openLegwork({ functions: [hang] })
  const wanted = Array.from({ length: 6 }, (_, at) => ({ id: `${at}`, name: 'hang', arguments: '{}' }))
  const { results, messages } = await legwork.handle('openai', calls('openai', wanted), {
    signal: AbortSignal.timeout(50),
  })
  expect(results.map(({ outcome }) => !outcome.ok && outcome.code)).toEqual(wanted.map(() => 'cancelled'))
  expect(messages).toHaveLength(6)
})

test('a read-only conversation may not write', async () => {
  const legwork = await openLegwork({ functions })
  const { results } = await legwork.handle('openai', one('openai', 'demo--destroy', ''), { readOnly: true })
  expect(results[0]?.outcome).toMatchObject({ ok: false, code: 'denied' })
})

test('Gemini gets the ids that it gave and no others, also for two calls of one function', async () => {
  const legwork = await openLegwork({ functions })
  const wanted = [
    { id: 'one', name: 'demo--echo', arguments: { message: 'first' } },
    { id: 'two', name: 'demo--echo', arguments: { message: 'second' } },
    { name: 'demo--echo', arguments: { message: 'third' } },
    { name: 'demo--echo', arguments: { message: 'fourth' } },
  ]
  const { messages, results } = await legwork.handle('gemini', calls('gemini', wanted))
  const response = (message: string) => ({ name: 'demo--echo', response: { output: JSON.stringify({ message }) } })
  expect(messages).toEqual([
    {
      role: 'user',
      parts: [
        { functionResponse: { id: 'one', ...response('first') } },
        { functionResponse: { id: 'two', ...response('second') } },
        { functionResponse: response('third') },
        { functionResponse: response('fourth') },
      ],
    },
  ])
  expect(new Set(results.map(({ call }) => call.id)).size).toBe(4)
})

test('Anthropic gets one user message with a block for each call, errors marked', async () => {
  const legwork = await openLegwork({ functions })
  const wanted = [
    { id: 'a', name: 'demo--echo', arguments: { message: 'hi' } },
    { id: 'b', name: 'nobody', arguments: {} },
  ]
  const { messages } = await legwork.handle('anthropic', calls('anthropic', wanted))
  expect(messages).toEqual([
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'a', content: '{"message":"hi"}', is_error: false },
        { type: 'tool_result', tool_use_id: 'b', content: expect.stringContaining('no tool "nobody"'), is_error: true },
      ],
    },
  ])
})

test('legwork.tools() without a provider is the list of tools, as ever', async () => {
  const legwork = await openLegwork({ functions })
  expect((await legwork.tools()).map(({ id }) => id)).toEqual(['demo:echo', 'anything', 'demo:destroy', 'demo:fail'])
})

test('something that is no reply is an exception, and so is a closed Legwork', async () => {
  const legwork = await openLegwork({ functions })
  await expect(legwork.handle('anthropic', recorded('openai'))).rejects.toThrow('no reply of "anthropic"')
  await legwork.close()
  await expect(legwork.handle('anthropic', recorded('anthropic'))).rejects.toThrow('closed')
})
