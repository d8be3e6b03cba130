// The second half of specification 001 in its own words: custom tools, variables, what a run gives back, runs apart.

import { expect, expectTypeOf, onTestFinished, test } from 'vitest'
import {
  type BlockResult,
  Engine,
  parseDocument,
  type ResolveVariables,
  type ToolBlock,
  ToolExecutionContext,
  type ToolResult,
  type VariableContext,
  withInherited,
} from '../../src/doors/document.ts'

/** The specification's own example, to the letter. */
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

const about = `<tool title="About">
<tool:definition>
  <!-- First occurrence declares and resolves the variable -->
  <fncall idyll-tool="web:search">
    <content>Search for <variable name="topic" prompt="Main search topic" /></content>
  </fncall>
  
  <!-- Subsequent uses reference the already-resolved value -->
  <fncall idyll-tool="ai:summarize">
    <content>Summarize results about <variable name="topic" /></content>
  </fncall>
</tool:definition></tool>`

const said = 'Find information about <mention:topic>AI breakthroughs</mention:topic> from last month'

const resolved = {
  searchQuery: 'AI breakthroughs',
  timeframe: 'last month',
  focusArea: 'recent developments and innovations',
}

interface HostOptions {
  readonly values?: Readonly<Record<string, string>>
  readonly documents?: readonly string[]
  readonly isolated?: boolean
}

/** A host with the example's tools, and a resolver that knows the answers and remembers what it was asked. */
function host({ values = resolved, documents = [], isolated = false }: HostOptions = {}) {
  const asked: { names: readonly string[]; context: VariableContext }[] = []
  const told: string[] = []
  const resolveVariables: ResolveVariables = (variables, context) => {
    asked.push({ names: variables.map(({ name }) => name), context })
    return values
  }
  const engine = new Engine<Record<string, unknown>>({
    tools: {
      'web:search': {
        execute: (_, content) => {
          told.push(content)
          return [`found by: ${content}`]
        },
      },
      'ai:summarize': {
        execute: (_, content, { previousResults }) => {
          told.push(content)
          return `${previousResults.size} results summarised`
        },
      },
    },
    documents: [`<document id="news"><p>News of the week</p>${searchTheWeb}${about}</document>`, ...documents],
    isolated,
    resolveVariables,
  })
  onTestFinished(() => engine.close())
  return { engine, asked, told }
}

const plainly = (text: string) => text.replace(/\s+/g, ' ')

test('001/Custom tools: a <tool> block in a document is a tool, and so is a <function> block', async () => {
  const newer = about.replace('About', 'Newer').replaceAll('tool:definition', 'function:definition')
  const { engine } = host({
    values: { topic: 'AI' },
    documents: [`<document>${newer.replace('<tool ', '<function ').replace('</tool>', '</function>')}</document>`],
  })
  for (const title of ['About', 'Newer']) {
    expect((await engine.executeTool(title)).metadata).toMatchObject({ toolName: title, blocksSucceeded: 2 })
  }
})

test('001/Custom tool of several blocks: they execute in sequence, each with the results before it', async () => {
  const { engine } = host()
  const { blocks } = await engine.executeTool('Search The Web')
  expect([...blocks.values()].map(({ tool }) => tool)).toEqual(['web:search', 'ai:summarize'])
  expect([...blocks.values()].at(-1)?.result).toBe('1 results summarised')
})

test('001/Custom tool rich content: mentions and links stand in the content by label and by text', async () => {
  const rich = 'Ask <mention:user id="7">Ann</mention:user> about <a href="https://example.com">this</a>'
  const tool = `<tool title="Rich"><tool:definition><fncall idyll-tool="web:search"><content>${rich}</content></fncall></tool:definition></tool>`
  const { engine, told } = host({ documents: [`<document>${tool}</document>`] })
  await engine.executeTool('Rich')
  expect(told).toEqual(['Ask Ann about this'])
})

test('001/Custom tool definition: the example runs with its variables filled in', async () => {
  const { engine, told } = host()
  await engine.executeTool('Search The Web', { content: said })
  expect(told.map(plainly)).toEqual([
    'Search for AI breakthroughs from last month',
    'Summarize the search results focusing on recent developments and innovations',
  ])
})

test('001/Tool matching: "Search The Web" matches the tool above, nearly the same does too', async () => {
  const { engine } = host()
  for (const title of ['Search The Web', 'search the web', 'Serch The Web']) {
    expect((await engine.executeTool(title)).metadata.toolName).toBe('Search The Web')
  }
  await expect(engine.executeTool('Surf The Net')).rejects.toThrow('There is no tool')
})

