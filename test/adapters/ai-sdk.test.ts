import { generateText, isStepCount, type ModelMessage, streamText } from 'ai'
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test'
import { expect, test } from 'vitest'
import { aiSdkTools } from '../../src/adapters/ai-sdk.ts'
import { openTools, runs } from './tools.ts'

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
}

const say = (text: string) => ({
  content: [{ type: 'text' as const, text }],
  finishReason: { unified: 'stop' as const, raw: 'stop' },
  usage,
  warnings: [],
})

const ask = (toolName: string, input: object, toolCallId = 'c1') => ({
  content: [{ type: 'tool-call' as const, toolCallId, toolName, input: JSON.stringify(input) }],
  finishReason: { unified: 'tool-calls' as const, raw: 'tool_calls' },
  usage,
  warnings: [],
})

const modelThat = (...turns: ReturnType<typeof ask | typeof say>[]) => new MockLanguageModelV4({ doGenerate: turns })

/** What the model was last told about the tools it called. */
const toldTo = (model: MockLanguageModelV4) =>
  model.doGenerateCalls.at(-1)?.prompt.flatMap((message) => (message.role === 'tool' ? message.content : []))

test('a model’s call runs, and the model reads the outcome’s text while the program has all of it', async () => {
  const legwork = await openTools()
  const model = modelThat(ask('demo--echo', { message: 'hi' }), say('done'))
  const result = await generateText({ model, ...(await aiSdkTools(legwork)), prompt: 'x', stopWhen: isStepCount(3) })
  expect(result.text).toBe('done')
  expect(toldTo(model)).toMatchObject([{ output: { type: 'text', value: '{"message":"hi"}' } }])
  const [call] = result.steps[0]?.toolResults ?? []
  expect(call?.output).toMatchObject({ ok: true, tool: 'demo:echo', value: { message: 'hi' } })
  expect(legwork.journal.read({ phase: 'end' })).toMatchObject([{ caller: 'toolcall:ai-sdk', tool: 'demo:echo' }])
})

test('the model is told the schema, and what does not fit is refused by the engine and in the journal', async () => {
  const legwork = await openTools()
  const model = modelThat(ask('demo--echo', { mesage: 7 }), say('sorry'))
  await generateText({ model, ...(await aiSdkTools(legwork)), prompt: 'x', stopWhen: isStepCount(3) })
  const offered = model.doGenerateCalls[0]?.tools?.find(({ name }) => name === 'demo--echo')
  expect(offered).toMatchObject({ inputSchema: { type: 'object', required: ['message'] } })
  expect(toldTo(model)).toMatchObject([{ output: { type: 'error-text' } }])
  expect(legwork.journal.read({ phase: 'end' })).toMatchObject([{ code: 'invalid-input' }])
})

test('a failure reaches the model without secrets', async () => {
  const model = modelThat(ask('demo--fail', {}), say('oh'))
  await generateText({ model, ...(await aiSdkTools(await openTools())), prompt: 'x', stopWhen: isStepCount(3) })
  expect(JSON.stringify(toldTo(model))).toContain('it broke')
  expect(JSON.stringify(toldTo(model))).not.toContain('hunter2')
})

test('what the policy denies does not run, and the model reads why', async () => {
  const legwork = await openTools()
  const model = modelThat(ask('demo--buy', {}), say('oh'))
  await generateText({ model, ...(await aiSdkTools(legwork)), prompt: 'x', stopWhen: isStepCount(3) })
  expect(JSON.stringify(toldTo(model))).toContain('Denied')
  expect(runs).toEqual([])
  expect(legwork.journal.read({ phase: 'end' })).toMatchObject([{ code: 'denied' }])
})

