// Agents and custom tools together, as the specification tells it: an agent calls "Search The Web", a model finds the variables, the
// blocks run, and the agent goes on. The model is a local server that speaks the OpenAI protocol.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { modelResolver } from '../../src/adapters/ai-sdk.ts'
import { parseDocument } from '../../src/document/parse.ts'
import { Engine } from '../../src/doors/document.ts'
import { defineTool, type Outcome } from '../../src/index.ts'
import { modelThatSays, openAiServer, type Reply } from '../adapters/models.ts'
import { openLegwork } from '../support/legwork.ts'
import { temporaryFolder } from '../support/temporary.ts'

const searchTheWeb = `<tool title="Search The Web" icon="🔍">
  <tool:description>Searches for information on the web about a topic</tool:description>
  <tool:definition>
    <fncall idyll-tool="web:search">
      <content>Search for <variable name="searchQuery" prompt="What to search for" />
               from <variable name="timeframe" prompt="Time period (optional)" /></content>
    </fncall>
    <fncall idyll-tool="ai:summarize">
      <content>Summarize the search results focusing on <variable name="focusArea" /></content>
    </fncall>
  </tool:definition>
</tool>`

const said = 'Find information about <mention:topic>AI breakthroughs</mention:topic> from last month'
const resolved = {
  searchQuery: 'AI breakthroughs',
  timeframe: 'last month',
  focusArea: 'recent developments and innovations',
}

const harmless = { destructive: false, network: false, filesystem: { write: false } }
const tell = (name: string, words: string) =>
  defineTool({
    name,
    description: '',
    effects: harmless,
    run: (_, { content }) => `${words} «${content.replace(/\s+/g, ' ')}»`,
  })

const asksForTheTool: Reply = { calls: [['custom__search_the_web', { content: said }]] }
const fillsIn: Reply = { text: JSON.stringify(resolved) }
const answers: Reply = { text: 'Much has happened.' }

/** One message to an agent whose document, or whose workspace, has the tool. */
async function ask(
  replies: readonly Reply[],
  { tool = searchTheWeb, isItsOwn = true, message = 'What is new in AI?' } = {},
) {
  const server = await openAiServer(...replies)
  const workspace = temporaryFolder()
  mkdirSync(join(workspace, 'documents'))
  writeFileSync(join(workspace, 'documents/tools.xml'), `<document>${tool}</document>`)
  const legwork = await openLegwork({
    workspace,
    model: server.model,
    functions: [tell('web:search', 'found'), tell('ai:summarize', 'in short')],
    ...(!isItsOwn && { documents: ['documents/*.xml'] }),
  })
  const agent = await legwork.agent(
    `<agent name="researcher" description="You are curious and brief."><p>Always be precise.</p>${isItsOwn ? tool : ''}</agent>`,
  )
  const outcome = await agent.send(message)
  return { server, legwork, agent, outcome, told: (at: number) => JSON.stringify(server.requests[at]?.body) }
}

const callsOf = ({ calls = [] }: Outcome) => calls.map(({ tool }) => tool)

test('001/Tool visibility: the agent’s model sees name and description, and nothing of the definition', async () => {
  const { told } = await ask([answers])
  expect(told(0)).toContain('custom__search_the_web')
  expect(told(0)).toContain('Searches for information on the web about a topic')
  for (const hidden of ['Summarize the search results', 'fncall', 'tool:definition'])
    expect(told(0)).not.toContain(hidden)
})

test('001/Agents know the variables: which there are, not how they are used', async () => {
  const { told } = await ask([answers])
  for (const name of Object.keys(resolved)) expect(told(0)).toContain(name)
  expect(told(0)).not.toContain('focusing on')
})

test.each([true, false])(
  '001/Interpolation flow 4: the whole example, with the tool in the agent itself: %s',
  async (isItsOwn) => {
    const { outcome, legwork, server, told } = await ask([asksForTheTool, fillsIn, answers], { isItsOwn })
    expect(outcome).toMatchObject({ ok: true, value: 'Much has happened.', modelUse: { calls: 3 } })
    expect(callsOf(outcome)).toEqual(['custom:searchTheWeb'])
    expect(server.requests).toHaveLength(3)
    expect(told(2)).toContain('found «Search for AI breakthroughs from last month»')
    expect(told(2)).toContain('in short «Summarize the search results focusing on recent developments and innovations»')
    const entries = legwork.journal.read({ phase: 'end' }).map(({ tool, caller }) => `${caller} ${tool}`)
    expect(entries).toEqual([
      'library agent:researcher',
      'agent:researcher custom:searchTheWeb',
      expect.stringMatching(/^document:.* ai:summarize$/),
      expect.stringMatching(/^document:.* web:search$/),
    ])
  },
)

test('001/Interpolation flow 4: the same with any model of the AI SDK, such as its mock', async () => {
  const model = modelThatSays(JSON.stringify(resolved))
  const engine = new Engine({
    tools: {
      'web:search': { execute: (_, content) => `found «${content}»` },
      'ai:summarize': { execute: (_, content) => `in short «${content}»` },
    },
    documents: [`<document>${searchTheWeb}</document>`],
    resolveVariables: modelResolver(model),
  })
  onTestFinished(() => engine.close())
  const outcome = await engine.call('Search The Web', {}, said)
  expect(outcome).toMatchObject({
    ok: true,
    value: { variables: Object.entries(resolved), metadata: { blocksExecuted: 2, blocksFailed: 0 } },
    modelUse: { calls: 1, inputTokens: 10, outputTokens: 5 },
  })
  expect(model.doGenerateCalls).toHaveLength(1)
})

