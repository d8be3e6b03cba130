import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Agent, RunContext, RunState, run, setTracingDisabled } from '@openai/agents'
import { assistantMessage, functionCall, modelResponse, ScriptedModel } from '@openai/agents/testing'
import { expect, test } from 'vitest'
import { openAiAgentTools } from '../../src/adapters/openai-agents.ts'
import type { Legwork } from '../../src/index.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { giveUp, openPictures, openSlow, openTools, runs } from './tools.ts'

setTracingDisabled(true)

const call = (name: string, args: string | Record<string, unknown>, callId = 'c1') =>
  modelResponse([functionCall(name, args, { callId })])
const done = modelResponse([assistantMessage('done')])

type Turns = ReturnType<typeof modelResponse>[]

async function agentOf(legwork: Legwork, ...turns: Turns) {
  const model = new ScriptedModel([...turns, done])
  return { legwork, model, agent: new Agent({ name: 'x', model, tools: await openAiAgentTools(legwork) }) }
}

const agentThat = async (...turns: Turns) => agentOf(await openTools(), ...turns)

/** What the model was last told. */
const toldTo = (model: ScriptedModel) => JSON.stringify(model.lastCall?.request.input)

const codes = (legwork: Legwork) => legwork.journal.read({ phase: 'end' }).map(({ code = 'ok' }) => code)

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

test('a tool that takes a list takes it as a value', async () => {
  const { agent, model } = await agentThat(call('demo__count', { value: ['a'] }))
  await run(agent, 'x')
  expect(toldTo(model)).toContain(JSON.stringify('["a"]'))
})

test('images reach the model as images, and the rest of a result as text', async () => {
  const { agent, model } = await agentOf(await openPictures(), call('test__test_multiple_content_types', {}))
  await run(agent, 'x')
  const told = model.lastCall?.request.input
  expect(Array.isArray(told) && told.at(-1)).toMatchObject({
    output: [
      { type: 'input_text', text: 'Multiple content types test:' },
      { type: 'input_image', image: expect.stringContaining('data:image/png;base64,iVBOR') },
      { type: 'input_text', text: expect.stringContaining('mixed-content-resource') },
    ],
  })
})

test('giving up the run ends the process that a tool has started', async () => {
  const slow = await openSlow()
  const { agent } = await agentOf(slow.legwork, call('slow', {}))
  await giveUp(slow, (signal) => run(agent, 'x', { signal }))
})

test('what asks interrupts the run, and runs once it is approved there', async () => {
  const { agent, legwork } = await agentThat(call('demo__remove', { what: 'draft' }))
  const first = await run(agent, 'x')
  expect(first.interruptions).toHaveLength(1)
  expect(runs).toEqual([])
  expect(codes(legwork)).toEqual(['approval-needed'])
  for (const question of first.interruptions) first.state.approve(question)
  expect((await run(agent, first.state)).finalOutput).toBe('done')
  expect(runs).toEqual(['draft'])
})

test('a no in the SDK means that nothing runs', async () => {
  const { agent, legwork } = await agentThat(call('demo__remove', { what: 'draft' }))
  const first = await run(agent, 'x')
  for (const question of first.interruptions) first.state.reject(question)
  await run(agent, first.state)
  expect(runs).toEqual([])
  expect(codes(legwork)).toEqual(['approval-needed'])
})

/** The state of a run that was interrupted, as somebody keeps it, with what they change in it. */
async function stored(change: (text: string) => string = (text) => text) {
  const { agent, legwork } = await agentThat(call('demo__remove', { what: 'draft' }))
  return { legwork, text: change((await run(agent, 'x')).state.toString()) }
}

/** Restores a run, approves whatever it asks, and goes on; the model may call more then. */
async function goOn(legwork: Legwork, text: string, how: { alwaysApprove?: boolean } = {}, ...turns: Turns) {
  const { agent, model } = await agentOf(legwork, ...turns)
  const state = await RunState.fromString(agent, text)
  for (const question of state.getInterruptions()) state.approve(question, how)
  const result = await run(agent, state)
  return { told: toldTo(model), result }
}

test('a run that was stored goes on with the answer, once', async () => {
  const { legwork, text } = await stored()
  await goOn(legwork, text)
  expect(runs).toEqual(['draft'])
  expect((await goOn(legwork, text)).told).toContain('no question that is open here')
  expect(runs).toEqual(['draft'])
  expect(codes(legwork).sort()).toEqual(['approval-needed', 'denied', 'ok'])
})

