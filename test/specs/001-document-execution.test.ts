// The first half of specification 001 in its own words: documents, blocks, state, errors, host and engine.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, expectTypeOf, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { readDocument } from '../../src/document/parse.ts'
import {
  type BlockExecutionContext,
  type BlockResult,
  type Document,
  DocumentError,
  Engine,
  ExecutionState,
  parseDocument,
} from '../../src/doors/document.ts'

/** The tools of the specification's own example, and two more. */
function host() {
  const calls: { params: unknown; content: string; context: BlockExecutionContext }[] = []
  const engine = new Engine({
    tools: {
      echo: {
        schema: z.object({ message: z.string() }),
        execute: (params, content, context) => {
          calls.push({ params, content, context })
          return { message: params.message }
        },
      },
      'ai:generate': {
        schema: z.object({ prompt: z.string(), temperature: z.number().optional() }),
        execute: async (params, content, context) => {
          calls.push({ params, content, context })
          return `${params.prompt} at ${params.temperature ?? 'no temperature'}`
        },
      },
      fail: {
        execute: () => {
          throw new Error('out of paper')
        },
      },
      see: {
        execute: (_, content, context) => {
          calls.push({ params: {}, content, context })
          return [...context.previousResults].map(([id, { result, error }]) => [id, error?.message ?? result])
        },
      },
    },
  })
  onTestFinished(() => engine.close())
  return { engine, calls }
}

const echo = (id: string, message = id, content = '') =>
  `<fncall id="${id}" idyll-tool="echo"><params>{"message": "${message}"}</params>${content && `<content>${content}</content>`}</fncall>`
const documentOf = (...blocks: string[]) => `<document>\n  <p>Prose</p>\n  ${blocks.join('\n  ')}\n</document>\n`

function parsed(text: string): Document {
  const given = parseDocument(text)
  if (!given.ok) throw new DocumentError(given.faults)
  return given.document
}

test('001/Executable blocks: the <fncall> elements of a document run, its prose does not', async () => {
  const { engine } = host()
  const state = await engine.execute(documentOf(echo('a'), '<h1>Heading</h1>', echo('b')))
  expect([...state.blocks.keys()]).toEqual(['a', 'b'])
})

test('001/Host-agnostic framework: an engine needs nothing but tools, and touches no file', async () => {
  const engine = new Engine({ tools: { answer: { execute: () => 42 } } })
  onTestFinished(() => engine.close())
  const state = await engine.execute('<document><fncall id="a" idyll-tool="answer"/></document>')
  expect(state.blocks.get('a')?.result).toBe(42)
})

test('001/Document Context: blocks run within a document', async () => {
  const { engine, calls } = host()
  const document = parsed(documentOf(echo('a')))
  await engine.execute(document)
  expect(calls[0]?.context).toMatchObject({ currentBlockId: 'a', document })
})

test('001/Tool Context: tools are invoked programmatically', async () => {
  const { engine } = host()
  expect(await engine.call('echo', { message: 'hi' })).toMatchObject({ ok: true, value: { message: 'hi' } })
})

test('001/Trigger single block: only that block runs', async () => {
  const { engine, calls } = host()
  const state = await engine.execute(documentOf(echo('a'), echo('b')), { mode: 'single', blockId: 'b' })
  expect([...state.blocks.keys()]).toEqual(['b'])
  expect(calls).toHaveLength(1)
})

test('001/Trigger full document: all executable blocks run in linear sequence', async () => {
  const { engine, calls } = host()
  await engine.execute(documentOf(echo('a'), echo('b'), echo('c')), { mode: 'document' })
  expect(calls.map(({ context }) => context.currentBlockId)).toEqual(['a', 'b', 'c'])
})

test('001/No cycles or branches: a block runs once, after the one before it has ended', async () => {
  const order: string[] = []
  const slow = {
    execute: async (_: unknown, content: string) => {
      order.push(`${content} begins`)
      await new Promise((resolve) => setTimeout(resolve, 2))
      order.push(`${content} ends`)
    },
  }
  const engine = new Engine({ tools: { slow } })
  onTestFinished(() => engine.close())
  const block = (text: string) => `<fncall idyll-tool="slow"><content>${text}</content></fncall>`
  await engine.execute(documentOf(block('a'), block('b')))
  expect(order).toEqual(['a begins', 'a ends', 'b begins', 'b ends'])
})

