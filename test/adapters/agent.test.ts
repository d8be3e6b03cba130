// An agent through a Legwork, with the AI SDK's mock model: its prompt, its tools, its turns, and a model that behaves badly.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { AgentOptions } from '../../src/adapters/agent.ts'
import { currentBlock } from '../../src/document/block-context.ts'
import { defineTool, type LegworkOptions } from '../../src/index.ts'
import type { CallEvent } from '../../src/model/event.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { modelThatStreams, openAiServer, type Turn } from './models.ts'
import { openTools, runs } from './tools.ts'

const reviewer = `<agent name="reviewer">
  <h1>How you work</h1>
  <p>You read <strong>closely</strong>, for <mention:user id="1" label="Ann"/>.</p>
  <bulletlistitem>First the facts</bulletlistitem>
  <bulletlistitem>Then the style</bulletlistitem>
</agent>`

async function agentThat(
  turns: readonly Turn[],
  {
    text = reviewer,
    legwork: options = {},
    ...agentOptions
  }: AgentOptions & { text?: string; legwork?: LegworkOptions } = {},
) {
  const legwork = await openTools(options)
  const model = modelThatStreams(...turns)
  const agent = await legwork.agent(text, { model, ...agentOptions })
  return { legwork, model, agent }
}

/** What the model was told at its last question, as text. */
const lastTold = (model: ReturnType<typeof modelThatStreams>) => JSON.stringify(model.doStreamCalls.at(-1)?.prompt)

test('its prose is the system prompt, and the answer is the outcome’s value', async () => {
  const { model, agent } = await agentThat([{ text: 'Looks good.' }])
  const outcome = await agent.send('What do you think?')
  expect(outcome).toMatchObject({ ok: true, tool: 'agent:reviewer', value: 'Looks good.', calls: [] })
  expect(model.doStreamCalls[0]?.prompt).toEqual([
    {
      role: 'system',
      content:
        'You are reviewer.\n\n# How you work\n\nYou read closely, for Ann.\n\n- First the facts\n- Then the style',
    },
    { role: 'user', content: [{ type: 'text', text: 'What do you think?' }] },
  ])
})

test('a tool call takes the one path, as a part of the message’s own call, and the tokens of all questions are counted', async () => {
  const { legwork, model, agent } = await agentThat([{ calls: [['demo--echo', { message: 'hi' }]] }, { text: 'done' }])
  const outcome = await agent.send('Say hi')
  expect(outcome).toMatchObject({
    ok: true,
    value: 'done',
    calls: [{ tool: 'demo:echo', ok: true }],
    modelUse: { model: 'mock-provider:mock-model-id', calls: 2, inputTokens: 20, outputTokens: 10 },
  })
  expect(lastTold(model)).toContain('{\\"message\\":\\"hi\\"}')
  const entries = legwork.journal.read({ phase: 'end' })
  expect(entries).toMatchObject([
    { tool: 'agent:reviewer', caller: 'library', kind: 'document' },
    { tool: 'demo:echo', caller: 'agent:reviewer', parentId: outcome.callId },
  ])
})

test('the answer comes as it is made', async () => {
  const { agent } = await agentThat([{ text: 'One line.\nAnother line.\n' }])
  const events: CallEvent[] = []
  await agent.send('Go', { onEvent: (event) => void events.push(event) })
  const pieces = events.filter((event) => event.type === 'output')
  expect(pieces.length).toBeGreaterThan(1)
  expect(pieces.map(({ text }) => text).join('')).toBe('One line.\nAnother line.\n')
})