test('001/Resolution from agent hints: the resolver sees the inline content, mentions included', async () => {
  const { engine, asked } = host()
  await engine.executeTool('Search The Web', { content: said })
  expect(asked[0]?.context).toMatchObject({
    content: 'Find information about AI breakthroughs from last month',
    mentions: [{ type: 'topic', label: 'AI breakthroughs' }],
  })
})

test('001/Resolution from document context: the resolver sees the blocks around the call', async () => {
  const { engine, asked } = host()
  const text = '<document><p>All about AI</p><fncall id="b" fn="custom:searchTheWeb"/></document>'
  await engine.execute(text)
  expect(asked[0]?.context.calledFrom).toMatchObject({ currentBlockId: 'b', document: { text } })
})

test('001/Resolution from variable prompts: the resolver sees each prompt', async () => {
  const prompts: unknown[] = []
  const engine = new Engine<Record<string, unknown>>({
    tools: { 'web:search': { execute: () => 1 }, 'ai:summarize': { execute: () => 2 } },
    documents: [`<document>${searchTheWeb}</document>`],
    resolveVariables: (variables) => {
      prompts.push(...variables.map(({ prompt }) => prompt))
      return resolved
    },
  })
  onTestFinished(() => engine.close())
  await engine.executeTool('Search The Web')
  expect(prompts).toEqual(['What to search for', 'Time period (optional)', undefined])
})

test('001/Declare once, use many: one declaration serves every use', async () => {
  const { engine, told } = host({ values: { topic: 'AI' } })
  await engine.executeTool('About')
  expect(told).toEqual(['Search for AI', 'Summarize results about AI'])
})

test('001/Declaration example: the first occurrence declares, the second refers to it', async () => {
  const { engine, asked } = host({ values: { topic: 'AI' } })
  const { variables } = await engine.executeTool('About')
  expect([...variables]).toEqual([['topic', 'AI']])
  expect(asked.map(({ names }) => names)).toEqual([['topic']])
})

test('001/First occurrence declares: its prompt is the variable’s', () => {
  const parsed = parseDocument(`<document>${about}</document>`)
  const [tool] = parsed.ok ? parsed.document.tools : []
  expect(tool?.variables).toMatchObject([{ name: 'topic', prompt: 'Main search topic' }])
})

test('001/Interpolation only on declaration: the resolver is asked once, however often a variable is used', async () => {
  const { engine, asked } = host({ values: { topic: 'AI' } })
  await engine.executeTool('About')
  expect(asked).toHaveLength(1)
})

test('001/Later uses reference the value: they get the same text', async () => {
  const { engine, told } = host({ values: { topic: '<b>' } })
  await engine.executeTool('About')
  expect(told).toEqual(['Search for <b>', 'Summarize results about <b>'])
})

test('001/Redeclaration is an error: same name, different prompt, told with both places', () => {
  const twice = about.replace('<variable name="topic" />', '<variable name="topic" prompt="Another" />')
  const parsed = parseDocument(`<document>${twice}</document>`)
  const [fault] = parsed.ok ? [] : parsed.faults
  expect(fault).toMatchObject({ code: 'DUPLICATE_VARIABLE', line: 10, related: { line: 5 } })
})

test('001/Variable scope: a value does not outlive its run, nor reach another tool', async () => {
  const values = ['first', 'second']
  const engine = new Engine<Record<string, unknown>>({
    tools: { 'web:search': { execute: (_, content) => content }, 'ai:summarize': { execute: () => 1 } },
    documents: [`<document>${about}</document>`],
    resolveVariables: () => ({ topic: values.shift() ?? '' }),
  })
  onTestFinished(() => engine.close())
  const runs = [await engine.executeTool('About'), await engine.executeTool('About')]
  expect(runs.map(({ variables }) => variables.get('topic'))).toEqual(['first', 'second'])
})

test('001/Interpolation flow 1: a tool is invoked by its title with rich content', async () => {
  const { engine } = host()
  const outcome = await engine.call('Search The Web', {}, said)
  expect(outcome).toMatchObject({ ok: true, tool: 'custom:searchTheWeb', title: 'Search The Web' })
})

test('001/Interpolation flow 2: the variables are extracted with their prompts, or none', () => {
  const parsed = parseDocument(`<document>${searchTheWeb}</document>`)
  const [tool] = parsed.ok ? parsed.document.tools : []
  expect(tool?.variables.map(({ name, prompt, optional }) => [name, prompt, optional])).toEqual([
    ['searchQuery', 'What to search for', false],
    ['timeframe', 'Time period (optional)', true],
    ['focusArea', undefined, false],
  ])
})