test('001/Result storage: results are stored in the <result> element within the <fncall> block', async () => {
  const { engine } = host()
  const document = parsed(documentOf(echo('a')))
  const text = document.withResults(await engine.execute(document))
  expect(text).toMatch(/<fncall id="a".*<result[^>]*>.*\{"message": ?"a"\}.*<\/result>\s*<\/fncall>/s)
})

test('001/Document updated with results: the updated text parses, and its blocks have the results', async () => {
  const { engine } = host()
  const document = parsed(documentOf(echo('a')))
  const updated = parsed(document.withResults(await engine.execute(document)))
  expect(JSON.parse(updated.calls[0]?.result?.raw ?? '')).toEqual({ message: 'a' })
})

test('001/Persistence is not implied: a file is written only when that is asked for', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'legwork-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'report.xml')
  const text = documentOf(echo('a'))
  writeFileSync(file, text)
  const read = await readDocument(file)
  if (!read.ok) throw new DocumentError(read.faults)
  const state = await host().engine.execute(read.document)
  expect(readFileSync(file, 'utf8')).toBe(text)
  expect(await read.document.write(state)).toMatchObject({ ok: true })
  expect(readFileSync(file, 'utf8')).toBe(read.document.withResults(state))
})

test('001/Running without modifying: results are kept separate', async () => {
  const document = parsed(documentOf(echo('a')))
  const state = await host().engine.execute(document)
  expect(state.blocks.get('a')?.result).toEqual({ message: 'a' })
  expect(document.calls[0]?.result).toBeUndefined()
})

test('001/Execution state is external: it is an object of its own', async () => {
  const document = parsed(documentOf(echo('a')))
  const [one, other] = [await host().engine.execute(document), await host().engine.execute(document)]
  expect(one).toBeInstanceOf(ExecutionState)
  expect(one).not.toBe(other)
})

test('001/Document immutable during execution: a tool that tries to change it gets an error', async () => {
  const engine = new Engine({
    tools: { change: { execute: (_, __, { document }) => (document.calls as unknown[]).pop() } },
  })
  onTestFinished(() => engine.close())
  const state = await engine.execute('<document><fncall id="a" idyll-tool="change"/></document>')
  expect(state.blocks.get('a')?.error).toBeInstanceOf(Error)
})

test('001/Execution state accumulates: from each block', async () => {
  const state = await host().engine.execute(documentOf(echo('a'), echo('b')))
  expect([...state.blocks.values()].map(({ result }) => result)).toEqual([{ message: 'a' }, { message: 'b' }])
})

test('001/Host merges execution state: where and whether it likes', async () => {
  const document = parsed(documentOf(echo('a'), echo('b')))
  const state = await host().engine.execute(document)
  const part = { blocks: [...state.blocks].filter(([id]) => id === 'b') }
  const merged = parsed(document.withResults(part))
  expect(merged.calls.map(({ result }) => result !== undefined)).toEqual([false, true])
})

test('001/Execution state structure: ordered blocks with result, error and duration; metadata', async () => {
  const state = await host().engine.execute(documentOf(echo('b'), '<fncall id="a" idyll-tool="fail"/>'))
  expectTypeOf(state.blocks).toExtend<ReadonlyMap<string, { result?: unknown; error?: Error; duration?: number }>>()
  expectTypeOf(state.metadata).toExtend<{ totalDuration: number; blocksExecuted: number }>()
  expect([...state.blocks]).toMatchObject([
    ['b', { result: { message: 'b' }, duration: expect.any(Number) }],
    ['a', { error: expect.any(Error), duration: expect.any(Number) }],
  ])
  expect(state.metadata).toMatchObject({ totalDuration: expect.any(Number), blocksExecuted: 2 })
  expect(JSON.stringify(ExecutionState.fromJSON(JSON.stringify(state)))).toBe(JSON.stringify(state))
})

