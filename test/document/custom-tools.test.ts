// Custom tools: what they give back and to whom, nested ones, cycles, variables that cannot be had, values that look like markup.

import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  type DocumentTool,
  Engine,
  type EngineOptions,
  type ResolveVariables,
  ToolExecutionContext,
  withInherited,
} from '../../src/doors/document.ts'

const tool = (title: string, blocks: string, attributes = '') =>
  `<tool title="${title}" ${attributes}><tool:description>Does ${title}</tool:description><tool:definition>${blocks}</tool:definition></tool>`
const call = (name: string, content = '', id = '') =>
  `<fncall ${id && `id="${id}"`} fn="${name}"><content>${content}</content></fncall>`
const topic = '<variable name="topic" prompt="What about"/>'

function open(tools: string, more: Partial<EngineOptions<Record<string, unknown>, unknown>> = {}) {
  const told: string[] = []
  const say: DocumentTool = {
    execute: (_, content) => {
      told.push(content)
      return content
    },
  }
  const fail: DocumentTool = {
    execute: () => {
      throw new Error('it broke')
    },
  }
  const engine = new Engine<Record<string, unknown>>({
    tools: { say, fail },
    documents: [`<document id="home">${tools}</document>`],
    ...more,
  })
  onTestFinished(() => engine.close())
  return { engine, told }
}

test('what it gives is all there is to know, and is the same after it was stored', async () => {
  const { engine } = open(tool('Two', call('say', topic, 'a') + call('say', `again ${topic}`, 'b')))
  const run = await engine.executeTool('Two', { content: 'topic: AI' })
  expect([...run.variables]).toEqual([['topic', 'AI']])
  expect([...run.blocks].map(([id, { result }]) => [id, result])).toEqual([
    ['a', 'AI'],
    ['b', 'again AI'],
  ])
  expect(run.metadata).toMatchObject({ toolName: 'Two', blocksExecuted: 2, blocksSucceeded: 2, blocksFailed: 0 })
  expect(run.toolDefinition.title).toBe('Two')
  const stored = JSON.stringify(run)
  expect(JSON.stringify(ToolExecutionContext.fromJSON(stored))).toBe(stored)
})

test.each([
  ['no object', '[]'],
  ['no JSON', '{'],
  ['no variables', { blocks: [], metadata: {}, toolDefinition: {} }],
  ['a value that is no text', { variables: [['a', 1]], blocks: [] }],
  ['a block that is no object', { variables: [], blocks: [['a', 1]] }],
  ['no name', { variables: [], blocks: [], metadata: {} }],
])('what is no stored run is misuse: %s', (_, stored) => {
  expect(() => ToolExecutionContext.fromJSON(stored)).toThrow('This is no stored run of a custom tool')
})

test('the owner gets the whole run as the value; a model, a script and a document get the last result alone', async () => {
  const { engine } = open(tool('Two', call('say', 'one') + call('say', 'two')))
  const seen: unknown[] = []
  engine.on((event) => {
    if (event.type === 'ended' && event.tool === 'custom:two') seen.push(event.outcome)
  })
  const own = await engine.call('custom:two')
  expect(own).toMatchObject({ ok: true, title: 'Two', text: 'two', value: { metadata: { toolName: 'Two' } } })
  const state = await engine.execute(`<document>${call('custom:two', '', 'x')}</document>`)
  expect(state.blocks.get('x')?.result).toBe('two')
  expect(JSON.stringify(seen.at(-1))).not.toContain('toolDefinition')
})

test('a run that failed gives no definition to others either', async () => {
  const { engine } = open(tool('Bad', call('fail', '', 'a') + call('say', 'on', 'b')))
  const own = await engine.call('custom:bad')
  expect(own).toMatchObject({
    ok: false,
    code: 'tool-failed',
    value: { metadata: { blocksFailed: 1, blocksExecuted: 2 } },
  })
  const state = await engine.execute(`<document>${call('custom:bad', '', 'x')}</document>`)
  expect(state.blocks.get('x')?.error?.message).toContain('"a" (tool-failed): it broke')
  expect(JSON.stringify([...state.blocks])).not.toContain('toolDefinition')
})

test('a secret in a value, a result or a definition shows nowhere', async () => {
  const secret = 'hunter2-hunter2'
  const { engine } = open(tool('T', call('say', `${topic} ${secret}`)), { redact: { values: [secret] } })
  const outcome = await engine.call('custom:t', {}, `topic: ${secret}`)
  expect(outcome.ok).toBe(true)
  expect(JSON.stringify([outcome, engine.journal.read()])).not.toContain(secret)
})

