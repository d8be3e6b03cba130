import { ToolMessage } from '@langchain/core/messages'
import { StructuredTool } from '@langchain/core/tools'
import { expect, test } from 'vitest'
import { langChainTools, ToolOutcomeError } from '../../src/adapters/langchain.ts'
import { openTools, runs } from './tools.ts'

async function toolNamed(name: string, approve?: () => boolean) {
  const legwork = await openTools({ ...(approve && { approve }) })
  const tool = (await langChainTools(legwork)).find((each) => each.name === name)
  if (!tool) throw new Error(`no ${name}`)
  return { tool, legwork }
}

test('every tool of the catalogue is a StructuredTool', async () => {
  const tools = await langChainTools(await openTools())
  expect(tools.map(({ name }) => name).sort()).toEqual(['demo--buy', 'demo--echo', 'demo--fail', 'demo--remove'])
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
