import { Agent, run, setTracingDisabled } from '@openai/agents'
import { assistantMessage, functionCall, modelResponse, ScriptedModel } from '@openai/agents/testing'
import { expect, test } from 'vitest'
import { openAiAgentTools } from '../../src/adapters/openai-agents.ts'
import type { Legwork } from '../../src/index.ts'
import { openTools, runs } from './tools.ts'

setTracingDisabled(true)

const call = (name: string, args: string | Record<string, unknown>, callId = 'c1') =>
  modelResponse([functionCall(name, args, { callId })])
const done = modelResponse([assistantMessage('done')])

async function agentThat(...turns: ReturnType<typeof modelResponse>[]) {
  const legwork = await openTools()
  const model = new ScriptedModel([...turns, done])
  const agent = new Agent({ name: 'x', model, tools: await openAiAgentTools(legwork) })
  return { legwork, model, agent }
}

/** What the model was last told. */
const toldTo = (model: ScriptedModel) => JSON.stringify(model.lastCall?.request.input)

test('a model’s call runs and the model reads the text', async () => {
  const { agent, model, legwork } = await agentThat(call('demo__echo', { message: 'hi' }))
  expect((await run(agent, 'x')).finalOutput).toBe('done')
  expect(toldTo(model)).toContain(JSON.stringify(JSON.stringify({ message: 'hi' })))
  expect(legwork.journal.read({ phase: 'end' })).toMatchObject([{ caller: 'toolcall:openai-agents' }])
})

test('what does not fit, fails or is denied is told to the model, without secrets', async () => {
  for (const [name, input, told] of [
    ['demo__echo', { mesage: 1 }, 'message'],
    ['demo__fail', {}, 'it broke'],
    ['demo__buy', {}, 'Denied'],
  ] as const) {
    const { agent, model } = await agentThat(call(name, input))
    await run(agent, 'x')
    expect(toldTo(model)).toContain(told)
    expect(toldTo(model)).not.toContain('hunter2')
  }
  expect(runs).toEqual([])
})

test('what asks interrupts the run, and runs once it is approved there', async () => {
  const { agent } = await agentThat(call('demo__remove', { what: 'draft' }))
  const first = await run(agent, 'x')
  expect(first.interruptions).toHaveLength(1)
  expect(runs).toEqual([])
  for (const question of first.interruptions) first.state.approve(question)
  expect((await run(agent, first.state)).finalOutput).toBe('done')
  expect(runs).toEqual(['draft'])
})

test('a no in the SDK means that nothing runs', async () => {
  const { agent } = await agentThat(call('demo__remove', { what: 'draft' }))
  const first = await run(agent, 'x')
  for (const question of first.interruptions) first.state.reject(question)
  await run(agent, first.state)
  expect(runs).toEqual([])
})

test('broken JSON of a model runs nothing', async () => {
  const { agent } = await agentThat(call('demo__remove', '{"what": "dra'))
  const first = await run(agent, 'x').catch(() => undefined)
  for (const question of first?.interruptions ?? []) first?.state.approve(question)
  if (first?.interruptions.length) await run(agent, first.state).catch(() => undefined)
  expect(runs).toEqual([])
})

test('two names that the SDK would make one are told apart', async () => {
  const description = { description: '', input_schema: { type: 'object', properties: {} } }
  const tools = async () => ['a-b', 'a_b'].map((name) => ({ name, ...description }))
  const legwork = { ...(await openTools()), tools: tools as unknown as Legwork['tools'] }
  expect((await openAiAgentTools(legwork)).map(({ name }) => name)).toEqual(['a_b', 'a_b_2'])
})