test('001/Tool input parameters: from the <params> element', async () => {
  const { engine, calls } = host()
  await engine.execute(documentOf(echo('a', 'hello')))
  expect(calls[0]?.params).toEqual({ message: 'hello' })
})

test('001/Tool input content: from the <content> element as instructions', async () => {
  const { engine, calls } = host()
  const rich = 'Be <strong>kind</strong> to <mention:user id="7" label="Ada"/>, see <a href="/x">here</a>'
  await engine.execute(documentOf(echo('a', 'a', rich), echo('b')))
  expect(calls.map(({ content }) => content)).toEqual(['Be kind to Ada, see here', ''])
})

test('001/Tool input execution context: previous block results and document state', async () => {
  const { engine, calls } = host()
  await engine.execute(documentOf(echo('a'), echo('b')))
  expect(calls[1]?.context.previousResults.get('a')?.result).toEqual({ message: 'a' })
  expect(calls[1]?.context.document.calls).toHaveLength(2)
})

test('001/Linearly accruing context: each block sees one more result than the one before', async () => {
  const { engine, calls } = host()
  await engine.execute(documentOf(echo('a'), echo('b'), echo('c')))
  expect(calls.map(({ context }) => [...context.previousResults.keys()])).toEqual([[], ['a'], ['a', 'b']])
})

test('001/Access to previous results: through the execution context', async () => {
  const state = await host().engine.execute(documentOf(echo('a'), '<fncall id="b" idyll-tool="see"/>'))
  expect(state.blocks.get('b')?.result).toEqual([['a', { message: 'a' }]])
})

test('001/Awareness of document structure: a tool can see the prose around its block', async () => {
  const { engine, calls } = host()
  await engine.execute(documentOf(echo('a')))
  expect(calls[0]?.context.document.blocks.map(({ kind }) => kind)).toEqual(['paragraph', 'call'])
})

test('001/No non-linear references: a block sees nothing of those after it, stored results included', async () => {
  const { engine } = host()
  const text = documentOf(
    '<fncall id="a" idyll-tool="see"/>',
    `${echo('b').slice(0, -9)}<result>"old"</result></fncall>`,
  )
  const state = await engine.execute(text, { mode: 'single', blockId: 'a' })
  expect(state.blocks.get('a')?.result).toEqual([])
})

test('001/BlockExecutionContext: its three members', () => {
  expectTypeOf<BlockExecutionContext['currentBlockId']>().toEqualTypeOf<string>()
  expectTypeOf<BlockExecutionContext['previousResults']>().toEqualTypeOf<ReadonlyMap<string, BlockResult>>()
  expectTypeOf<BlockExecutionContext['document']>().toEqualTypeOf<Document>()
})

test('001/Tool resolution: an identifier leads to its tool, another one is told with what is near', async () => {
  const { engine } = host()
  const call = (id: string, tool: string) =>
    `<fncall id="${id}" idyll-tool="${tool}"><params>{"prompt": "x"}</params></fncall>`
  const state = await engine.execute(documentOf(call('a', 'ai:generate'), call('b', 'ai:generat')))
  expect(state.blocks.get('a')?.result).toBe('x at no temperature')
  expect(state.blocks.get('b')?.error).toMatchObject({
    code: 'unknown-tool',
    message: expect.stringContaining('"ai:generate"'),
  })
})

test('001/Host provides tool implementations: and the engine has no others', async () => {
  const state = await host().engine.execute(documentOf('<fncall id="a" idyll-tool="wc"/>'))
  expect(state.blocks.get('a')?.error).toMatchObject({ code: 'unknown-tool' })
})

test('001/Engine agnostic to implementations: whatever a tool is made of, it is a function of the host', async () => {
  class Counter {
    #count = 0
    execute = () => ++this.#count
  }
  const engine = new Engine({ tools: { count: new Counter(), 'a:b': { execute: async () => 'async' } } })
  onTestFinished(() => engine.close())
  const state = await engine.execute(
    documentOf('<fncall id="a" idyll-tool="count"/>', '<fncall id="b" idyll-tool="a:b"/>'),
  )
  expect([...state.blocks.values()].map(({ result }) => result)).toEqual([1, 'async'])
})

