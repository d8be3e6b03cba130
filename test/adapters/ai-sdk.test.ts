import { generateText, isStepCount, streamText, ToolLoopAgent } from 'ai'
import { expect, test } from 'vitest'
import { aiSdkTools } from '../../src/adapters/ai-sdk.ts'
import { callAll, converse, modelThat, say, toldTo } from './ai-sdk-conversation.ts'
import { modelThatStreams } from './models.ts'
import { giveUp, openChanging, openPictures, openSlow, openTools, runs } from './tools.ts'

test('a model’s call runs, and the model reads the outcome’s text while the program has all of it', async () => {
  const legwork = await openTools()
  const { result, told } = await converse(await aiSdkTools(legwork), ['demo--echo', { message: 'hi' }])
  expect(result.text).toBe('done')
  expect(told).toMatchObject([{ output: { type: 'text', value: '{"message":"hi"}' } }])
  const [call] = result.steps[0]?.toolResults ?? []
  expect(call?.output).toMatchObject({ ok: true, tool: 'demo:echo', value: { message: 'hi' } })
  expect(legwork.journal.read({ phase: 'end' })).toMatchObject([{ caller: 'toolcall:ai-sdk', tool: 'demo:echo' }])
})

test('several calls at once run, each with its own answer', async () => {
  const legwork = await openTools()
  const calls = ['a', 'b', 'c'].map((message) => ['demo--echo', { message }, message] as const)
  const { told } = await converse(await aiSdkTools(legwork), ...calls, ['demo--fail', {}, 'd'])
  expect(told).toMatchObject([
    { toolCallId: 'a', output: { value: '{"message":"a"}' } },
    { toolCallId: 'b', output: { value: '{"message":"b"}' } },
    { toolCallId: 'c', output: { value: '{"message":"c"}' } },
    { toolCallId: 'd', output: { type: 'error-text' } },
  ])
  expect(legwork.journal.read({ phase: 'end' })).toHaveLength(4)
})

test('the model is told the schema, and what does not fit is refused by the engine and in the journal', async () => {
  const legwork = await openTools()
  const { model, told } = await converse(await aiSdkTools(legwork), ['demo--echo', { mesage: 7 }])
  const offered = model.doGenerateCalls[0]?.tools?.find(({ name }) => name === 'demo--echo')
  expect(offered).toMatchObject({ inputSchema: { type: 'object', required: ['message'] } })
  expect(told).toMatchObject([{ output: { type: 'error-text' } }])
  expect(legwork.journal.read({ phase: 'end' })).toMatchObject([{ code: 'invalid-input' }])
})

test('a tool that takes a list takes it as a value', async () => {
  const { model, told } = await converse(
    await aiSdkTools(await openTools()),
    ['demo--count', { value: ['a', 'b'] }, 'one'],
    ['demo--count', ['c'], 'two'],
    ['demo--count', { value: [7] }, 'three'],
  )
  const offered = model.doGenerateCalls[0]?.tools?.find(({ name }) => name === 'demo--count')
  const value = { type: 'array', items: { type: 'string' } }
  expect(offered).toMatchObject({ inputSchema: { type: 'object', properties: { value }, required: ['value'] } })
  expect(told).toMatchObject([
    { output: { type: 'text', value: '["a","b"]' } },
    { output: { type: 'text', value: '["c"]' } },
    { output: { type: 'error-text' } },
  ])
})

test('a failure reaches the model without secrets', async () => {
  const { told } = await converse(await aiSdkTools(await openTools()), ['demo--fail', {}])
  expect(JSON.stringify(told)).toContain('it broke')
  expect(JSON.stringify(told)).not.toContain('hunter2')
})

test('what the policy denies does not run, and the model reads why', async () => {
  const legwork = await openTools()
  const { told } = await converse(await aiSdkTools(legwork), ['demo--buy', {}])
  expect(JSON.stringify(told)).toContain('Denied')
  expect(runs).toEqual([])
  expect(legwork.journal.read({ phase: 'end' })).toMatchObject([{ code: 'denied' }])
})