test('a stored run that was changed, or that reaches another Legwork, runs nothing', async () => {
  const changed = await stored((text) => text.replaceAll('draft', 'everything'))
  expect((await goOn(changed.legwork, changed.text)).told).toContain('no question that is open here')
  const { text } = await stored()
  expect((await goOn(await openTools(), text)).told).toContain('no question that is open here')
  expect(runs).toEqual([])
})

test('an approval for all further calls holds for that tool in that run', async () => {
  const more = [call('demo__remove', { what: 'two' }, 'c2'), call('demo__remove', { what: 'three' }, 'c3')]
  const { agent, legwork } = await agentThat(call('demo__remove', { what: 'one' }), ...more)
  const first = await run(agent, 'x')
  for (const question of first.interruptions) first.state.approve(question, { alwaysApprove: true })
  const second = await run(agent, first.state)
  expect({ runs, left: second.interruptions }).toEqual({ runs: ['one', 'two', 'three'], left: [] })

  const other = await agentOf(legwork, call('demo__remove', { what: 'four' }, 'c4'))
  expect((await run(other.agent, 'x')).interruptions).toHaveLength(1)
  expect(runs).toEqual(['one', 'two', 'three'])
})

test('an approval for all further calls that stands in a stored run is not believed', async () => {
  const first = await stored()
  const { result } = await goOn(first.legwork, first.text, { alwaysApprove: true })
  expect(runs).toEqual(['draft'])
  const { agent, model } = await agentOf(first.legwork, call('demo__remove', { what: 'more' }, 'c2'))
  const state = await RunState.fromString(agent, first.text)
  for (const question of state.getInterruptions()) state.approve(question, { alwaysApprove: true })
  await run(agent, state)
  expect(toldTo(model)).toContain('approved for all further calls, but not in this run')
  expect(runs).toEqual(['draft'])
  expect(result.interruptions).toEqual([])
})

test('broken JSON of a model runs nothing', async () => {
  const { agent } = await agentThat(call('demo__remove', '{"what": "dra'))
  const first = await run(agent, 'x').catch(() => undefined)
  for (const question of first?.interruptions ?? []) first?.state.approve(question)
  if (first?.interruptions.length) await run(agent, first.state).catch(() => undefined)
  expect(runs).toEqual([])
})

test('broken JSON for a tool that nobody is asked about is told to the model, and interrupts nobody', async () => {
  for (const written of ['{"message": "h', '', 'null', '[]']) {
    const { agent, model } = await agentThat(call('demo__echo', written))
    const { interruptions, finalOutput } = await run(agent, 'x')
    expect({ written, asked: interruptions.length, finalOutput }).toEqual({ written, asked: 0, finalOutput: 'done' })
    expect(model.calls.length).toBe(2)
  }
})

test('two names that the SDK would make one are told apart', async () => {
  const skill = join(temporaryFolder(), 'demo')
  mkdirSync(join(skill, 'scripts'), { recursive: true })
  writeFileSync(join(skill, 'SKILL.md'), '---\nname: demo\ndescription: Has scripts.\n---\n')
  for (const name of ['a-b', 'a_b']) {
    writeFileSync(join(skill, `scripts/${name}.sh`), '#!/bin/sh\n# Does something.\n', { mode: 0o755 })
  }
  const legwork = await openTools({ functions: [], skills: [join(skill, '..')], policy: {} })
  const names = (await openAiAgentTools(legwork)).map(({ name }) => name)
  expect(names.sort()).toEqual(['demo__a_b', 'demo__a_b_2'])
})

test('a tool that is invoked without its approval asks, whatever question is open', async () => {
  const [remove] = (await openAiAgentTools(await openTools())).filter(({ name }) => name === 'demo__remove')
  if (remove?.type !== 'function') throw new Error('There is no such tool.')
  const context = new RunContext()
  expect(await remove.needsApproval(context, { what: 'draft' }, 'c1')).toBe(true)
  const toolCall = { type: 'function_call', callId: 'c1', name: 'demo__remove', arguments: '{}' } as const
  expect(await remove.invoke(context, '{"what":"draft"}', { toolCall })).toContain('there is nobody to ask')
  expect(runs).toEqual([])
})