test('the conversation goes on: the model is told what was said before', async () => {
  const { model, agent } = await agentThat([{ text: 'Hello Ann.' }, { text: 'You are Ann.' }])
  await agent.send('I am Ann')
  await agent.send('Who am I?')
  expect(model.doStreamCalls[1]?.prompt.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user'])
  expect(agent.conversation.map(({ text }) => text)).toEqual(['I am Ann', 'Hello Ann.', 'Who am I?', 'You are Ann.'])
})

test('messages are answered one after the other', async () => {
  const { agent } = await agentThat([{ text: 'first' }, { text: 'second' }])
  const outcomes = await Promise.all([agent.send('a'), agent.send('b')])
  expect(outcomes.map((outcome) => outcome.ok && outcome.value)).toEqual(['first', 'second'])
})

describe('its tools', () => {
  const offered = (model: ReturnType<typeof modelThatStreams>) =>
    model.doStreamCalls[0]?.tools?.map(({ name }) => name).sort()

  test('are those of the catalogue that the policy does not deny', async () => {
    const { model, agent } = await agentThat([{ text: 'ok' }])
    await agent.send('x')
    expect(offered(model)).toEqual(['demo--count', 'demo--echo', 'demo--fail', 'demo--remove'])
  })

  test('take a list as a value, where they take a list', async () => {
    const { model, agent } = await agentThat([{ calls: [['demo--count', { value: ['a'] }]] }, { text: 'ok' }])
    await agent.send('x')
    expect(lastTold(model)).toContain('[\\"a\\"]')
  })

  test('are those that it names, where it names some', async () => {
    const text = '<agent name="a" tools="demo:e* demo:buy nowhere:*"><p>x</p></agent>'
    const { model, agent } = await agentThat([{ text: 'ok' }], { text })
    const outcome = await agent.send('x')
    expect(offered(model)).toEqual(['demo--echo'])
    expect(outcome.warnings).toEqual([
      'The agent\'s tools "demo:buy" match none that it may call.',
      'The agent\'s tools "nowhere:*" match none that it may call.',
    ])
  })

  test('may be more than most models take, which is told', async () => {
    const { agent, model } = await agentThat([{ text: 'ok' }], {
      legwork: {
        functions: Array.from({ length: 200 }, (_, at) =>
          defineTool({ name: `many:tool${at}`, description: '', effects: { readOnly: true }, run: () => at }),
        ),
      },
    })
    const outcome = await agent.send('x')
    expect(offered(model)).toHaveLength(200)
    expect(outcome.warnings).toEqual([expect.stringContaining('200 tools, and most models take at most 128')])
  })

  test('change nothing, where it may only look', async () => {
    const look = defineTool({ name: 'demo:look', description: '', effects: { readOnly: true }, run: () => 'seen' })
    const { model, agent } = await agentThat([{ text: 'ok' }], { readOnly: true, legwork: { functions: [look] } })
    await agent.send('x')
    expect(offered(model)).toEqual(['demo--look'])
  })

  test('what asks is asked by Legwork, and without a person it does not run', async () => {
    const { model, agent } = await agentThat([{ calls: [['demo--remove', { what: 'draft' }]] }, { text: 'I may not.' }])
    const outcome = await agent.send('Remove the draft')
    expect(outcome).toMatchObject({ ok: true, calls: [{ tool: 'demo:remove', code: 'approval-needed' }] })
    expect(runs).toEqual([])
    expect(lastTold(model)).toContain('error-text')
  })

  test('a person’s yes is asked for once, and runs it', async () => {
    const asked: string[] = []
    const approve = async ({ tool }: { tool: string }) => asked.push(tool) === 1
    const { agent } = await agentThat([{ calls: [['demo--remove', { what: 'draft' }]] }, { text: 'Gone.' }], {
      legwork: { approve },
    })
    expect(await agent.send('Remove the draft')).toMatchObject({ ok: true, value: 'Gone.' })
    expect({ asked, runs }).toEqual({ asked: ['demo:remove'], runs: ['draft'] })
  })
})

describe('a model that behaves badly', () => {
  test('one that wants tools for ever is stopped, and the conversation is as it was before', async () => {
    const { model, agent } = await agentThat([{ calls: [['demo--echo', { message: 'again' }]] }], { maxSteps: 4 })
    const outcome = await agent.send('Go')
    expect(outcome).toMatchObject({ ok: false, code: 'tool-failed', modelUse: { calls: 4 } })
    expect(outcome.text).toContain('was asked 4 times and still wants tools')
    expect(model.doStreamCalls).toHaveLength(4)
    expect(agent.conversation).toEqual([])
  })

  const wants = (count: number, tool: string) =>
    Array.from({ length: count }, (_, at) => [tool, { message: String(at) }] as const)

  test('one that wants more tools than its share is told so; each call that is refused is in the journal once', async () => {
    const { legwork, model, agent } = await agentThat([{ calls: wants(9, 'demo--echo') }, { text: 'done' }], {
      maxCalls: 5,
    })
    expect(await agent.send('Go')).toMatchObject({ ok: true, value: 'done' })
    const entries = legwork.journal.read({ phase: 'end', tool: 'demo:echo', limit: 100 })
    expect(entries.filter(({ code }) => code === undefined)).toHaveLength(5)
    expect(entries.filter(({ code }) => code === 'invalid-input')).toHaveLength(4)
    expect(lastTold(model)).toContain('Only 5 tools may be called')
  })

  test.each(['demo--echo', 'nobody'])(
    'one that wants %s without end is stopped, and no more is written down',
    async (tool) => {
      const { legwork, model, agent } = await agentThat([{ calls: wants(2_000, tool) }, { text: 'done' }], {
        maxCalls: 5,
      })
      const outcome = await agent.send('Go')
      expect(outcome).toMatchObject({ ok: false, code: 'tool-failed' })
      expect(outcome.text).toContain('wanted more than 5 tools')
      expect(legwork.journal.read({ phase: 'end', limit: 100 })).toHaveLength(11)
      expect(model.doStreamCalls).toHaveLength(1)
    },
  )

  test.each([
    ['a tool that it may not use', 'demo--buy', {}, 'invalid-input'],
    ['a tool that it may not use, by another spelling', 'demo:echo', { message: 'x' }, 'invalid-input'],
    ['a tool that nobody knows', 'rm_rf', { path: '/' }, 'unknown-tool'],
    ['a name without end', 'x'.repeat(100_000), {}, 'unknown-tool'],
    ['a tool with arguments that are no JSON', 'demo--echo', '{"message": ', 'invalid-input'],
    ['a tool with arguments that do not fit', 'demo--echo', { mesage: 1 }, 'invalid-input'],
  ])('one that asks for %s is told, nothing runs, and it is in the journal', async (_, tool, input, code) => {
    const { legwork, model, agent } = await agentThat([{ calls: [[tool, input]] }, { text: 'Sorry.' }])
    expect(await agent.send('Go')).toMatchObject({ ok: true, value: 'Sorry.', calls: [{ ok: false, code }] })
    expect(legwork.journal.read({ phase: 'end' })[1]).toMatchObject({ code, caller: 'agent:reviewer' })
    expect(lastTold(model)).toMatch(/error-text|error-json/)
    expect(runs).toEqual([])
  })

  test('one that talks without end is stopped', async () => {
    const { agent } = await agentThat([{ text: 'x'.repeat(5_000) }], { legwork: { limits: { maxOutputBytes: 1_000 } } })
    const outcome = await agent.send('Go')
    expect(outcome).toMatchObject({
      ok: false,
      code: 'tool-failed',
      message: expect.stringContaining('more than 1000'),
    })
  })

  test('one that refuses', async () => {
    const { agent } = await agentThat([{ text: '', finish: 'content-filter' }])
    expect(await agent.send('Go')).toMatchObject({
      ok: false,
      code: 'tool-failed',
      message: expect.stringContaining('refused'),
    })
  })

  test('one that says nothing, or not all of it', async () => {
    const { agent } = await agentThat([{ text: '' }, { text: 'half a', finish: 'length' }])
    expect(await agent.send('Go')).toMatchObject({ ok: true, warnings: ['The model said nothing.'] })
    expect(await agent.send('Go')).toMatchObject({
      ok: true,
      value: 'half a',
      warnings: [expect.stringContaining('cut off')],
    })
  })

  test('one that breaks off is a failure, with its message and without secrets', async () => {
    const { model, agent } = await agentThat([{ text: 'x' }], { maxRetries: 0 })
    model.doStream = async () => {
      throw new Error('no route to hunter2-hunter2')
    }
    const outcome = await agent.send('Go')
    expect(outcome).toMatchObject({ ok: false, code: 'tool-failed', message: expect.stringContaining('no route to') })
    expect(JSON.stringify(outcome)).not.toContain('hunter2')
  })

  test('one that never answers ends with the time, or when nobody waits any more', async () => {
    const { model, agent } = await agentThat([{ text: 'x' }])
    model.doStream = ({ abortSignal }) =>
      new Promise((_, reject) => abortSignal?.addEventListener('abort', () => reject(abortSignal.reason)))
    expect(await agent.send('Go', { timeoutMs: 50 })).toMatchObject({ ok: false, code: 'timed-out' })
    const controller = new AbortController()
    const answer = agent.send('Go', { signal: controller.signal })
    setTimeout(() => controller.abort(), 20)
    expect(await answer).toMatchObject({ ok: false, code: 'cancelled' })
    expect(agent.conversation).toEqual([])
  })
})

describe('the tools that its own document defines', () => {
  const defined = (title: string, blocks: string, attributes = '') =>
    `<tool title="${title}" ${attributes}><tool:description>d</tool:description><tool:definition>${blocks}</tool:definition></tool>`
  const echo = (message: string) => `<fncall fn="demo:echo"><params>{"message": "${message}"}</params></fncall>`
  const agentWith = (...tools: string[]) => `<agent name="a" tools="demo:echo"><p>x</p>${tools.join('')}</agent>`
  const offered = (model: ReturnType<typeof modelThatStreams>) =>
    model.doStreamCalls[0]?.tools?.map(({ name }) => name).filter((name) => name.startsWith('custom'))

  test('can call each other', async () => {
    const text = agentWith(defined('Alpha', '<fncall fn="custom:beta"/>'), defined('Beta', echo('from beta')))
    const { legwork, model, agent } = await agentThat([{ calls: [['custom__alpha', {}]] }, { text: 'ok' }], { text })
    expect(await agent.send('Go')).toMatchObject({ ok: true, calls: [{ tool: 'custom:alpha', ok: true }] })
    expect(lastTold(model)).toContain('from beta')
    const tools = legwork.journal.read({ phase: 'end' }).map(({ tool }) => tool)
    expect(tools).toEqual(['agent:a', 'custom:alpha', 'custom:beta', 'demo:echo'])
  })

  test('and that call each other for ever are told the way', async () => {
    const text = agentWith(
      defined('Alpha', '<fncall fn="custom:beta"/>'),
      defined('Beta', '<fncall fn="custom:alpha"/>'),
    )
    const { model, agent } = await agentThat([{ calls: [['custom__alpha', {}]] }, { text: 'ok' }], { text })
    await agent.send('Go')
    expect(lastTold(model)).toContain('A custom tool calls itself')
  })

  test('of one title are told apart, and one with a fault is left out, which is told', async () => {
    const text = agentWith(defined('Same', echo('1')), defined('same!', echo('2')), defined('!!!', echo('3')))
    const { model, agent } = await agentThat([{ calls: [['custom__same_document_2', {}]] }, { text: 'ok' }], { text })
    const { warnings } = await agent.send('Go')
    expect(offered(model)).toEqual(['custom__same_document', 'custom__same_document_2'])
    expect(lastTold(model)).toContain('{\\"message\\":\\"2\\"}')
    expect(warnings.join()).toContain('Several tools are called "Same"')
    expect(warnings.join()).toContain('"!!!" is left out')
  })

  test('are offered as the policy says', async () => {
    const text = agentWith(defined('Alpha', echo('1')), defined('Beta', echo('2')))
    const denied = await agentThat([{ text: 'ok' }], { text, legwork: { policy: { deny: ['custom:alpha'] } } })
    await denied.agent.send('Go')
    expect(offered(denied.model)).toEqual(['custom__beta'])
    const looking = await agentThat([{ text: 'ok' }], { text, readOnly: true })
    await looking.agent.send('Go')
    expect(offered(looking.model) ?? []).toEqual([])
  })

  test('have the documents of the workspace that are mentioned, where they are isolated', async () => {
    const workspace = temporaryFolder()
    writeFileSync(
      join(workspace, 'notes.xml'),
      `<document id="notes"><p>About rockets.</p>${defined('X', echo('HIDDEN'))}</document>`,
    )
    const tool = defined('Alpha', '<fncall fn="demo:read"/>', 'isolated="true"')
    const read = defineTool({
      name: 'demo:read',
      description: '',
      effects: { readOnly: true },
      run: () =>
        currentBlock()
          ?.resources?.map(({ text }) => text)
          .join() ?? 'nothing',
    })
    const said = { content: 'As in <mention:document id="notes">it</mention:document>' }
    const { model, agent } = await agentThat([{ calls: [['custom__alpha', said]] }, { text: 'ok' }], {
      text: agentWith(tool),
      legwork: { workspace, documents: ['*.xml'], functions: [read] },
    })
    await agent.send('Go')
    expect(lastTold(model)).toContain('About rockets.')
    expect(lastTold(model)).not.toContain('HIDDEN')
  })

  const hidden = 'a\u{e0049}\u{e0047}\u202eb\u001b[2Jc'
  const tagged = (name: string, value: string) =>
    defineTool({ name, description: '', effects: { readOnly: true }, run: () => value })

  test('bring nothing hidden to the model on the way, and no secret that something hidden took apart', async () => {
    const split = tagged('demo:split', 'key hunter2\u{e0049}-hunter2 end')
    const tool = defined('T', '<fncall fn="demo:tags"/><fncall fn="demo:split"/><fncall fn="demo:last"/>')
    const { model, agent } = await agentThat([{ calls: [['custom__t', {}]] }, { text: 'ok' }], {
      text: agentWith(tool),
      legwork: { functions: [tagged('demo:tags', hidden), split, tagged('demo:last', hidden)] },
    })
    await agent.send('Go')
    expect(lastTold(model)).toContain('demo:tags: a<U+202E>bc')
    expect(lastTold(model)).toContain('[REDACTED]')
    expect(lastTold(model)).not.toMatch(/[\u{e0049}\u202e\u001b]|hunter2/u)
  })

  test('say no more than the limit, and what is said last is said once', async () => {
    const tool = defined('T', `${'<fncall fn="demo:big"/>'.repeat(10)}<fncall fn="demo:last"/>`)
    const { model, agent } = await agentThat([{ calls: [['custom__t', {}]] }, { text: 'ok' }], {
      text: agentWith(tool),
      legwork: {
        limits: { maxTextLength: 1_000 },
        functions: [tagged('demo:big', 'x'.repeat(900)), tagged('demo:last', 'the last one')],
      },
    })
    await agent.send('Go')
    const told = lastTold(model)
    expect(told.length).toBeLessThan(2_000)
    expect(told.match(/the last one/g)).toHaveLength(1)
    expect(told).toContain('[TRUNCATED]')
  })
})

describe('what it costs', () => {
  test('a question to a model goes over the network, and may cost something', async () => {
    for (const policy of [{ allowNetwork: false }, { deny: ['effect:billable'] }]) {
      const { model, agent } = await agentThat([{ text: 'ok' }], { legwork: { policy } })
      expect(await agent.send('Go')).toMatchObject({ ok: false, code: 'denied' })
      expect(model.doStreamCalls).toEqual([])
    }
  })

  test('a model on this machine costs nothing', async () => {
    const server = await openAiServer({ text: 'ok' })
    const legwork = await openTools({ policy: { deny: ['effect:billable'] } })
    const agent = await legwork.agent(reviewer, { model: server.model })
    expect(await agent.send('Go')).toMatchObject({ ok: true, modelUse: { model: 'openai-compatible:llama', calls: 1 } })
    expect(agent.model).toBe('openai-compatible:llama')
  })

  test('what a custom tool asks is counted for the tool, and for the agent that called it; so is what had no answer', async () => {
    const busy = { status: 429, headers: { 'retry-after': '0' } }
    const calls = [['custom__find', { content: 'x' }]] as const
    const server = await openAiServer({ calls }, busy, { text: '{"q": "v"}' }, { text: 'extracted' }, busy, {
      text: 'done',
    })
    const legwork = await openTools({ model: server.model })
    const inner =
      '<fncall fn="demo:echo"><params>{"message": "x"}</params><content><variable name="q"/></content></fncall>'
    const agent = await legwork.agent(
      `<agent name="a" tools="demo:echo"><p>x</p><tool title="Find" isolated="true"><tool:definition>${inner}</tool:definition></tool></agent>`,
    )
    const uses: unknown[] = []
    legwork.on((event) => void (event.type === 'ended' && uses.push([event.tool, event.outcome.modelUse?.calls])))
    const outcome = await agent.send('Go')
    expect(server.requests).toHaveLength(6)
    expect(outcome).toMatchObject({ ok: true, modelUse: { calls: 6, inputTokens: 48, outputTokens: 12 } })
    expect(uses).toEqual([
      ['demo:echo', undefined],
      ['custom:find', 3],
      ['agent:a', 6],
    ])
  })

  test('a model that never answers well was asked all the same', async () => {
    const server = await openAiServer({ status: 500 })
    const legwork = await openTools({ model: server.model })
    const outcome = await (await legwork.agent(reviewer, { maxRetries: 1 })).send('Go')
    expect(outcome).toMatchObject({ ok: false, modelUse: { calls: server.requests.length } })
    expect(server.requests).toHaveLength(2)
  })
})

describe('secrets', () => {
  test('do not reach the model, whoever says them', async () => {
    const secret = 'hunter2-hunter2'
    const leak = defineTool({
      name: 'demo:leak',
      description: `Knows ${secret}`,
      effects: { readOnly: true, network: false },
      run: () => secret,
    })
    const { model, agent } = await agentThat([{ calls: [['demo--leak', {}]] }, { text: 'done' }], {
      text: `<agent name="a"><p>The key is ${secret}</p></agent>`,
      legwork: { functions: [leak] },
    })
    await agent.send(`My key is ${secret}`)
    expect(model.doStreamCalls).toHaveLength(2)
    expect(JSON.stringify(model.doStreamCalls)).toContain('demo--leak')
    expect(JSON.stringify(model.doStreamCalls)).not.toContain(secret)
  })

  test('that the model says all the same do not reach the listener, the outcome or the journal', async () => {
    const { legwork, agent } = await agentThat([{ text: 'It is hunter2-hunter2.' }])
    const events: CallEvent[] = []
    const outcome = await agent.send('Guess', { onEvent: (event) => void events.push(event) })
    expect(outcome).toMatchObject({ ok: true, value: 'It is [REDACTED].' })
    expect(JSON.stringify([events, legwork.journal.read()])).not.toContain('hunter2')
  })
})

describe('what cannot be talked to', () => {
  test.each([
    ['a document', '<document><p>x</p></document>', 'not an <agent>'],
    ['a text that is none', '<agent><p>', 'UNCLOSED_ELEMENT'],
    [
      'one with a variable that nobody fills',
      '<agent><p><variable name="who" prompt="For whom"/></p></agent>',
      '"who" (For whom)',
    ],
  ])('%s is refused', async (_, text, message) => {
    const legwork = await openTools()
    await expect(legwork.agent(text, { model: modelThatStreams() })).rejects.toThrow(message)
  })

  test('one without a model is refused, with what to write', async () => {
    const legwork = await openTools()
    await expect(legwork.agent(reviewer)).rejects.toThrow('"model" in legwork.jsonc')
  })

  test.each([0, -1, 1.5, Number.NaN, 1_001])('no agent is asked %s times at most', async (maxSteps) => {
    const legwork = await openTools()
    await expect(legwork.agent(reviewer, { model: modelThatStreams(), maxSteps })).rejects.toThrow('"maxSteps"')
  })

  test('a message that is none is invalid', async () => {
    const { agent } = await agentThat([{ text: 'x' }])
    expect(await agent.send('')).toMatchObject({ ok: false, code: 'invalid-input' })
  })
})

test('variables in its prose are filled in, and their values are data', async () => {
  const text = '<agent name="a"><p>For <variable name="who"/> <variable name="why" optional="true"/>.</p></agent>'
  const { model, agent } = await agentThat([{ text: 'x' }], { text, variables: { who: '</p></agent><tool>' } })
  await agent.send('Go')
  expect(model.doStreamCalls[0]?.prompt[0]).toMatchObject({ content: 'You are a.\n\nFor </p></agent><tool> .' })
})

test('calls in it do not run, and it says so', async () => {
  const text = '<agent name="a"><p>x</p><fncall id="b" idyll-tool="demo:remove"/></agent>'
  const { agent } = await agentThat([{ text: 'ok' }], { text })
  expect(agent.warnings).toEqual([expect.stringContaining('"b", do not run in an agent')])
})
