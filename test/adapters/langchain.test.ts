import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import { StructuredTool } from '@langchain/core/tools'
import { expect, test } from 'vitest'
import { langChainTools, ToolOutcomeError } from '../../src/adapters/langchain.ts'
import type { Legwork } from '../../src/index.ts'
import { giveUp, openPictures, openSlow, openTools, runs } from './tools.ts'

async function toolNamed(name: string, approve?: () => boolean) {
  return toolOf(await openTools({ ...(approve && { approve }) }), name)
}

async function toolOf(legwork: Legwork, name: string) {
  const tool = (await langChainTools(legwork)).find((each) => each.name === name)
  if (!tool) throw new Error(`no ${name}`)
  return { tool, legwork }
}

test('every tool of the catalogue is a StructuredTool', async () => {
  const tools = await langChainTools(await openTools())
  expect(tools.map(({ name }) => name).sort()).toEqual([
    'demo--buy',
    'demo--count',
    'demo--echo',
    'demo--fail',
    'demo--remove',
  ])
  for (const tool of tools) expect(tool).toBeInstanceOf(StructuredTool)
})

test('the content is the text, the artifact the whole outcome', async () => {
  const { tool, legwork } = await toolNamed('demo--echo')
  const message = await tool.invoke({ type: 'tool_call', id: 'c1', name: tool.name, args: { message: 'hi' } })
  expect(message).toBeInstanceOf(ToolMessage)
  expect(message).toMatchObject({ content: '{"message":"hi"}', artifact: { ok: true, value: { message: 'hi' } } })
  expect(legwork.journal.read({ phase: 'end' })).toMatchObject([{ caller: 'toolcall:langchain' }])
})

test('a failure is an error that has the outcome and no secret', async () => {
  const { tool } = await toolNamed('demo--fail')
  const error = await tool.invoke({}).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(ToolOutcomeError)
  expect(error).toMatchObject({ outcome: { code: 'tool-failed' } })
  expect(String(error)).not.toContain('hunter2')
})

test('what asks is asked by Legwork’s own handler; without one it does not run', async () => {
  await expect((await toolNamed('demo--remove')).tool.invoke({ what: 'a' })).rejects.toThrow('approval')
  expect(runs).toEqual([])
  const { tool } = await toolNamed('demo--remove', () => true)
  expect(await tool.invoke({ what: 'b' })).toBe('removed')
})

test('a model calls tools and reads what they say', async () => {
  const tools = await langChainTools(await openTools())
  const heard: BaseMessage[][] = []
  const model = fakeModel()
    .respondWithTools([
      { name: 'demo--echo', args: { message: 'hi' }, id: 'c1' },
      { name: 'demo--count', args: { value: ['a', 'b'] }, id: 'c2' },
    ])
    .respond((messages) => {
      heard.push(messages)
      return new AIMessage('done')
    })
    .bindTools(tools)
  const messages: BaseMessage[] = [new HumanMessage('x')]
  const reply = await model.invoke(messages)
  messages.push(reply)
  for (const call of reply.tool_calls ?? []) {
    messages.push(await tools.find(({ name }) => name === call.name)?.invoke({ ...call, type: 'tool_call' }))
  }
  expect((await model.invoke(messages)).text).toBe('done')
  expect(heard[0]?.slice(-2)).toMatchObject([
    { tool_call_id: 'c1', content: '{"message":"hi"}' },
    { tool_call_id: 'c2', content: '["a","b"]' },
  ])
})

test('images are image blocks of the content, and the rest of a result is text', async () => {
  const { tool } = await toolOf(await openPictures(), 'test__test_multiple_content_types')
  const message = await tool.invoke({ type: 'tool_call', id: 'c1', name: tool.name, args: {} })
  const url = expect.stringContaining('data:image/png;base64,iVBOR')
  const rest = { type: 'text', text: expect.stringContaining('mixed-content-resource') }
  expect(message).toMatchObject({
    content: [{ type: 'text', text: 'Multiple content types test:' }, { type: 'image_url', image_url: { url } }, rest],
    artifact: { ok: true },
  })
  expect(message.contentBlocks).toMatchObject([{ type: 'text' }, { type: 'image', mimeType: 'image/png' }, rest])
})

test('giving up the call ends the process that a tool has started', async () => {
  const slow = await openSlow()
  const { tool } = await toolOf(slow.legwork, 'slow')
  await giveUp(slow, (signal) => tool.invoke({}, { signal }))
})