test('the journal has the run, and every call of it below it', async () => {
  const { engine } = open(tool('Two', call('say', topic) + call('say', 'two')))
  await engine.executeTool('Two', { content: 'topic: AI' })
  const entries = engine.journal.read({ limit: 20 })
  const end = entries.find(({ tool: id, phase }) => id === 'custom:two' && phase === 'end')
  expect(end?.message).toMatch(/^\{"variables":\[\["topic","AI"\]\],"blocks":/)
  const inner = entries.filter(({ tool: id, phase }) => id === 'say' && phase === 'end')
  expect(inner.map(({ parentId }) => parentId)).toEqual([end?.callId, end?.callId])
})

describe('nested', () => {
  test('a mention in a block has its variables filled in, and reaches the tool that it calls as a mention', async () => {
    const blocks = call('custom:inner', `<mention:topic>${topic}</mention:topic>`)
    const { engine, told } = open(tool('Outer', blocks) + tool('Inner', call('say', topic)))
    await engine.executeTool('Outer', { variables: { topic: 'AI, and more' } })
    expect(told).toEqual(['AI, and more'])
  })

  test('a custom tool may call another, which keeps its own variables', async () => {
    const { engine, told } = open(
      tool('Outer', call('custom:inner', 'topic: inner') + call('say', topic)) + tool('Inner', call('say', topic)),
    )
    await engine.executeTool('Outer', { content: 'topic: outer' })
    expect(told).toEqual(['inner', 'outer'])
  })

  test.each([
    ['itself', tool('A', call('custom:a')), '"A" → "A"'],
    ['itself through another', tool('A', call('custom:b')) + tool('B', call('custom:a')), '"A" → "B" → "A"'],
  ])('one that calls %s is told the way', async (_, tools, way) => {
    const { engine } = open(tools)
    const run = await engine.executeTool('A')
    expect(JSON.stringify(run)).toContain(JSON.stringify(`A custom tool calls itself: ${way}`).slice(1, -1))
  })

  test('a long way down ends at the depth that calls may have', async () => {
    const many = Array.from({ length: 20 }, (_, at) => tool(`T${at}`, call(`custom:t${at + 1}`)))
    const { engine } = open(many.join('') + tool('T20', call('say', 'deep')))
    const run = await engine.executeTool('T0')
    expect(run.metadata.blocksFailed).toBe(1)
    expect(JSON.stringify(run)).toContain('16 levels deep')
  })
})

describe('variables', () => {
  test('are resolved once, just before the first block that uses one, with what there is by then', async () => {
    const asked: unknown[] = []
    const resolveVariables: ResolveVariables = (variables, context) => {
      asked.push([variables.map(({ name }) => name), context.currentBlockId, [...context.previousResults.keys()]])
      return { topic: 'AI', other: 'x' }
    }
    const blocks = call('say', 'first', 'a') + call('say', topic, 'b') + call('say', '<variable name="other"/>', 'c')
    const { engine, told } = open(tool('T', blocks), { resolveVariables })
    await engine.executeTool('T')
    expect(asked).toEqual([[['topic', 'other'], 'b', ['a']]])
    expect(told).toEqual(['first', 'AI', 'x'])
  })

  test('that are given are not asked for', async () => {
    const asked: string[] = []
    const resolveVariables: ResolveVariables = (variables) => {
      asked.push(...variables.map(({ name }) => name))
      return {}
    }
    const { engine, told } = open(tool('T', call('say', topic)), { resolveVariables })
    await engine.executeTool('T', { variables: { topic: 'AI' } })
    expect([asked, told]).toEqual([[], ['AI']])
  })

  test('one that nothing resolves fails the call by its name and prompt, and no further block runs', async () => {
    const { engine, told } = open(tool('T', call('say', 'first') + call('say', topic) + call('say', 'last')))
    const outcome = await engine.call('custom:t')
    expect(outcome).toMatchObject({
      code: 'invalid-input',
      issues: [{ path: 'variables.topic', code: 'MISSING_REQUIRED' }],
    })
    expect(outcome.text).toContain('"topic" (What about) has no value')
    expect(told).toEqual(['first'])
  })

  test.each([
    ['throws', () => Promise.reject(new Error('no model')), 'tool-failed', 'no model'],
    ['never answers', () => new Promise<never>(() => {}), 'timed-out', 'did not end within'],
    ['answers with other names', () => ({ other: 'x', toString: 'y' }), 'invalid-input', 'has no value'],
    ['answers with an object', () => ({ topic: { a: 1 } as unknown as string }), 'invalid-input', 'is no text'],
    ['answers with nothing', () => undefined as unknown as Record<string, string>, 'invalid-input', 'has no value'],
    ['answers with a megabyte', () => ({ topic: 'x'.repeat(1_000_001) }), 'invalid-input', 'at most 100000'],
    [
      'has a getter',
      () => Object.defineProperty({} as Record<string, string>, 'topic', { get: () => 'x', enumerable: true }),
      'invalid-input',
      'has no value',
    ],
  ] as const)('a resolver that %s', async (_, resolveVariables, code, message) => {
    const { engine, told } = open(tool('T', call('say', topic)), { resolveVariables })
    const outcome = await engine.call('custom:t', {}, '', { timeoutMs: 300 })
    expect(outcome).toMatchObject({ ok: false, code })
    expect(outcome.text).toContain(message)
    expect(told).toEqual([])
  })

  test('a resolver that answers too much gives what was asked, and nothing else', async () => {
    const resolveVariables: ResolveVariables = () => ({ topic: 'AI', more: 'x' })
    const { engine } = open(tool('T', call('say', topic)), { resolveVariables })
    const run = await engine.executeTool('T')
    expect([...run.variables]).toEqual([['topic', 'AI']])
  })

  test.each(['__proto__', 'constructor', 'toString', 'a b', 'größe', 'a.b*c', '$&'])(
    'may be called %s',
    async (name) => {
      const blocks = call('say', `<variable name="${name.replace('&', '&amp;')}"/>`)
      const { engine, told } = open(tool('T', blocks))
      await engine.executeTool('T', { content: `${name}: AI` })
      expect(told).toEqual(['AI'])
    },
  )

  test.each([
    ['type="number"', '-1.5e3', true],
    ['type="number"', 'ten', false],
    ['type="integer"', '12', true],
    ['type="integer"', '1.5', false],
    ['type="boolean"', 'true', true],
    ['type="boolean"', 'yes', false],
    ['options="a,b c"', 'b c', true],
    ['options="a,b c"', 'c', false],
    ['options="a" optional="true"', '', true],
  ])('%s with the value %j fits: %s', async (attributes, value, fits) => {
    const { engine, told } = open(tool('T', call('say', `<variable name="v" ${attributes}/>`)))
    const run = engine.executeTool('T', { variables: { v: value } })
    if (fits) await run
    else await expect(run).rejects.toThrow(/v/)
    expect(told).toEqual(fits ? [value] : [])
  })

  test('a value is text whatever it looks like: no markup, no block, no parameter comes of it', async () => {
    const blocks = `<fncall id="a" fn="see"><params>{"fixed": 1}</params><content>${topic}</content></fncall>`
    const seen: unknown[] = []
    const see: DocumentTool = {
      execute: (params, content) => {
        seen.push([params, content])
        return content
      },
    }
    const engine = new Engine<Record<string, unknown>>({
      tools: { see },
      documents: [`<document>${tool('T', blocks)}</document>`],
    })
    onTestFinished(() => engine.close())
    const values = fc.oneof(
      // One that nobody could see is none.
      fc.string({ unit: 'binary' }).map((text) => `${text}x`),
      fc.constantFrom(
        '</content></fncall>',
        ']]>',
        '<fncall fn="x"/>',
        '"}',
        '&amp;',
        '<variable name="topic"/>',
        '{topic}',
      ),
    )
    await fc.assert(
      fc.asyncProperty(values, async (value) => {
        seen.length = 0
        const run = await engine.executeTool('T', { variables: { topic: value } })
        expect(seen).toEqual([[{ fixed: 1 }, value]])
        expect([...run.blocks.keys()]).toEqual(['a'])
      }),
      { numRuns: 60 },
    )
  })

  test('a value that a block hands on is not read as markup by the tool that it calls', async () => {
    const loaded: string[] = []
    const loadResource = (type: string, id: string) => {
      loaded.push(`${type} ${id}`)
      return 'secret'
    }
    const outer = tool('Outer', call('custom:inner', `topic: ${topic}`))
    const tools = outer + tool('Inner', call('say', topic), 'isolated="true"')
    const { engine, told } = open(tools, { loadResource })
    const mention = '<mention:document id="home">topic: x</mention:document>'
    await engine.executeTool('Outer', { variables: { topic: mention } })
    expect(told).toEqual([mention])
    expect(loaded).toEqual([])
  })
})

describe('without a model', () => {
  test.each([
    ['topic: AI', 'AI'],
    ['Topic : AI breakthroughs', 'AI breakthroughs'],
    ['find topic: AI, and more', 'AI'],
    ['topic: AI; more', 'AI'],
    ['topic: AI\nmore', 'AI'],
    ['topic: AI other: x', 'AI'],
    ['topic="AI, and; more: other: x"', 'AI, and; more: other: x'],
    ["topic='a b'", 'a b'],
    ['topic=""', undefined],
    ['<mention:topic>AI</mention:topic> topic: other', 'AI'],
    ['<mention:topic label="AI"/>', 'AI'],
    ['a < b, topic: AI', 'AI'],
    ['</content><content>topic: AI', 'AI'],
    ['mytopic: AI', undefined],
    ['topic=AI', undefined],
    ['topic:', undefined],
    ['', undefined],
  ])('%j gives the topic %j', async (content, value) => {
    const blocks = call('say', `${topic}<variable name="other" optional="true"/>`)
    const { engine } = open(tool('T', blocks))
    const run = engine.executeTool('T', { content })
    if (value === undefined) await expect(run).rejects.toThrow('"topic" (What about) has no value')
    else expect((await run).variables.get('topic')).toBe(value)
  })

  test('long content full of names takes time in proportion to it', async () => {
    const { engine } = open(tool('T', call('say', topic)))
    const run = await engine.executeTool('T', { content: `topic: AI, ${'topic: "'.repeat(200_000)}` })
    expect(run.variables.get('topic')).toBe('AI')
  })
})

describe('isolation', () => {
  const heardBy = async (attributes: string) => {
    const heard: string[] = []
    const contexts: unknown[] = []
    const resolveVariables: ResolveVariables = (_, { inherited, resources, calledFrom }) => {
      contexts.push([
        inherited.instructions,
        resources?.map(({ text }) => text.slice(0, 20)),
        calledFrom?.currentBlockId,
      ])
      return { topic: 'AI' }
    }
    const { engine } = open(tool('T', call('say', `one ${topic}`) + call('say', 'two'), attributes), {
      resolveVariables,
    })
    const inherited = { instructions: 'You are terse.', heard: ({ text }: { text: string }) => heard.push(text) }
    const content = 'See <mention:document id="home">the document</mention:document>'
    const outcome = await withInherited(inherited, () => engine.call('custom:t', {}, content))
    return { heard, contexts, text: outcome.text }
  }

  test('without it the agent is inherited, and hears what each block gave', async () => {
    expect(await heardBy('')).toEqual({
      heard: ['one AI', 'two'],
      contexts: [['You are terse.', undefined, undefined]],
      text: 'two',
    })
  })

  test('with it nothing comes in but what is mentioned, and nothing goes out but one result', async () => {
    expect(await heardBy('isolated="true"')).toEqual({
      heard: [],
      contexts: [[undefined, ['<document id="home">'], undefined]],
      text: 'two',
    })
  })

  test('an extractor makes the one result; one that fails leaves the last block’s', async () => {
    const tools = tool('T', call('say', 'long'), 'isolated="true"') + tool('Open', call('say', 'long'))
    const good = open(tools, { extract: ({ blocks }) => ({ short: blocks.size }) })
    expect((await good.engine.call('custom:t')).text).toBe('{"short":1}')
    expect((await good.engine.call('custom:open')).text).toBe('long')
    const extract = () => Promise.reject(new Error('no model'))
    const bad = await open(tools, { extract }).engine.call('custom:t')
    expect(bad).toMatchObject({ ok: true, text: 'long', warnings: [expect.stringContaining('no model')] })
  })

  test('a mention that cannot be loaded is a warning, and the blocks see those that can', async () => {
    const seen: unknown[] = []
    const see: DocumentTool = { execute: () => 1 }
    const loadResource = (_: string, id: string) => {
      if (id === 'bad') throw new Error('no such file')
      return `text of ${id}`
    }
    const resolveVariables: ResolveVariables = (_, { resources }) => {
      seen.push(resources)
      return { topic: 'AI' }
    }
    const apart = tool('T', call('see', topic), 'isolated="true"')
    const { engine } = open(apart, { tools: { see }, loadResource, resolveVariables })
    const content =
      '<mention:document id="good">A</mention:document> <mention:document id="bad"/> <mention:user>B</mention:user>'
    const outcome = await engine.call('custom:t', {}, content)
    expect(outcome.warnings).toEqual(['What is mentioned as document "bad" could not be loaded: no such file'])
    expect(seen).toEqual([[{ type: 'document', id: 'good', label: 'A', text: 'text of good' }]])
  })
})