test('001/Interpolation flow 3: the model that fills in is told the rich content, the prompts and the agent’s context', async () => {
  const { told, server } = await ask([asksForTheTool, fillsIn, answers])
  for (const part of [
    'AI breakthroughs',
    'from last month',
    'What to search for',
    'Time period (optional)',
    'focusArea',
  ]) {
    expect(told(1)).toContain(part)
  }
  expect(server.requests[1]?.body).toMatchObject({ response_format: { type: 'json_schema' } })
})

test('001/Context provision: the agent gives rich inline content, and a mention in it is known as one', async () => {
  const { told } = await ask([asksForTheTool, fillsIn, answers])
  const question = JSON.parse(told(1)).messages.at(-1).content
  expect(JSON.parse(question).mentions).toMatchObject([{ type: 'topic', label: 'AI breakthroughs' }])
})

test('001/Resolution from inherited context: all of the parent agent’s, by default', async () => {
  const { told } = await ask([asksForTheTool, fillsIn, answers])
  expect(told(1)).toContain('What is new in AI?')
  expect(told(1)).toContain('Always be precise.')
})

test('001/Inherits personality: and tone', async () => {
  const { told } = await ask([asksForTheTool, fillsIn, answers])
  expect(told(1)).toContain('You are curious and brief.')
})

test('001/Inherits conversation: what was said in earlier messages too', async () => {
  const { agent, server } = await ask([{ text: 'Hello Ann.' }, asksForTheTool, fillsIn, answers], {
    message: 'I am Ann',
  })
  await agent.send('What is new in AI?')
  const question = JSON.stringify(server.requests[2]?.body)
  for (const part of ['I am Ann', 'Hello Ann.', 'What is new in AI?']) expect(question).toContain(part)
})

test('001/Inherits document: the one that the agent works on', async () => {
  const { legwork, server } = await ask([answers, asksForTheTool, fillsIn, answers], { isItsOwn: false })
  const parsed = parseDocument('<document><p>Notes on the moon.</p></document>')
  const about = parsed.ok ? { about: parsed.document } : {}
  const agent = await legwork.agent('<agent name="editor"><p>You edit.</p></agent>', about)
  await agent.send('What is new?')
  for (const at of [1, 2]) expect(JSON.stringify(server.requests[at]?.body)).toContain('Notes on the moon.')
})

test('001/Inherits previous results: of the tools that the agent called before', async () => {
  const first: Reply = { calls: [['web--search', {}]] }
  const { told } = await ask([first, asksForTheTool, fillsIn, answers])
  expect(told(2)).toContain('found «»')
})

test('001/Class and method pattern: the same tool, called by another agent, works with that agent’s context', async () => {
  const { server, legwork } = await ask([answers, asksForTheTool, fillsIn, answers], { isItsOwn: false })
  const other = await legwork.agent('<agent name="poet"><p>You speak in rhymes.</p></agent>')
  await other.send('Sing of AI')
  const question = JSON.stringify(server.requests[2]?.body)
  expect(question).toContain('You speak in rhymes.')
  expect(question).not.toContain('Always be precise.')
})

test('001/AI-native parameters: one question for all variables, however often they are used', async () => {
  const { server } = await ask([asksForTheTool, fillsIn, answers])
  const questions = server.requests.filter(({ body }) => body.stream !== true)
  expect(questions).toHaveLength(1)
})

const isolated = searchTheWeb.replace('<tool ', '<tool isolated="true" ')
const extracts: Reply = { text: 'Three breakthroughs.' }

test('001/Subprocess then main agent continues: with the extracted result', async () => {
  const { outcome, told } = await ask([asksForTheTool, fillsIn, extracts, answers], { tool: isolated })
  expect(outcome).toMatchObject({ ok: true, value: 'Much has happened.' })
  expect(told(2)).toContain('found «Search for AI breakthroughs')
  expect(told(3)).toContain('Three breakthroughs.')
})

test('001/Subprocess does not pollute the conversation: the inner calls are not in it, and are in the journal', async () => {
  const { told, legwork } = await ask([asksForTheTool, fillsIn, extracts, answers], { tool: isolated })
  expect(told(3)).not.toContain('found «')
  expect(told(3)).not.toContain('in short «')
  expect(legwork.journal.read({ phase: 'end', tool: 'web:search' })).toHaveLength(1)
})

test('001/Subprocess is isolated: the model that fills in is told nothing of the agent', async () => {
  const { told } = await ask([asksForTheTool, fillsIn, extracts, answers], { tool: isolated })
  for (const hidden of ['Always be precise.', 'curious', 'What is new in AI?']) expect(told(1)).not.toContain(hidden)
})

test('001/Subprocess is cost-effective: later messages carry the one result, where they would carry all', async () => {
  const apart = await ask([asksForTheTool, fillsIn, extracts, answers, answers], { tool: isolated })
  await apart.agent.send('Go on')
  const together = await ask([asksForTheTool, fillsIn, answers, answers])
  await together.agent.send('Go on')
  expect(apart.told(4)).not.toContain('found «')
  expect(together.told(3)).toContain('found «')
})
