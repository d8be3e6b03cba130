import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as door from '../../src/doors/toolcall.ts'
import { defineTool } from '../../src/index.ts'
import { openLegwork } from '../support/legwork.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { answers, recorded, reply } from '../toolcall/replies.ts'

const { compileTools, handleToolResult, parseToolCall, providers } = door

test('003/parseToolCall is re-exported, by a door of the package', () => {
  const packaged = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'))
  expect(packaged.exports['./toolcall'].default).toBe('./dist/doors/toolcall.js')
  expect(door.parseToolCall).toBeTypeOf('function')
})

test('003/parseToolCall for three providers: OpenAI (chat and responses), Anthropic and Gemini', () => {
  expect(providers).toEqual(['openai', 'openai-responses', 'anthropic', 'gemini'])
  for (const provider of providers) {
    expect(parseToolCall(provider, recorded(provider))[0]).toMatchObject({
      name: 'weather--forecast',
      arguments: { city: 'Paris', days: 2 },
    })
  }
})

test('003/parseToolCall for three providers: two parallel Gemini calls of one function keep their ids apart', () => {
  const [one, two] = parseToolCall('gemini', recorded('gemini'))
  expect(one?.name).toBe(two?.name)
  expect(one?.id).not.toBe(two?.id)
})

test('003/parseToolCall for three providers: broken JSON is a typed error with the text', () => {
  const [call] = parseToolCall('openai', reply('openai', [{ id: 'a', name: 'git_log', arguments: '{"max' }]))
  expect(call?.error).toMatchObject({ code: 'not-json', text: '{"max' })
})

test('003/parseToolCall for three providers: compiling tools is its counterpart, with the safety suffix within the length', () => {
  const effects = { destructive: true, network: true }
  const spellings = { provider: 'git_push' }
  const tool = { description: 'x'.repeat(20_000), input: { type: 'json', schema: true } as const, effects, spellings }
  for (const provider of providers) {
    expect(JSON.stringify(compileTools(provider, [tool]))).toContain('… [destructive, network]"')
  }
})

test('003/parseToolCall for three providers: every name is at most 64 letters, digits, _ and -', async () => {
  const name = `module:${'long'.repeat(40)}`
  const legwork = await openLegwork({ functions: [defineTool({ name, description: '', run: () => 1 })] })
  for (const provider of providers) {
    const names = [...JSON.stringify(await legwork.tools(provider)).matchAll(/"name":"([^"]*)"/g)].map(
      (match) => match[1],
    )
    expect(names).toEqual([expect.stringMatching(/^[A-Za-z0-9_-]{1,64}$/)])
    const { results } = await legwork.handle(provider, reply(provider, [{ id: 'a', name: names[0], arguments: '{}' }]))
    expect(results[0]?.outcome).toMatchObject({ ok: true, tool: name })
  }
})

test('003/parseToolCall for three providers: results go back in the form of the provider', () => {
  const call = { id: 'a', name: 'git_log' }
  const outcome = { ok: false, text: 'fatal: no repository\n[Exit code: 128]' }
  expect(handleToolResult('openai', call, outcome)).toMatchObject({ role: 'tool', tool_call_id: 'a' })
  expect(handleToolResult('openai-responses', call, outcome)).toMatchObject({
    type: 'function_call_output',
    call_id: 'a',
  })
  expect(handleToolResult('anthropic', call, outcome).content[0]).toMatchObject({ tool_use_id: 'a', is_error: true })
  expect(handleToolResult('gemini', call, outcome).parts[0]?.functionResponse).toMatchObject({
    id: 'a',
    response: { error: outcome.text },
  })
})

test('003/Complete solution for execution: a reply goes in, provider-ready results come out, nothing destructive unasked', async () => {
  let ran = 0
  const remove = defineTool({
    name: 'files:remove',
    description: 'Removes a file',
    effects: { destructive: true },
    run: () => ++ran,
  })
  const legwork = await openLegwork({
    workspace: temporaryFolder(),
    functions: [remove],
    programs: { echo: { metadata: programMetadata() } },
  })
  for (const provider of providers) {
    const { done, messages } = await legwork.handle(
      provider,
      reply(provider, [
        { id: 'one', name: 'echo', arguments: '{"text":"hello"}' },
        { id: 'two', name: 'files--remove', arguments: '{}' },
        { id: 'three', name: 'ecko', arguments: '{}' },
      ]),
    )
    expect(done).toBe(false)
    expect(answers(messages)).toEqual([
      { id: 'one', text: 'hello\n[Exit code: 0]' },
      { id: 'two', text: expect.stringContaining('approval') },
      { id: 'three', text: expect.stringContaining('Did you mean "echo"?') },
    ])
  }
  expect(ran).toBe(0)
})

function programMetadata(): string {
  return join(import.meta.dirname, '../toolcall/echo.json')
}