const agent = {
  instructions: 'You are terse.',
  conversation: [{ role: 'user', text: 'What is new?' }] as const,
  results: [{ tool: 'web:search', ok: true, text: 'something' }],
}

test('001/Context inheritance: a tool inherits all that the invoking agent hands down', async () => {
  const { engine, asked } = host()
  await withInherited(agent, () => engine.executeTool('Search The Web'))
  expect(asked[0]?.context.inherited).toEqual(agent)
})

test('001/Inherits document: the document being processed is part of it', async () => {
  const { engine, asked } = host()
  const parsed = parseDocument('<agent><p>All about AI</p></agent>')
  if (!parsed.ok) throw new Error('The document does not parse.')
  await withInherited({ document: parsed.document }, () => engine.executeTool('Search The Web'))
  expect(asked[0]?.context.inherited.document).toBe(parsed.document)
})

test('001/Principle AI-first: a prompt in natural language is all that a variable needs', async () => {
  const { engine } = host({ values: { topic: 'AI' } })
  await expect(engine.executeTool('About')).resolves.toMatchObject({ metadata: { blocksFailed: 0 } })
})

test('001/Principle loosely coupled: a value is a string, and no schema stands between', async () => {
  const { engine } = host({ values: { topic: '42' } })
  expect((await engine.executeTool('About')).variables.get('topic')).toBe('42')
})

test('001/Principle progressive enhancement: plain text works, and mentions do better', async () => {
  const engine = new Engine<Record<string, unknown>>({
    tools: { 'web:search': { execute: () => 1 }, 'ai:summarize': { execute: () => 1 } },
    documents: [`<document>${about}</document>`],
  })
  onTestFinished(() => engine.close())
  const plain = await engine.executeTool('About', { content: 'topic: AI' })
  const rich = await engine.executeTool('About', { content: said })
  expect([plain, rich].map(({ variables }) => variables.get('topic'))).toEqual(['AI', 'AI breakthroughs'])
})

test('001/Principle context-aware: without a word about it, everything is inherited', async () => {
  const { engine, asked } = host()
  await withInherited(agent, () => engine.executeTool('Search The Web'))
  expect(asked[0]?.context.inherited.instructions).toBe('You are terse.')
})

test('001/Principle runtime resolution: nothing is resolved before the tool runs', async () => {
  const { engine, asked } = host()
  await engine.call('web:search')
  expect(asked).toEqual([])
  await engine.executeTool('Search The Web')
  expect(asked).toHaveLength(1)
})

test('001/Complete execution context returned: not a single result', async () => {
  const { engine } = host()
  expect(await engine.executeTool('Search The Web')).toBeInstanceOf(ToolExecutionContext)
})

test('001/ToolExecutionContext: variables, blocks, metadata and the definition', async () => {
  expectTypeOf<ToolExecutionContext['variables']>().toEqualTypeOf<ReadonlyMap<string, string>>()
  expectTypeOf<ToolExecutionContext['blocks']>().toEqualTypeOf<ReadonlyMap<string, BlockResult>>()
  expectTypeOf<ToolExecutionContext['toolDefinition']>().toEqualTypeOf<ToolBlock>()
  const { engine } = host()
  const run = await engine.executeTool('Search The Web', { content: said })
  expect(Object.fromEntries(run.variables)).toEqual(resolved)
  expect(run.blocks.size).toBe(2)
  expect(run.metadata).toEqual({
    toolName: 'Search The Web',
    duration: expect.any(Number),
    blocksExecuted: 2,
    blocksSucceeded: 2,
    blocksFailed: 0,
  })
  expect(run.toolDefinition).toMatchObject({ kind: 'tool', title: 'Search The Web', icon: '🔍' })
})

test('001/Return value can be stored: as JSON, and read again', async () => {
  const { engine } = host()
  const run = await engine.executeTool('Search The Web')
  expect(ToolExecutionContext.fromJSON(JSON.stringify(run))).toEqual(run)
})

test('001/Return value is transparent: every block says what it gave, by which tool, in which call', async () => {
  const { engine } = host()
  const { blocks } = await engine.executeTool('Search The Web')
  for (const result of blocks.values()) {
    expect(result).toMatchObject({ result: expect.anything(), tool: expect.any(String), callId: expect.any(String) })
  }
})

test('001/Return value is extracted by the caller: any block’s result is at hand', async () => {
  const { engine } = host()
  const { blocks } = await engine.executeTool('Search The Web')
  expect(blocks.values().next().value?.result).toEqual([expect.stringContaining('found by: Search for AI')])
})