/** Asks a model that wants a thing removed, answers the SDK's question, and lets it go on. */
async function withAnswer(approved: boolean) {
  const legwork = await openTools()
  const offered = await aiSdkTools(legwork)
  const model = modelThat(ask('demo--remove', { what: 'draft' }), say('done'))
  const messages: ModelMessage[] = [{ role: 'user', content: 'remove the draft' }]
  const first = await generateText({ model, ...offered, messages, stopWhen: isStepCount(3) })
  const question = first.content.find((part) => part.type === 'tool-approval-request')
  expect(question).toBeDefined()
  expect(runs).toEqual([])
  messages.push(...first.response.messages, {
    role: 'tool',
    content: [{ type: 'tool-approval-response', approvalId: question?.approvalId ?? '', approved }],
  })
  await generateText({ model, ...offered, messages, stopWhen: isStepCount(3) })
  return { legwork, model, offered, messages }
}

test('what asks becomes the SDK’s own question, and runs once it is approved there', async () => {
  const { legwork } = await withAnswer(true)
  expect(runs).toEqual(['draft'])
  const [entry] = legwork.journal.read({ phase: 'end' })
  expect(entry).toMatchObject({ tool: 'demo:remove', decision: { verdict: 'allow' } })
  expect(entry?.decision?.reasons.join(' ')).toContain('A person approved it')
})

test('a no in the SDK means that nothing runs', async () => {
  await withAnswer(false)
  expect(runs).toEqual([])
})

test('an approval holds for that call and that input alone, once', async () => {
  const { tools, toolApproval } = await aiSdkTools(await openTools())
  const execute = (input: object, toolCallId: string) => tools['demo--remove']?.execute(input, { toolCallId })
  expect(await toolApproval['demo--remove']?.({ what: 'a' }, { toolCallId: 'one' })).toBe('user-approval')
  expect(await execute({ what: 'a' }, 'two')).toMatchObject({ code: 'approval-needed' })
  expect(await execute({ what: 'b' }, 'one')).toMatchObject({ code: 'approval-needed' })
  expect(await toolApproval['demo--remove']?.({ what: 'a' }, { toolCallId: 'one' })).toBe('user-approval')
  expect(await execute({ what: 'a' }, 'one')).toMatchObject({ ok: true })
  expect(await execute({ what: 'a' }, 'one')).toMatchObject({ code: 'approval-needed' })
})

test('tools used without the SDK’s approval do not run what asks', async () => {
  const { tools } = await aiSdkTools(await openTools())
  const model = modelThat(ask('demo--remove', { what: 'x' }), say('oh'))
  await generateText({ model, tools, prompt: 'x', stopWhen: isStepCount(3) })
  expect(runs).toEqual([])
})

test('streamText runs tools too', async () => {
  const call = { type: 'tool-call', toolCallId: 'c1', toolName: 'demo--echo', input: '{"message":"hi"}' } as const
  const end = (unified: 'stop' | 'tool-calls') =>
    ({ type: 'finish', finishReason: { unified, raw: 'x' }, usage }) as const
  const text = [
    { type: 'text-start', id: '1' },
    { type: 'text-delta', id: '1', delta: 'done' },
    { type: 'text-end', id: '1' },
  ] as const
  const first = simulateReadableStream({ chunks: [call, end('tool-calls')] })
  const second = simulateReadableStream({ chunks: [...text, end('stop')] })
  const model = new MockLanguageModelV4({ doStream: [{ stream: first }, { stream: second }] })
  const result = streamText({ model, ...(await aiSdkTools(await openTools())), prompt: 'x', stopWhen: isStepCount(3) })
  expect(await result.text).toBe('done')
  expect((await result.steps)[0]?.toolResults).toMatchObject([{ output: { ok: true } }])
})

test('a Legwork hands its tools over itself', async () => {
  const legwork = await openTools()
  const model = modelThat(ask('demo--echo', { message: 'hi' }), say('done'))
  const result = await generateText({ model, ...(await legwork.aiSdk()), prompt: 'x', stopWhen: isStepCount(3) })
  expect(result.text).toBe('done')
})

test('only the tools that are wanted are offered', async () => {
  const { tools } = await aiSdkTools(await openTools(), { only: ({ id }) => id === 'demo:echo' })
  expect(Object.keys(tools)).toEqual(['demo--echo'])
})
