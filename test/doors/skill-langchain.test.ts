import { ToolMessage } from '@langchain/core/messages'
import { isStructuredTool, StructuredTool } from '@langchain/core/tools'
import { convertToOpenAITool } from '@langchain/core/utils/function_calling'
import { expect, test } from 'vitest'
import { langChainTools, ScriptToolError } from '../../src/adapters/langchain-skill.ts'
import { ToolRestrictionError } from '../../src/doors/skill.ts'
import { makeSkill, openManager } from '../support/skill.ts'

const usage = '# Counts words.\n# Usage: count.sh <file> [--top N]\necho "$@"'

test('the tools are StructuredTools, and a model provider can be told of them', async () => {
  const tools = await langChainTools(openManager(makeSkill({ 'count.sh': usage, 'any.sh': 'cat' })))
  for (const tool of tools) {
    expect(tool).toBeInstanceOf(StructuredTool)
    expect(isStructuredTool(tool)).toBe(true)
  }
  const count = tools.find(({ name }) => name === 'pdf-extractor.count')
  expect(count && convertToOpenAITool(count)).toMatchObject({
    function: {
      name: 'pdf-extractor.count',
      description: expect.stringContaining('Counts words.'),
      parameters: { properties: { file: { type: 'string' }, top: { type: 'string' } }, required: ['file'] },
    },
  })
})

test('arguments that the script declares are fields, and become its command line', async () => {
  const tools = await langChainTools(openManager(makeSkill({ 'count.sh': usage })))
  const count = tools.find(({ name }) => name === 'pdf-extractor.count')
  expect(await count?.invoke({ file: '/a.txt', top: '3' })).toBe('--top 3 /a.txt\n')
  await expect(count?.invoke({ top: '3' })).rejects.toThrow()
})

test('a tool call gives a ToolMessage with the result as its artifact', async () => {
  const [, tool] = await langChainTools(openManager(makeSkill({ 'any.sh': 'cat' })))
  const message = await tool?.invoke({ type: 'tool_call', id: 'c7', name: 'pdf-extractor.any', args: { input: [1] } })
  expect(message).toBeInstanceOf(ToolMessage)
  expect(message).toMatchObject({
    content: '[1]',
    tool_call_id: 'c7',
    artifact: { tool_use_id: 'c7', is_error: false },
  })
})

test('a refusal is an error with a result too, and its cause', async () => {
  const manager = openManager(makeSkill({ 'a.sh': 'echo 1' }, { head: 'allowed-tools: Read' }))
  const [, tool] = await langChainTools(manager)
  const run = tool?.invoke({ input: {} })
  await expect(run).rejects.toThrow(ScriptToolError)
  await expect(run).rejects.toMatchObject({ cause: expect.any(ToolRestrictionError), result: { is_error: true } })
})

test('some skills alone, and names that a provider accepts', async () => {
  const one = makeSkill({ 'a.sh': 'echo 1' }, { name: 'one' })
  makeSkill({ 'a.sh': 'echo 1' }, { name: 'two', root: one.root })
  const rename = (name: string) => name.replaceAll('.', '__')
  const tools = await langChainTools(openManager(one), { skills: ['two'], rename })
  expect(tools.map(({ name }) => name)).toEqual(['two', 'two__a'])
})