test('001/Convenient local testing: an engine and a document in two lines', async () => {
  const engine = new Engine({ tools: { hi: { execute: () => 'hi' } } })
  expect((await engine.execute('<document><fncall id="a" idyll-tool="hi"/></document>')).ok).toBe(true)
  await engine.close()
})

test('001/Tool registration: new Engine({tools}) with a Zod schema for each', async () => {
  const { engine } = host()
  const state = await engine.execute(
    documentOf('<fncall id="a" idyll-tool="echo"><params>{"message": 7}</params></fncall>'),
  )
  expect(state.blocks.get('a')?.error).toMatchObject({ code: 'invalid-input' })
})

test('001/Registration example echo: gives its message back', async () => {
  expect((await host().engine.execute(documentOf(echo('a', 'hi')))).blocks.get('a')?.result).toEqual({ message: 'hi' })
})

test('001/Registration example ai:generate: asynchronous, with an optional parameter', async () => {
  const block = '<fncall id="a" idyll-tool="ai:generate"><params>{"prompt": "x", "temperature": 0.5}</params></fncall>'
  expect((await host().engine.execute(documentOf(block))).blocks.get('a')?.result).toBe('x at 0.5')
})

test('001/Error handling continues: with the remaining blocks', async () => {
  const state = await host().engine.execute(documentOf('<fncall id="a" idyll-tool="fail"/>', echo('b')))
  expect(state.blocks.get('b')?.result).toEqual({ message: 'b' })
  const stopped = await host().engine.execute(documentOf('<fncall id="a" idyll-tool="fail"/>', echo('b')), {
    stopOnError: true,
  })
  expect(stopped.blocks.has('b')).toBe(false)
})

test('001/Errors stored in execution state: for that block', async () => {
  const state = await host().engine.execute(documentOf('<fncall id="a" idyll-tool="fail"/>'))
  expect(state.blocks.get('a')?.error?.message).toBe('out of paper')
})

test('001/Host handles errors: by code, for each block', async () => {
  const state = await host().engine.execute(
    documentOf('<fncall id="a" idyll-tool="fail"/>', '<fncall id="b" idyll-tool="nope"/>'),
  )
  expect([...state.blocks.values()].map(({ error }) => error?.code)).toEqual(['tool-failed', 'unknown-tool'])
})

test('001/Errors give context to later blocks', async () => {
  const state = await host().engine.execute(
    documentOf('<fncall id="a" idyll-tool="fail"/>', '<fncall id="b" idyll-tool="see"/>'),
  )
  expect(state.blocks.get('b')?.result).toEqual([['a', 'out of paper']])
})

test('001/Engine manages execution flow: from one block on, only some, all but some', async () => {
  const text = documentOf(echo('a'), echo('b'), echo('c'))
  const ran = async (options: object) => [...(await host().engine.execute(text, options)).blocks.keys()]
  expect(await ran({ from: 'b' })).toEqual(['b', 'c'])
  expect(await ran({ only: ['a', 'c'] })).toEqual(['a', 'c'])
  expect(await ran({ skip: ['a'] })).toEqual(['b', 'c'])
})

test('001/Engine accumulates in ordered map: ids that look like numbers keep their order', async () => {
  const state = await host().engine.execute(documentOf(echo('10'), echo('9'), echo('1')))
  expect([...state.blocks.keys()]).toEqual(['10', '9', '1'])
})

test('001/Engine provides block context: to every tool', async () => {
  const { engine, calls } = host()
  await engine.execute(documentOf(echo('a'), '<fncall id="b" idyll-tool="see"/>'))
  expect(calls.map(({ context }) => context.currentBlockId)).toEqual(['a', 'b'])
})

