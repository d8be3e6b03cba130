import type Anthropic from '@anthropic-ai/sdk'
import type { Content, GenerateContentConfig, GenerateContentResponse, Tool } from '@google/genai'
import type OpenAI from 'openai'
import { expect, expectTypeOf, test } from 'vitest'
import { compileTools, handleToolResult, handleToolResults, parseToolCall } from '../../src/doors/toolcall.ts'
import type { Legwork } from '../../src/index.ts'

// What tsc checks here is the test: our values go where the vendors' own packages want them, and theirs come to us.

type Requests = {
  openai: OpenAI.Chat.Completions.ChatCompletionCreateParamsNonStreaming
  'openai-responses': OpenAI.Responses.ResponseCreateParamsNonStreaming
  anthropic: Anthropic.MessageCreateParamsNonStreaming
}

test('our tools are what the vendors take', () => {
  expectTypeOf(compileTools('openai', [])).toExtend<NonNullable<Requests['openai']['tools']>>()
  expectTypeOf(compileTools('openai-responses', [])).toExtend<NonNullable<Requests['openai-responses']['tools']>>()
  expectTypeOf(compileTools('anthropic', [])).toExtend<NonNullable<Requests['anthropic']['tools']>>()
  expectTypeOf(compileTools('gemini', [])).toExtend<NonNullable<GenerateContentConfig['tools']>>()
  expectTypeOf(compileTools('gemini', [])).toExtend<Tool[]>()
})

test('our messages are what the vendors take', () => {
  const call = { id: 'a', name: 'b' }
  const outcome = { ok: true, text: 'c' }
  expectTypeOf(
    handleToolResult('openai', call, outcome),
  ).toExtend<OpenAI.Chat.Completions.ChatCompletionToolMessageParam>()
  expectTypeOf(handleToolResults('openai', [])).toExtend<Requests['openai']['messages']>()
  expectTypeOf(
    handleToolResult('openai-responses', call, outcome),
  ).toExtend<OpenAI.Responses.ResponseInputItem.FunctionCallOutput>()
  expectTypeOf(handleToolResults('openai-responses', [])).toExtend<OpenAI.Responses.ResponseInput>()
  expectTypeOf(handleToolResult('anthropic', call, outcome)).toExtend<Anthropic.MessageParam>()
  expectTypeOf(handleToolResults('anthropic', [])).toExtend<Requests['anthropic']['messages']>()
  expectTypeOf(handleToolResult('gemini', call, outcome)).toExtend<Content>()
})

/** A turn with each vendor's own types, written as a program would; only its types are looked at. */
async function turns(
  legwork: Legwork,
  openai: OpenAI,
  anthropic: Anthropic,
  gemini: (tools: Tool[], contents: Content[]) => Promise<GenerateContentResponse>,
) {
  const chat: OpenAI.Chat.Completions.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Hello' }]
  const completion = await openai.chat.completions.create({
    model: 'm',
    messages: chat,
    tools: await legwork.tools('openai'),
  })
  chat.push(
    ...completion.choices.map(({ message }) => message),
    ...(await legwork.handle('openai', completion)).messages,
  )

  const items: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'Hello' }]
  const response = await openai.responses.create({
    model: 'm',
    input: items,
    tools: await legwork.tools('openai-responses'),
  })
  items.push(...(await legwork.handle('openai-responses', response)).messages)

  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Hello' }]
  const tools = await legwork.tools('anthropic', { strict: true })
  const message = await anthropic.messages.create({ model: 'm', max_tokens: 100, messages, tools })
  messages.push({ role: 'assistant', content: message.content })
  messages.push(...(await legwork.handle('anthropic', message)).messages)

  const contents: Content[] = [{ role: 'user', parts: [{ text: 'Hello' }] }]
  const generated = await gemini(await legwork.tools('gemini'), contents)
  contents.push(...(await legwork.handle('gemini', generated)).messages)
}

test("the vendors' replies are what we take", () => {
  type Reply = Parameters<typeof parseToolCall>[1]
  expectTypeOf<OpenAI.Chat.Completions.ChatCompletion>().toExtend<Reply>()
  expectTypeOf<OpenAI.Responses.Response>().toExtend<Reply>()
  expectTypeOf<Anthropic.Message>().toExtend<Reply>()
  expectTypeOf<GenerateContentResponse>().toExtend<Reply>()
  expect(turns).toBeTypeOf('function')
})

test('a call with broken arguments cannot be taken for another', () => {
  const [call] = parseToolCall('openai', [{ id: 'a', function: { name: 'b', arguments: '{' } }])
  expectTypeOf(call?.arguments).toEqualTypeOf<Record<string, unknown> | undefined>()
  if (call && !call.error) expectTypeOf(call.arguments).toEqualTypeOf<Record<string, unknown>>()
  expect(call?.error?.text).toBe('{')
})
