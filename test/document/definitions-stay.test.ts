// The definition of a custom tool is for its owner: no caller gets it, whichever way it asks, and no model.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { modelExtractor, modelResolver } from '../../src/adapters/ai-sdk.ts'
import { Engine, type EngineOptions } from '../../src/doors/document.ts'
import { defineTool } from '../../src/index.ts'
import { modelThatSays, modelThatStreams } from '../adapters/models.ts'
import { openLegwork } from '../support/legwork.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { harmless } from './engine.ts'

const body = '<fncall fn="say"><content>INNER <variable name="q" prompt="What"/></content></fncall>'
const tool = (title: string, blocks = body, attributes = '') =>
  `<tool title="${title}" ${attributes}><tool:description>Finds</tool:description><tool:definition>${blocks}</tool:definition></tool>`
const documentOf = (...tools: string[]) =>
  `<document id="home"><p>Prose before</p>${tools.join('')}<p>after</p></document>`
const mention = 'q as in <mention:document id="home">it</mention:document>'

function open(text: string, more: Partial<EngineOptions<Record<string, unknown>, unknown>> = {}) {
  const engine = new Engine<Record<string, unknown>>({
    tools: { say: { execute: (_, content) => content } },
    documents: [text],
    ...more,
  })
  onTestFinished(() => engine.close())
  return engine
}

test('an isolated tool that mentions the document it is defined in is given the prose, without the tools', async () => {
  const model = modelThatSays('{"q": "x"}')
  const engine = open(documentOf(tool('Find It', body, 'isolated="true"'), tool('Other', body.replace('q', 'r'))), {
    resolveVariables: modelResolver(model),
  })
  expect(await engine.call('Find It', {}, mention)).toMatchObject({ ok: true })
  const told = JSON.stringify(model.doGenerateCalls)
  expect(told).toContain('Prose before')
  expect(told).toContain('after')
  expect(told).not.toContain('INNER')
})

test('a tool that another one calls is not told how the other one is defined', async () => {
  const model = modelThatSays('{"q": "x"}')
  const outer = tool('Outer', '<fncall fn="custom:findIt"><content>OUTER-BODY</content></fncall><!-- HIDDEN -->')
  const engine = open(documentOf(outer, tool('Find It')), { resolveVariables: modelResolver(model) })
  expect(await engine.call('Outer')).toMatchObject({ ok: true })
  const told = JSON.stringify(model.doGenerateCalls)
  expect(told).toContain('Prose before')
  expect(told).not.toContain('INNER')
  expect(told).not.toContain('HIDDEN')
})

test('an extractor’s model is told what the blocks gave, and not how they are made', async () => {
  const model = modelThatSays('short')
  const block = '<fncall fn="say"><content>said</content></fncall><!-- HIDDEN -->'
  const engine = open(documentOf(tool('T', block, 'isolated="true"')), { extract: modelExtractor(model) })
  expect(await engine.call('T', {}, mention)).toMatchObject({ text: 'short' })
  expect(JSON.stringify(model.doGenerateCalls)).not.toContain('HIDDEN')
})

test('an agent that works on a document is told its prose, and not how its tools are made', async () => {
  const legwork = await openLegwork()
  const { parseDocument } = await import('../../src/doors/document.ts')
  const parsed = parseDocument(documentOf(tool('Find It')))
  const model = modelThatStreams({ text: 'ok' })
  const agent = await legwork.agent('<agent name="a"><p>x</p></agent>', {
    model,
    ...(parsed.ok && { about: parsed.document }),
  })
  await agent.send('Go')
  const told = JSON.stringify(model.doStreamCalls)
  expect(told).toContain('Prose before')
  expect(told).not.toContain('INNER')
})

test.each([{ isolated: true }, { preview: true }])('a caller cannot ask for %j: neither is offered', async (input) => {
  const engine = open(documentOf(tool('Find It')))
  expect(await engine.call('Find It', input, mention)).toMatchObject({ ok: false, code: 'invalid-input' })
})

test('the owner’s code can have any run apart, by the engine or for one call', async () => {
  const extract = () => 'extracted'
  const text = documentOf(tool('T', '<fncall id="a" fn="say"><content>said</content></fncall>'))
  expect(await open(text, { extract, isolated: true }).call('T')).toMatchObject({ text: 'extracted' })
  const engine = open(text, { extract })
  const texts: string[] = []
  engine.on((event) => void (event.type === 'ended' && event.tool === 'custom:t' && texts.push(event.outcome.text)))
  await engine.executeTool('T', { isolated: true })
  await engine.executeTool('T')
  expect(texts).toEqual(['extracted', 'said'])
})

async function opened() {
  const workspace = temporaryFolder()
  writeFileSync(join(workspace, 'a.xml'), documentOf(tool('Find It')))
  const wrap = defineTool({
    name: 'demo:wrap',
    description: 'Calls a custom tool',
    effects: harmless,
    run: async (_, { call }) => (await call({ tool: 'Find It', content: 'q: x' })).value,
  })
  const say = defineTool({ name: 'say', description: '', effects: harmless, run: (_, { content }) => content })
  return openLegwork({ workspace, documents: ['*.xml'], functions: [wrap, say] })
}

test.each(['library', 'command-line', 'toolcall', 'mcp'] as const)(
  'a tool that calls it hands on the result alone, for the front %s too',
  async (front) => {
    const legwork = await opened()
    const outcome = await legwork.call({ tool: 'demo:wrap', caller: { front } })
    expect(outcome).toMatchObject({ ok: true, value: 'INNER x' })
  },
)

test('a preview tells the values and runs nothing; what has none says so', async () => {
  const legwork = await opened()
  expect(await legwork.preview({ tool: 'find it', content: 'q: x' })).toMatchObject({
    ok: true,
    tool: 'custom:findIt',
    text: '{"q":"x"}',
    calls: [],
    value: { variables: [['q', 'x']] },
  })
  expect(await legwork.preview({ tool: 'say', content: 'q: x' })).toMatchObject({
    ok: false,
    message: expect.stringContaining('no preview'),
  })
  expect(await legwork.preview({ tool: 'nobody at all' })).toMatchObject({ code: 'unknown-tool' })
  expect(legwork.journal.read({ tool: 'say', phase: 'end' })).toMatchObject([{ code: 'tool-failed' }])
})

test('the journal has the record of a run that failed too, and whoever listens does not get it', async () => {
  const blocks = '<fncall id="good" fn="say"><content>said</content></fncall><fncall id="bad" fn="nobody"/>'
  const engine = open(documentOf(tool('Bad', blocks)))
  const logs: string[] = []
  engine.on((event) => void (event.type === 'log' && logs.push(event.message)))
  await engine.call('custom:bad')
  const [end] = engine.journal.read({ tool: 'custom:bad', phase: 'end' })
  expect(end?.message).toMatch(/^1 of 2 blocks of "Bad" failed\.[\s\S]*\n\{"variables":\[\],"blocks":\[\["good"/)
  expect(logs.join()).toContain('1 of 2 blocks')
  expect(logs.join()).not.toContain('"variables"')
})

test('the journal has the whole record of a run, also of a long one', async () => {
  const said = 'long '.repeat(4_000).trim()
  const engine = open(documentOf(tool('Long', `<fncall id="only" fn="say"><content>${said}</content></fncall>`)))
  await engine.call('custom:long')
  const [end] = engine.journal.read({ tool: 'custom:long', phase: 'end' })
  const record = JSON.parse(end?.message ?? '')
  expect(record.blocks[0][0]).toBe('only')
  expect(JSON.stringify(record.blocks[0][1])).toContain(said)
})