test('001/Engine returns execution report: how many blocks ran, how many failed, how long it took', async () => {
  const { metadata } = await host().engine.execute(documentOf(echo('a'), '<fncall idyll-tool="fail"/>'))
  expect(metadata).toMatchObject({
    blocksExecuted: 2,
    blocksSucceeded: 1,
    blocksFailed: 1,
    totalDuration: expect.any(Number),
  })
})

test('001/Engine validates parameters: against schemas, and a tool never sees what does not fit', async () => {
  const { engine, calls } = host()
  const state = await engine.execute(documentOf('<fncall id="a" idyll-tool="echo"><params>{}</params></fncall>'))
  expect(state.blocks.get('a')?.error?.issues).toMatchObject([{ path: 'message', code: 'MISSING_REQUIRED' }])
  expect(calls).toEqual([])
})

test('001/Host injects dependencies: what it gives as api reaches every tool', async () => {
  const api = { database: new Map([['ada', 36]]) }
  const engine = new Engine({
    tools: { age: { execute: (_, content, context) => context.api?.database.get(content) } },
    api,
  })
  onTestFinished(() => engine.close())
  const state = await engine.execute(documentOf('<fncall id="a" idyll-tool="age"><content>ada</content></fncall>'))
  expect(state.blocks.get('a')?.result).toBe(36)
})

test('001/Host decides about results: it gets them all, and nothing was done with them', async () => {
  const document = parsed(documentOf(echo('a')))
  const state = await host().engine.execute(document)
  expect(JSON.parse(JSON.stringify(state)).blocks).toHaveLength(1)
  expect(document.text).toBe(documentOf(echo('a')))
})

test('001/Host handles its environment: hooks and events tell it of every block', async () => {
  const told: string[] = []
  await host().engine.execute(documentOf(echo('a')), {
    hooks: {
      beforeBlock: ({ id }) => void told.push(`before ${id}`),
      afterBlock: ({ id }) => void told.push(`after ${id}`),
    },
    onEvent: (event) => event.type === 'block-ended' && told.push(`ended ${event.id}`),
  })
  expect(told).toEqual(['before a', 'ended a', 'after a'])
})

test('001/Host maps modules to functions: a module is the part of a name before its colon', async () => {
  const modules = { text: { upper: (text: string) => text.toUpperCase(), length: (text: string) => text.length } }
  const tools = Object.fromEntries(
    Object.entries(modules.text).map(([name, run]) => [
      `text:${name}`,
      { execute: (_: unknown, content: string) => run(content) },
    ]),
  )
  const engine = new Engine({ tools })
  onTestFinished(() => engine.close())
  const state = await engine.execute(
    documentOf('<fncall id="a" idyll-tool="text:upper"><content>hi</content></fncall>'),
  )
  expect(state.blocks.get('a')?.result).toBe('HI')
})

test('001/Tools are simple functions: of parameters, content and context', async () => {
  const told: unknown[] = []
  const engine = new Engine({ tools: { f: { execute: (...given: unknown[]) => void told.push(given.length) } } })
  onTestFinished(() => engine.close())
  await engine.execute('<document><fncall idyll-tool="f"/></document>')
  expect(told).toEqual([3])
})

test('001/ToolExecutor: params as the schema gives them, content, context with an optional api', () => {
  new Engine({
    tools: {
      f: {
        schema: z.object({ at: z.coerce.date() }),
        execute: async (params, content, context) => {
          expectTypeOf(params).toEqualTypeOf<{ at: Date }>()
          expectTypeOf(content).toEqualTypeOf<string>()
          expectTypeOf(context).toExtend<BlockExecutionContext & { api?: { url: string } }>()
        },
      },
    },
    api: { url: '' },
  })
})

test('001/Host creates tool functions: with whatever they need, which the engine does not know', async () => {
  const greeter = (greeting: string) => ({ execute: (_: unknown, name: string) => `${greeting}, ${name}` })
  const engine = new Engine({ tools: { greet: greeter('Good day') } })
  onTestFinished(() => engine.close())
  const state = await engine.execute(
    '<document><fncall id="a" idyll-tool="greet"><content>Ada</content></fncall></document>',
  )
  expect(state.blocks.get('a')?.result).toBe('Good day, Ada')
})

