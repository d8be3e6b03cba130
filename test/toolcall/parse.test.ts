import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Provider, parseToolCall, providers, ToolCallError } from '../../src/doors/toolcall.ts'
import { recorded, reply } from './replies.ts'

describe.each(providers)('a reply of %s', (provider) => {
  test('gives its calls in order, with parallel calls of one function apart', () => {
    const calls = parseToolCall(provider, recorded(provider))
    expect(calls.map(({ name }) => name)).toEqual(['weather--forecast', 'weather--forecast', 'notes--deleteAll'])
    expect(calls.map((call) => call.arguments)).toEqual([{ city: 'Paris', days: 2 }, { city: 'Oslo', days: null }, {}])
    expect(new Set(calls.map(({ id }) => id)).size).toBe(3)
  })

  test('without calls gives none', () => {
    expect(parseToolCall(provider, reply(provider, []))).toEqual([])
  })

  test('counts an empty text, null and nothing as no arguments', () => {
    for (const none of ['', '  ', null, undefined, 'null', '{}']) {
      const [call] = parseToolCall(provider, reply(provider, [{ id: 'a', name: 't', arguments: none }]))
      expect(call).toEqual({ id: 'a', name: 't', arguments: {} })
    }
  })

  test.each([
    ['{"path": "/tmp/x"', 'not-json'],
    ['hunter2-is-my-password', 'not-json'],
    ['{"a":1}{"b":2}', 'not-json'],
    ['\u0000', 'not-json'],
    ['[1, 2]', 'not-an-object'],
    ['"text"', 'not-an-object'],
    ['12', 'not-an-object'],
    ['true', 'not-an-object'],
  ])('has an error with the text for the arguments %j', (text, code) => {
    const [call] = parseToolCall(provider, reply(provider, [{ id: 'a', name: 't', arguments: text }]))
    expect(call).toMatchObject({ id: 'a', name: 't', error: { code, text } })
    expect(call && 'arguments' in call).toBe(false)
    expect(call?.error?.message).not.toMatch(/hunter2|tmp/)
  })

  test('takes arguments that are an object already, and refuses a list', () => {
    const calls = [
      { id: 'a', name: 't', arguments: { x: 1 } },
      { id: 'b', name: 't', arguments: [1] },
    ]
    expect(parseToolCall(provider, reply(provider, calls))).toEqual([
      { id: 'a', name: 't', arguments: { x: 1 } },
      { id: 'b', name: 't', error: expect.objectContaining({ code: 'not-an-object', text: '[1]' }) },
    ])
  })

  test('refuses arguments that are too long, without parsing them', () => {
    const text = JSON.stringify({ x: 'y'.repeat(1_000) })
    const [call] = parseToolCall(provider, reply(provider, [{ id: 'a', name: 't', arguments: text }]), {
      maxArgumentsLength: 100,
    })
    expect(call?.error?.code).toBe('too-large')
  })

  test('survives arguments nested 10,000 deep', () => {
    const text = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`
    const [call] = parseToolCall(provider, reply(provider, [{ id: 'a', name: 't', arguments: text }]))
    expect(call?.arguments).toHaveProperty('a.a.a')
  })

  test('makes up ids where there are none, apart from those there are', () => {
    const ids = [undefined, '', {}, null, 'call_0', 7, ['x']]
    const calls = parseToolCall(
      provider,
      reply(
        provider,
        ids.map((id) => ({ id, name: 't' })),
      ),
    )
    expect(calls.map(({ id }) => typeof id)).toEqual(ids.map(() => 'string'))
    expect(new Set(calls.map(({ id }) => id)).size).toBe(ids.length)
    expect(calls.map(({ madeUpId }) => madeUpId ?? false)).toEqual([true, true, true, true, false, false, true])
    expect(calls[5]?.id).toBe('7')
  })

  test('has an empty name where the name is no text', () => {
    const names = [undefined, null, 7, {}, ['x']]
    const calls = names.map((name) => parseToolCall(provider, reply(provider, [{ id: 'a', name, arguments: '{}' }]))[0])
    expect(calls.map((call) => call?.name)).toEqual(['', '', '', '', ''])
  })

  test.each([null, undefined, 7, 'text', true, {}, { error: { message: 'overloaded' } }])('is not %j', (other) => {
    expect(() => parseToolCall(provider, other)).toThrow(ToolCallError)
    expect(() => parseToolCall(provider, other)).toThrow(`no reply of "${provider}"`)
  })

  test('may be anything at all without a crash', () => {
    fc.assert(
      fc.property(fc.anything(), (anything) => {
        try {
          expect(Array.isArray(parseToolCall(provider, anything))).toBe(true)
        } catch (error) {
          expect(error).toBeInstanceOf(ToolCallError)
        }
      }),
    )
  })

  test('round-trips any arguments that JSON can hold', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (given) => {
        const text = JSON.stringify(given)
        const [call] = parseToolCall(provider, reply(provider, [{ id: 'a', name: 't', arguments: text }]))
        expect(call?.arguments).toEqual(JSON.parse(text))
      }),
    )
  })
})

test.each<[Provider, string, unknown]>([
  [
    'openai',
    'the message',
    { role: 'assistant', tool_calls: [{ id: 'a', type: 'function', function: { name: 't', arguments: '' } }] },
  ],
  ['openai', 'the list', [{ id: 'a', type: 'function', function: { name: 't', arguments: '{}' } }]],
  ['openai', 'one call', { id: 'a', type: 'function', function: { name: 't', arguments: '{}' } }],
  [
    'openai-responses',
    'the list',
    [{ type: 'reasoning' }, { type: 'function_call', call_id: 'a', name: 't', arguments: '' }],
  ],
  ['openai-responses', 'one item', { type: 'function_call', call_id: 'a', id: 'fc', name: 't', arguments: '' }],
  ['anthropic', 'the list', [{ type: 'thinking' }, { type: 'tool_use', id: 'a', name: 't', input: {} }]],
  ['anthropic', 'one block', { type: 'tool_use', id: 'a', name: 't', input: {} }],
  ['gemini', 'the candidate', { content: { parts: [{ functionCall: { id: 'a', name: 't' } }] } }],
  [
    'gemini',
    'the content',
    { role: 'model', parts: [{ text: 'hm' }, { functionCall: { id: 'a', name: 't', args: {} } }] },
  ],
  ['gemini', 'the list', [{ functionCall: { id: 'a', name: 't', args: {} } }]],
  ['gemini', 'functionCalls', [{ id: 'a', name: 't', args: {} }]],
  ['gemini', 'one part', { functionCall: { id: 'a', name: 't', args: {} } }],
])('of %s, %s will do', (provider, _form, part) => {
  expect(parseToolCall(provider, part)).toEqual([{ id: 'a', name: 't', arguments: {} }])
})

test.each<[Provider, unknown]>([
  ['openai', { choices: [] }],
  ['openai', { choices: [{}] }],
  ['openai', { role: 'assistant', content: 'hello', tool_calls: null }],
  ['openai', [{ id: 'a', type: 'custom', custom: { name: 'grep', input: 'x' } }, null, 7]],
  [
    'openai-responses',
    { output: [{ type: 'web_search_call', id: 'ws' }, { type: 'custom_tool_call', call_id: 'a' }, null] },
  ],
  ['anthropic', { role: 'assistant', content: 'hello' }],
  ['anthropic', { content: [{ type: 'server_tool_use', id: 'a', name: 'web_search', input: {} }, null, 7] }],
  ['gemini', { promptFeedback: { blockReason: 'SAFETY' } }],
  ['gemini', { candidates: [{ finishReason: 'MAX_TOKENS' }] }],
  ['gemini', { candidates: [{ content: { role: 'model' } }] }],
  ['gemini', { candidates: [{ content: { parts: [{ text: 'hi' }, { executableCode: {} }, null] } }] }],
])('of %s, %j has no calls for us', (provider, talk) => {
  expect(parseToolCall(provider, talk)).toEqual([])
})

test.each<[string, unknown, string]>([
  [
    'a chunk of a stream',
    { object: 'chat.completion.chunk', choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id: 'a' }] } }] },
    'Gather the stream',
  ],
  ['the last chunk of a stream', { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }, 'Gather the stream'],
  ['an old function call', { choices: [{ message: { function_call: { name: 't', arguments: '{}' } } }] }, '"tools"'],
  ['the message of one', { role: 'assistant', content: null, function_call: { name: 't' } }, '"tools"'],
])('%s is refused with words, and no call is lost', (_, given, words) => {
  expect(() => parseToolCall('openai', given)).toThrow(ToolCallError)
  expect(() => parseToolCall('openai', given)).toThrow(words)
})

test('a reply of which the old form is empty is a reply', () => {
  expect(parseToolCall('openai', { choices: [{ message: { content: 'hi', function_call: null } }] })).toEqual([])
})

test('a provider that nobody knows is misuse', () => {
  for (const name of ['mistral', '__proto__', 'constructor', 'toString', undefined]) {
    expect(() => parseToolCall(name as Provider, [])).toThrow('There is no provider')
  }
})