test('images reach the model as images, and the rest of a result as text', async () => {
  const offered = await aiSdkTools(await openPictures())
  const { told } = await converse(
    offered,
    ['test__test_image_content', {}],
    ['test__test_multiple_content_types', {}, 'c2'],
  )
  const image = { type: 'file', mediaType: 'image/png', data: { type: 'data', data: expect.stringMatching(/^iVBOR/) } }
  const text = { type: 'text', text: 'Multiple content types test:' }
  const rest = { type: 'text', text: expect.stringContaining('mixed-content-resource') }
  expect(told).toMatchObject([
    { output: { type: 'content', value: [image] } },
    { output: { type: 'content', value: [text, image, rest] } },
  ])
})

test('streamText runs tools too', async () => {
  const model = modelThatStreams({ calls: [['demo--echo', { message: 'hi' }]] }, { text: 'done' })
  const result = streamText({ model, ...(await aiSdkTools(await openTools())), prompt: 'x', stopWhen: isStepCount(3) })
  expect(await result.text).toBe('done')
  expect((await result.steps)[0]?.toolResults).toMatchObject([{ output: { ok: true } }])
})

test('a call that nobody has to be asked about leaves no question and no answer in the stream or the messages', async () => {
  const model = modelThatStreams({ calls: [['demo--echo', { message: 'hi' }]] }, { text: 'done' })
  const result = streamText({ model, ...(await aiSdkTools(await openTools())), prompt: 'x', stopWhen: isStepCount(3) })
  const types: string[] = []
  for await (const part of result.fullStream) types.push(part.type)
  expect(types.filter((type) => type.includes('approval'))).toEqual([])
  expect(JSON.stringify((await result.response).messages)).not.toContain('approval')
})

test('giving up generateText ends the process that a tool has started', async () => {
  const slow = await openSlow()
  const offered = await aiSdkTools(slow.legwork)
  await giveUp(slow, (abortSignal) =>
    generateText({ model: modelThat(callAll(['slow', {}]), say('done')), ...offered, prompt: 'x', abortSignal }),
  )
})

test('giving up streamText does too', async () => {
  const slow = await openSlow()
  const offered = await aiSdkTools(slow.legwork)
  await giveUp(slow, async (abortSignal) => {
    const model = modelThatStreams({ calls: [['slow', {}]] }, { text: 'done' })
    await streamText({ model, ...offered, prompt: 'x', abortSignal }).consumeStream()
  })
})

test('the SDK’s agents take the same', async () => {
  const model = modelThat(callAll(['demo--echo', { message: 'hi' }]), say('done'))
  const agent = new ToolLoopAgent({ model, ...(await aiSdkTools(await openTools())) })
  expect((await agent.generate({ prompt: 'x' })).text).toBe('done')
  expect(toldTo(model)).toMatchObject([{ output: { value: '{"message":"hi"}' } }])
})

test('a Legwork hands its tools over itself', async () => {
  const legwork = await openTools()
  const { result } = await converse(await legwork.aiSdk(), ['demo--echo', { message: 'hi' }])
  expect(result.text).toBe('done')
})

test('only the tools that are wanted are offered', async () => {
  const { tools } = await aiSdkTools(await openTools(), { only: ({ id }) => id === 'demo:echo' })
  expect(Object.keys(tools)).toEqual(['demo--echo'])
})

test('a tool that a server gives later is there when the tools are handed out anew', async () => {
  const legwork = await openChanging()
  const offered = await aiSdkTools(legwork)
  expect(Object.keys(offered.tools)).not.toContain('x__brand_new')
  await converse(offered, ['x__change', {}])
  const later = async () => Object.keys((await aiSdkTools(legwork)).tools)
  await expect.poll(later, { timeout: 10_000 }).toContain('x__brand_new')
})

test('a model that calls what is not there is told so by the SDK, and nothing runs', async () => {
  const legwork = await openTools()
  const model = modelThat(callAll(['nosuch', {}]), say('oh'))
  await generateText({ model, ...(await aiSdkTools(legwork)), prompt: 'x', stopWhen: isStepCount(3) })
  expect(JSON.stringify(toldTo(model))).toContain('nosuch')
  expect(legwork.journal.read()).toEqual([])
})