test('001/Principle linear execution: in document order, whatever holds the blocks', async () => {
  const { engine, calls } = host()
  await engine.execute(
    documentOf(echo('a'), `<bulletlistitem>x${echo('b')}</bulletlistitem>`, `<quote>y${echo('c')}</quote>`),
  )
  expect(calls.map(({ context }) => context.currentBlockId)).toEqual(['a', 'b', 'c'])
})

test('001/Principle immutable documents: the same before and after', async () => {
  const document = parsed(documentOf(echo('a')))
  const before = JSON.stringify(document)
  await host().engine.execute(document)
  expect(JSON.stringify(document)).toBe(before)
  expect(Object.isFrozen(document) && Object.isFrozen(document.calls) && Object.isFrozen(document.calls[0])).toBe(true)
})

test('001/Principle external state: it can be stored apart and gone on from', async () => {
  const text = documentOf(echo('a'), '<fncall id="b" idyll-tool="see"/>')
  const stored = JSON.stringify(await host().engine.execute(text, { only: ['a'] }))
  const state = await host().engine.execute(text, { state: stored })
  expect(state.blocks.get('b')?.result).toEqual([['a', { message: 'a' }]])
  expect(state.metadata.blocksExecuted).toBe(1)
})

test('001/Principle host agnostic: the engine’s own code opens no file, no process and no connection', async () => {
  const folder = join(import.meta.dirname, '../../src/document')
  for (const file of ['execution.ts', 'call-block.ts', 'definition.ts', 'run.ts', 'select.ts', 'state.ts']) {
    expect(readFileSync(join(folder, file), 'utf8')).not.toMatch(/node:(fs|child_process|net|http|https)\b/)
  }
})

test('001/Principle simple testing: tools are made in place', async () => {
  let asked = 0
  const engine = new Engine({ tools: { fake: { execute: () => ++asked } } })
  onTestFinished(() => engine.close())
  await engine.execute('<document><fncall idyll-tool="fake"/><fncall idyll-tool="fake"/></document>')
  expect(asked).toBe(2)
})

test('001/Principle type safety: the types of parameters follow from the schema', () => {
  new Engine({
    tools: {
      add: {
        schema: z.object({ a: z.number(), b: z.number().default(1) }),
        execute: (params) => {
          expectTypeOf(params).toEqualTypeOf<{ a: number; b: number }>()
          // @ts-expect-error there is no such parameter
          void params.c
        },
      },
    },
  })
})

test('001/Module part: optional', () => {
  expect(parsed('<document><fncall idyll-tool="echo"/></document>').calls[0]?.tool).toBe('echo')
  expect(parsed('<document><fncall idyll-tool="search:find"/></document>').calls[0]?.tool).toBe('search:find')
})

test('001/Function part: required', () => {
  for (const tool of ['demo:', ':', ''])
    expect(parseDocument(`<document><fncall idyll-tool="${tool}"/></document>`).ok).toBe(false)
})

test('001/Separator: one colon', () => {
  for (const tool of ['a.b', 'a:b:c', 'a/b']) {
    expect(parseDocument(`<document><fncall idyll-tool="${tool}"/></document>`).ok).toBe(false)
  }
})

test('001/Kebab-case is invalid: the message shows the spelling that is not', () => {
  const given = parseDocument(
    '<document><fncall idyll-tool="ai:analyze-text"/><fncall idyll-tool="data:process-csv"/></document>',
  )
  const words = given.ok ? [] : given.faults.map(({ message, hint }) => `${message} ${hint}`)
  expect(words).toEqual([expect.stringContaining('ai:analyzeText'), expect.stringContaining('data:processCsv')])
})

test('001/Root-level functions: have no module', async () => {
  const engine = new Engine({ tools: { echo: { execute: () => 1 }, processData: { execute: () => 2 } } })
  onTestFinished(() => engine.close())
  const state = await engine.execute(
    '<document><fncall idyll-tool="echo"/><fncall idyll-tool="processData"/></document>',
  )
  expect([...state.blocks.values()].map(({ result }) => result)).toEqual([1, 2])
})