test('001/Return value is an audit trail: the calls that it names stand in the journal below the tool’s', async () => {
  const { engine } = host()
  const { blocks } = await engine.executeTool('Search The Web')
  const entries = engine.journal.read({ phase: 'end' })
  const own = entries.find(({ tool }) => tool === 'custom:searchTheWeb')
  for (const { callId } of blocks.values()) {
    expect(entries.find((entry) => entry.callId === callId)?.parentId).toBe(own?.callId)
  }
})

/** One run for a main agent that listens. */
async function heardBy(isolated: boolean) {
  const heard: ToolResult[] = []
  const { engine, asked } = host({ isolated })
  const content = 'As in <mention:document id="news">the news</mention:document>'
  const inherited = { ...agent, heard: (result: ToolResult) => heard.push(result) }
  const outcome = await withInherited(inherited, () => engine.call('Search The Web', {}, content))
  return { heard, context: asked[0]?.context, outcome, journal: engine.journal }
}

test('001/Subprocess main agent asks: it calls the tool apart, as any other', async () => {
  expect((await heardBy(true)).outcome).toMatchObject({ ok: true, text: '1 results summarised' })
})

test('001/Subprocess is isolated: it starts without the agent’s context', async () => {
  expect((await heardBy(true)).context?.inherited).toEqual({})
  expect((await heardBy(false)).context?.inherited.instructions).toBe('You are terse.')
})

test('001/Subprocess loads resources: the documents that are mentioned, all of their prose', async () => {
  const { context } = await heardBy(true)
  expect(context?.resources?.[0]?.text).toContain('<p>News of the week</p>')
  expect((await heardBy(false)).context?.resources).toBeUndefined()
})

test('001/Subprocess executes in isolation: the agent hears nothing of its calls', async () => {
  expect((await heardBy(true)).heard).toEqual([])
  expect((await heardBy(false)).heard.map(({ tool }) => tool)).toEqual(['web:search', 'ai:summarize'])
})

test('001/Subprocess resolves ids: a mention by id has its text', async () => {
  const { context } = await heardBy(true)
  expect(context?.resources).toMatchObject([{ type: 'document', id: 'news', label: 'the news' }])
})

test('001/Subprocess example: ten inner calls, one result, and the whole in the journal', async () => {
  const block = '<fncall idyll-tool="web:search"><content>a long page</content></fncall>'
  const tool = `<tool title="Research Assistant" isolated="true"><tool:definition>${block.repeat(10)}</tool:definition></tool>`
  const heard: ToolResult[] = []
  const engine = new Engine<Record<string, unknown>>({
    tools: { 'web:search': { execute: (_, content) => content.repeat(100) } },
    documents: [`<document>${tool}</document>`],
    extract: ({ blocks }) => `${blocks.size} pages`,
  })
  onTestFinished(() => engine.close())
  const inherited = { heard: (result: ToolResult) => heard.push(result) }
  const outcome = await withInherited(inherited, () => engine.call('Research Assistant'))
  expect([outcome.text, heard]).toEqual(['10 pages', []])
  expect(engine.journal.read({ tool: 'web:search', phase: 'end' })).toHaveLength(10)
})

test('001/Interpolation is core: a document’s own variables are filled in the same way', async () => {
  const { engine, told } = host({ values: { topic: 'AI' } })
  await engine.execute(
    '<document><fncall fn="web:search"><content><variable name="topic"/></content></fncall></document>',
  )
  expect(told).toEqual(['AI'])
})

test('001/Variables identified by parsing: nobody has to list them', () => {
  const parsed = parseDocument(`<document>${about}</document>`)
  expect(parsed.ok && parsed.document.tools[0]?.variables.map(({ name }) => name)).toEqual(['topic'])
})

test('001/Inline content generators: what a variable makes is text where it stands', async () => {
  const { engine, told } = host({ values: { topic: 'quiet summer days' } })
  await engine.executeTool('About')
  expect(told[0]).toBe('Search for quiet summer days')
})

test('001/Optional variable types: a type and options are checked, and the value is still text', async () => {
  const variable = '<variable name="amount" type="number" options="1,2"/>'
  const tool = `<tool title="Typed"><tool:definition><fncall idyll-tool="web:search"><content>${variable}</content></fncall></tool:definition></tool>`
  const good = host({ values: { amount: '2' }, documents: [`<document>${tool}</document>`] })
  expect((await good.engine.executeTool('Typed')).variables.get('amount')).toBe('2')
  for (const amount of ['two', '3']) {
    const bad = host({ values: { amount }, documents: [`<document>${tool}</document>`] })
    await expect(bad.engine.executeTool('Typed')).rejects.toThrow(`"${amount}", not`)
  }
})
