import * as v from 'valibot'
import { describe, expect, expectTypeOf, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import {
  type BlockResult,
  type Document,
  DocumentError,
  type DocumentEvent,
  Engine,
  type EngineOptions,
  type ExecuteOptions,
  ExecutionState,
  parseDocument,
} from '../../src/doors/document.ts'

function open<P extends Readonly<Record<string, unknown>>, Api>(options: EngineOptions<P, Api>): Engine<P, Api> {
  const engine = new Engine(options)
  onTestFinished(() => engine.close())
  return engine
}

const echo = {
  schema: z.object({ message: z.string() }),
  execute: (params: { message: string }) => ({ message: params.message }),
}

const hello = '<document><fncall id="a" idyll-tool="echo"><params>{"message": "hi"}</params></fncall></document>'

describe('registering tools', () => {
  test('the parameters have the type of their schema, whoever made it', async () => {
    const engine = open({
      tools: {
        echo: {
          schema: z.object({ message: z.string() }),
          execute: (params, content, context) => {
            expectTypeOf(params).toEqualTypeOf<{ message: string }>()
            expectTypeOf(content).toEqualTypeOf<string>()
            expectTypeOf(context.currentBlockId).toEqualTypeOf<string>()
            expectTypeOf(context.previousResults).toEqualTypeOf<ReadonlyMap<string, BlockResult>>()
            expectTypeOf(context.document).toEqualTypeOf<Document>()
            expectTypeOf(context.api).toEqualTypeOf<{ query: (text: string) => number } | undefined>()
            // @ts-expect-error the schema has no such parameter
            void params.nothing
            return { message: params.message }
          },
        },
        'ai:generate': {
          schema: z.object({ prompt: z.string(), temperature: z.number().optional(), at: z.coerce.date() }),
          execute: async (params) => {
            expectTypeOf(params.temperature).toEqualTypeOf<number | undefined>()
            expectTypeOf(params.at).toEqualTypeOf<Date>()
            return params.at.getUTCFullYear()
          },
        },
        'v:add': {
          schema: v.object({ a: v.number(), b: v.optional(v.number(), 1) }),
          execute: ({ a, b }) => {
            expectTypeOf(b).toEqualTypeOf<number>()
            return a + b
          },
        },
        free: { execute: (params) => expectTypeOf(params).toEqualTypeOf<unknown>() },
      },
      api: { query: (text: string) => text.length },
    })
    expectTypeOf<Parameters<(typeof engine)['call']>[0]>().toEqualTypeOf<'echo' | 'ai:generate' | 'v:add' | 'free'>()
    const state = await engine.execute(`<document>
      <fncall id="g" idyll-tool="ai:generate"><params>{"prompt": "x", "at": "2026-01-31"}</params></fncall>
      <fncall id="v" idyll-tool="v:add"><params>{"a": 2}</params></fncall></document>`)
    expect(state.blocks.get('g')).toMatchObject({ result: 2026 })
    expect(state.blocks.get('v')).toMatchObject({ result: 3 })
  })

  test('a name that breaks the grammar is refused with the spelling that keeps it', () => {
    const tools = { 'ai:generate-text': { execute: () => 1 } }
    expect(() => new Engine({ tools })).toThrow(/Write "ai:generateText"/)
  })

  test.each([
    ['no function', { echo: {} as never }],
    ['no object', { echo: null as never }],
    ['a mistyped effect', { echo: { execute: () => 1, effects: { destructive: 'no' as never } } }],
  ])('a tool with %s is refused', (_, tools) => {
    expect(() => new Engine({ tools })).toThrow(expect.objectContaining({ code: 'invalid-tool' }))
  })

  test('a limit out of its range is refused', () => {
    expect(() => new Engine({ tools: { echo: { execute: () => 1, timeoutMs: 0 } } })).toThrow('timeoutMs')
  })
})

describe('executing', () => {
  test('a document, parsed or not', async () => {
    const engine = open({ tools: { echo } })
    const parsed = parseDocument(hello)
    if (!parsed.ok) throw new DocumentError(parsed.faults)
    for (const document of [hello, parsed.document]) {
      const state = await engine.execute(document, { mode: 'document' })
      expectTypeOf(state).toEqualTypeOf<ExecutionState>()
      expect([...state.blocks]).toMatchObject([['a', { result: { message: 'hi' }, duration: expect.any(Number) }]])
      expect(state.metadata).toMatchObject({ totalDuration: expect.any(Number), blocksExecuted: 1 })
    }
  })

  test('the mode says which options there are', () => {
    const engine = open({ tools: { echo } })
    type Options = NonNullable<Parameters<typeof engine.execute>[1]>
    expectTypeOf<{ mode: 'single'; blockId: string }>().toExtend<Options>()
    expectTypeOf<{ mode: 'document'; from: string; only: string[]; skip: string[] }>().toExtend<Options>()
    expectTypeOf<{ mode: 'single' }>().not.toExtend<Options>()
  })

  test('the content is "" when there is none', async () => {
    const tools = { look: { execute: (_: unknown, content: string) => ({ content }) } }
    const state = await open({ tools }).execute('<document><fncall id="a" idyll-tool="look"/></document>')
    expect(state.blocks.get('a')).toMatchObject({ result: { content: '' } })
  })

  test('a text that is no document throws, with every fault', async () => {
    const engine = open({ tools: { echo } })
    const failed = engine.execute('<document><p></document>')
    await expect(failed).rejects.toBeInstanceOf(DocumentError)
    await expect(failed).rejects.toMatchObject({ code: 'invalid-document', faults: [expect.anything()] })
    await expect(engine.execute('<diff></diff>')).rejects.toMatchObject({ code: 'execution-failed' })
  })

  test.each([
    ['nothing', undefined, {}, 'invalid-document'],
    ['an object', {}, {}, 'invalid-document'],
    ['what parsing gave, faults and all', parseDocument(hello), {}, 'invalid-document'],
    ['a mode that nobody knows', hello, { mode: 'sngle', blockId: 'a' }, 'invalid-options'],
    ['one block without its id', hello, { mode: 'single' }, 'invalid-options'],
    ['options that are none', hello, 'single', 'invalid-options'],
    ['blocks that are no list', hello, { only: 'a' }, 'invalid-options'],
  ])('%s is misuse, with a code', async (_, document, options, code) => {
    const engine = open({ tools: { echo } })
    await expect(engine.execute(document as never, options as never)).rejects.toMatchObject({ code })
    expect(engine.journal.read()).toEqual([])
  })

  test('a block that nobody knows throws', async () => {
    const engine = open({ tools: { echo } })
    await expect(engine.execute(hello, { mode: 'single', blockId: 'b' })).rejects.toMatchObject({
      code: 'unknown-block',
    })
  })

  test('whoever gives up gets what there is', async () => {
    const engine = open({ tools: { echo, never: { execute: () => new Promise(() => {}) } } })
    const text = `<document>${hello.slice(10, -11)}<fncall id="n" idyll-tool="never"/></document>`
    const controller = new AbortController()
    const events: DocumentEvent[] = []
    const state = await engine.execute(text, {
      signal: controller.signal,
      onEvent: (event) => {
        events.push(event)
        if (event.type === 'block-started' && event.id === 'n') controller.abort()
      },
    })
    expect([...state.blocks.keys()]).toEqual(['a', 'n'])
    expect(state.metadata.stopped).toBe('cancelled')
    expect(events.at(-1)).toMatchObject({ type: 'ended', metadata: { stopped: 'cancelled' } })
  })

  test('a tool may be told to stop, and may call other tools', async () => {
    const engine = open({
      tools: {
        echo,
        outer: {
          execute: async (_, __, { call, signal }) => {
            expect(signal.aborted).toBe(false)
            const outcome = await call({ tool: 'echo', input: { message: 'inner' } })
            return outcome.ok && outcome.value
          },
        },
      },
    })
    const state = await engine.execute('<document><fncall id="a" idyll-tool="outer"/></document>')
    expect(state.blocks.get('a')).toMatchObject({ result: { message: 'inner' } })
  })

  test('every call is in the journal', async () => {
    const engine = open({ tools: { echo } })
    await engine.execute(hello)
    expect(engine.journal.read().map(({ tool, phase }) => `${tool} ${phase}`)).toEqual([
      'document:document end',
      'echo end',
      'echo start',
      'document:document start',
    ])
  })

  test('what the policy forbids is the error of its block', async () => {
    const engine = open({
      tools: { echo, erase: { execute: () => 1, effects: { destructive: true } } },
      policy: { deny: ['erase'] },
    })
    const state = await engine.execute(
      `<document><fncall id="e" idyll-tool="erase"/>${hello.slice(10, -11)}</document>`,
    )
    expect(state.blocks.get('e')?.error).toMatchObject({ code: 'denied' })
    expect(state.blocks.get('a')).toMatchObject({ result: { message: 'hi' } })
  })

  test('a person may be asked', async () => {
    const asked: string[] = []
    const engine = open({
      tools: { erase: { execute: () => 'gone', effects: { destructive: true } } },
      approve: ({ tool }) => asked.push(tool) > 0,
    })
    const state = await engine.execute('<document><fncall id="e" idyll-tool="erase"/></document>')
    expect(state.blocks.get('e')).toMatchObject({ result: 'gone' })
    expect(asked).toEqual(['erase'])
  })

  test('a document that the policy forbids does not run at all', async () => {
    const engine = open({ tools: { echo }, policy: { deny: ['document:*'] } })
    await expect(engine.execute(hello)).rejects.toMatchObject({ code: 'execution-failed' })
  })

  test('a closed engine runs nothing more', async () => {
    const engine = new Engine({ tools: { echo } })
    await engine.close()
    await expect(engine.execute(hello)).rejects.toMatchObject({ code: 'closed' })
  })
})

describe('what the host brings', () => {
  test('its api, its resolver and its hooks reach every run; a run may bring others', async () => {
    const seen: unknown[] = []
    const engine = open({
      tools: { ask: { execute: (_, content, { api }) => api?.answer(content) } },
      api: { answer: (question: string) => `${question}!` },
      resolveVariables: () => new Map([['x', 'why']]),
      hooks: { afterBlock: ({ id }) => seen.push(id) },
    })
    const text = '<document><fncall id="a" idyll-tool="ask"><content><variable name="x"/></content></fncall></document>'
    expect((await engine.execute(text)).blocks.get('a')).toMatchObject({ result: 'why!' })
    const other = await engine.execute(text, { resolveVariables: () => ({ x: 'how' }), hooks: {} })
    expect(other.blocks.get('a')).toMatchObject({ result: 'how!' })
    expect(seen).toEqual(['a'])
  })

  test('the api of a run goes before that of the engine, in custom tools too', async () => {
    const tool =
      '<tool title="Ask it"><tool:definition><fncall id="inside" fn="ask"/></tool:definition></tool><fncall id="b" fn="custom:askIt"/>'
    const engine = open({
      tools: { ask: { execute: (_, __, { api }) => api?.who ?? 'nobody' } },
      api: { who: 'engine' },
      documents: [`<document>${tool}</document>`],
    })
    const text = '<document><fncall id="a" fn="ask"/><fncall id="b" fn="custom:askIt"/></document>'
    const who = async (options: ExecuteOptions) =>
      [...(await engine.execute(text, options)).blocks.values()].map(({ result }) => result)
    expect(await who({})).toEqual(['engine', 'engine'])
    expect(await who({ api: { who: 'run' } })).toEqual(['run', 'run'])
    expect(await engine.call('ask')).toMatchObject({ value: 'engine' })
  })

  test('a call without a document takes the same path', async () => {
    const engine = open({
      tools: {
        echo,
        where: {
          execute: (_, content, { currentBlockId, previousResults, document }) => [
            content,
            currentBlockId,
            previousResults.size,
            document.calls.length,
          ],
        },
      },
    })
    expect(await engine.call('echo', { message: 'hi' })).toMatchObject({ ok: true, value: { message: 'hi' } })
    expect(await engine.call('echo', {})).toMatchObject({ ok: false, code: 'invalid-input' })
    expect(await engine.call('where', {}, 'said')).toMatchObject({ value: ['said', '', 0, 0] })
  })

  test('a state that was stored is gone on from, in another process as well', async () => {
    const first = await open({ tools: { echo } }).execute(hello)
    const stored = JSON.stringify(first)
    const text = `${hello.slice(0, -11)}<fncall id="b" idyll-tool="see"/></document>`
    const tools = {
      echo,
      see: {
        execute: (_: unknown, __: string, { previousResults }: { previousResults: ReadonlyMap<string, BlockResult> }) =>
          previousResults.get('a')?.result,
      },
    }
    const state = await open({ tools }).execute(text, { state: ExecutionState.fromJSON(stored) })
    expect(state.metadata.blocksExecuted).toBe(1)
    expect([...state.blocks]).toMatchObject([
      ['a', {}],
      ['b', { result: { message: 'hi' } }],
    ])
  })
})

describe('a document after its run', () => {
  test('is what it was; its results are merged when the host says so', async () => {
    const parsed = parseDocument(hello)
    if (!parsed.ok) throw new DocumentError(parsed.faults)
    const state = await open({ tools: { echo } }).execute(parsed.document)
    expect(parsed.document.text).toBe(hello)
    expect(parsed.document.withResults(state)).toContain('"message":"hi"')
    const again = parseDocument(parsed.document.withResults(state))
    expect(again.ok && again.document.strip()).toBe(hello)
  })
})
