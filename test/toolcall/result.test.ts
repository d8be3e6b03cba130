import { expect, test } from 'vitest'
import { handleToolResult, handleToolResults, providers } from '../../src/doors/toolcall.ts'

const call = { id: 'a', name: 'demo' }
const good = { ok: true, text: 'fine' }
const bad = { ok: false, text: 'it broke' }

test('each provider has its own form', () => {
  expect(handleToolResult('openai', call, good)).toEqual({ role: 'tool', tool_call_id: 'a', content: 'fine' })
  expect(handleToolResult('openai-responses', call, bad)).toEqual({
    type: 'function_call_output',
    call_id: 'a',
    output: 'it broke',
  })
  expect(handleToolResult('anthropic', call, bad)).toEqual({
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: 'a', content: 'it broke', is_error: true }],
  })
  expect(handleToolResult('gemini', call, good)).toEqual({
    role: 'user',
    parts: [{ functionResponse: { id: 'a', name: 'demo', response: { output: 'fine' } } }],
  })
  expect(handleToolResult('gemini', { ...call, madeUpId: true }, bad)).toEqual({
    role: 'user',
    parts: [{ functionResponse: { name: 'demo', response: { error: 'it broke' } } }],
  })
})

test('several results are one message for Anthropic and Gemini, and one each for OpenAI', () => {
  const results = [
    { call, outcome: good },
    { call: { id: 'b', name: 'demo' }, outcome: bad },
  ]
  expect(providers.map((provider) => handleToolResults(provider, results).length)).toEqual([2, 2, 1, 1])
  expect(providers.map((provider) => handleToolResults(provider, []).length)).toEqual([0, 0, 0, 0])
})

test('an error always has a text', () => {
  for (const provider of providers) {
    expect(JSON.stringify(handleToolResult(provider, call, { ok: false, text: '' }))).toContain('said nothing')
  }
})
