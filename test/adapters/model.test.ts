// Which model a spelling stands for, and what is refused before anything is sent.

import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { modelName, openModel } from '../../src/adapters/model.ts'
import { openLegwork } from '../support/legwork.ts'
import { openAiServer } from './models.ts'

const local = 'openai-compatible:http://127.0.0.1:11434/v1#llama'

test.each([
  [local, 'llama'],
  ['openai-compatible:https://models.example/v1#org/model:8b#q4', 'org/model:8b#q4'],
])('%s is the model %s of a server that speaks the OpenAI protocol', async (spelling, name) => {
  const model = await openModel(spelling)
  expect(model.modelId).toBe(name)
  expect(modelName(model)).toBe(`openai-compatible:${name}`)
})

test('provider:name is the model of a provider whose package is installed', async () => {
  expect(await openModel('gateway:openai/some-model')).toMatchObject({
    modelId: 'openai/some-model',
    provider: 'gateway',
  })
})

describe('a document may choose another model, and no other place', () => {
  test.each([
    ['mistral:7b', 'mistral:7b'],
    ['openai:gpt', 'openai:gpt'],
    [local, 'llama'],
    ['openai-compatible:other', 'other'],
  ])('%s is the model %s at the same address', async (name, modelId) => {
    expect(await openModel(local, { name })).toMatchObject({ modelId })
  })

  test.each(['openai-compatible:http://evil.example/v1#x', 'http://evil.example'])('%s is refused', async (name) => {
    await expect(openModel(local, { name })).rejects.toThrow('names a model alone')
  })

  test('so that conversation and key go nowhere else', async () => {
    const server = await openAiServer({ text: 'hi' })
    const legwork = await openLegwork({ model: server.model })
    const agent = await legwork.agent('<agent name="a" model="anthropic:claude"><p>x</p></agent>')
    expect(await agent.send('hello')).toMatchObject({ ok: true, value: 'hi' })
    expect(server.requests[0]?.body.model).toBe('anthropic:claude')
  })
})

test.each([
  ['llama', 'is not "provider:name"'],
  ['', 'is not "provider:name"'],
  ['opanai:gpt', 'Did you mean "openai"'],
  ['constructor:x', 'is not "provider:name"'],
  ['openai:', 'is not "provider:name"'],
  ['../../evil:x', 'is not "provider:name"'],
  ['anthropic:claude', 'Run "npm install ai @ai-sdk/anthropic"'],
  ['openai-compatible:ftp://127.0.0.1/v1#x', 'no http or https address'],
  ['openai-compatible:file:///etc/passwd#x', 'no http or https address'],
  ['openai-compatible:127.0.0.1#x', 'no http or https address'],
  ['openai-compatible:http://127.0.0.1/v1', 'has no name'],
  ['openai-compatible:http://127.0.0.1/v1#', 'has no name'],
  ['openai-compatible:https://user:key@models.example/v1#x', 'holds a key'],
])('%s is refused, with what to do', async (spelling, message) => {
  const error = await openModel(spelling).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'unknown-provider', message: expect.stringContaining(message) })
  expect(String(error)).not.toContain('user:key')
})

describe('the key of LEGWORK_MODEL_KEY', () => {
  const environment = { LEGWORK_MODEL_KEY: 'key-1234567890' }

  test('does not travel unencrypted to another machine', async () => {
    const spelling = 'openai-compatible:http://models.example/v1#x'
    await expect(openModel(spelling, { environment })).rejects.toThrow('unencrypted')
    expect(await openModel(spelling, { environment: {} })).toMatchObject({ modelId: 'x' })
  })

  test.each(['http://127.0.0.1:1/v1', 'http://localhost:1/v1', 'http://[::1]:1/v1', 'https://models.example/v1'])(
    'may go to %s',
    async (address) => {
      expect(await openModel(`openai-compatible:${address}#x`, { environment })).toMatchObject({ modelId: 'x' })
    },
  )
})

test('the key is a secret: it shows nowhere, whoever says it', async () => {
  vi.stubEnv('LEGWORK_MODEL_KEY', 'key-1234567890-abc')
  onTestFinished(() => void vi.unstubAllEnvs())
  const server = await openAiServer({ text: 'Your key is key-1234567890-abc.' })
  const legwork = await openLegwork({ model: server.model })
  const agent = await legwork.agent('<agent name="a"><p>x</p></agent>')
  expect(await agent.send('Which key?')).toMatchObject({ ok: true, value: 'Your key is [REDACTED].' })
  expect(server.requests[0]?.headers.authorization).toBe('Bearer key-1234567890-abc')
  expect(JSON.stringify(legwork.journal.read())).not.toContain('1234567890')
})

test('a model of the configuration is no reason to warn', async () => {
  const legwork = await openLegwork({ model: local })
  expect(legwork.warnings).toEqual([])
})
