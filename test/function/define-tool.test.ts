import * as valibot from 'valibot'
import { expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { isFunctionTool } from '../../src/function/define-tool.ts'
import { type Caller, defineTool, LegworkError, NameError, type Progress } from '../../src/index.ts'
import { openLegwork } from '../support/legwork.ts'

test('the type of the input follows from a zod schema', () => {
  defineTool({
    name: 'typed',
    description: '',
    input: z.object({ title: z.string(), count: z.number().default(1) }),
    run: (input, context) => {
      expectTypeOf(input).toEqualTypeOf<{ title: string; count: number }>()
      expectTypeOf(context.signal).toEqualTypeOf<AbortSignal>()
      expectTypeOf(context.caller).toEqualTypeOf<Caller>()
      expectTypeOf(context.callId).toEqualTypeOf<string>()
      expectTypeOf(context.content).toEqualTypeOf<string>()
      expectTypeOf(context.progress).parameter(0).toEqualTypeOf<Progress>()
    },
  })
})

test('the type of the input follows from any Standard Schema', () => {
  defineTool({
    name: 'typed',
    description: '',
    input: valibot.object({ title: valibot.string() }),
    run: (input) => expectTypeOf(input).toEqualTypeOf<{ title: string }>(),
  })
})

test('zod, valibot and JSON Schema all validate, and what the schema makes of the input reaches the tool', async () => {
  const legwork = await openLegwork({
    functions: [
      defineTool({ name: 'a:zod', description: '', input: z.object({ n: z.number().default(3) }), run: ({ n }) => n }),
      defineTool({
        name: 'a:valibot',
        description: '',
        input: valibot.object({ n: valibot.number() }),
        run: ({ n }) => n,
      }),
      defineTool({ name: 'a:json', description: '', input: { type: 'object', required: ['n'] }, run: ({ n }) => n }),
    ],
  })
  expect(await legwork.call({ tool: 'a:zod' })).toMatchObject({ ok: true, value: 3 })
  expect(await legwork.call({ tool: 'a:valibot', input: { n: 4 } })).toMatchObject({ ok: true, value: 4 })
  for (const tool of ['a:valibot', 'a:json']) {
    expect(await legwork.call({ tool, input: {} }), tool).toMatchObject({
      ok: false,
      code: 'invalid-input',
      issues: [{ path: 'n' }],
    })
  }
})

test('a Standard Schema gets the input as it is: no text becomes a number', async () => {
  const tool = defineTool({ name: 'n', description: '', input: z.object({ n: z.number() }), run: ({ n }) => n })
  const legwork = await openLegwork({ functions: [tool] })
  expect(await legwork.call({ tool: 'n', input: { n: '5' } })).toMatchObject({ ok: false, code: 'invalid-input' })
})

test('the context has the caller, the content, the call’s id and a signal', async () => {
  const tool = defineTool({
    name: 'who',
    description: '',
    run: (_, { caller, content, callId, signal }) => ({ caller, content, callId, aborted: signal.aborted }),
  })
  const legwork = await openLegwork({ functions: [tool] })
  const outcome = await legwork.call({ tool: 'who', content: 'please', caller: { front: 'agent', name: 'helper' } })
  expect(outcome).toMatchObject({
    value: { caller: { front: 'agent', name: 'helper' }, content: 'please', callId: outcome.callId, aborted: false },
  })
})

test('a tool is known by its brand, whichever copy of the package made it', () => {
  const foreign = { [Symbol.for('legwork.tool')]: true, name: 'x', run: () => 1 }
  expect(isFunctionTool(foreign)).toBe(true)
  expect(isFunctionTool({ name: 'x' })).toBe(false)
})

test('a name that breaks the grammar, and a tool without a function, are misuse', () => {
  expect(() => defineTool({ name: 'ai:analyze-text', description: '', run: () => 1 })).toThrow(NameError)
  expect(() => defineTool({ name: 'ai:analyze-text', description: '', run: () => 1 })).toThrow(
    'Write "ai:analyzeText".',
  )
  expect(() => defineTool({ name: 'x', description: '' } as never)).toThrow(LegworkError)
})

test.each<[string, object, string]>([
  ['no description', { description: undefined }, 'its description is no text'],
  [
    'an effect that is mistyped',
    { effects: { destructive: 'yes' } },
    'effects.destructive: "yes" is not true or false',
  ],
  [
    'an effect that is misspelt',
    { effects: { destructve: true } },
    'effects.destructve: there is no such effect. Did you mean "destructive"?',
  ],
  [
    'an effect that is misspelt inside another',
    { effects: { filesystem: { delte: true } } },
    'effects.filesystem.delte: there is no such effect. Did you mean "delete"?',
  ],
  ['an effect that nobody knows', { effects: { loud: true } }, 'effects.loud: there is no such effect.'],
  ['effects that are none', { effects: null }, 'effects: write an object'],
  ['a schema that is none', { input: 7 }, 'a schema of it is none'],
])('a tool with %s is misuse', (_, fault, message) => {
  const make = () => defineTool({ name: 'x', description: '', run: () => 1, ...fault } as never)
  expect(make).toThrow(LegworkError)
  expect(make).toThrow(message)
})

test('a limit of a tool that is out of range is misuse', () => {
  expect(() => defineTool({ name: 'x', description: '', limits: { timeoutMs: 0 }, run: () => 1 })).toThrow(
    'it must be a whole number from 1',
  )
})

test('an output schema gets what the tool returned as it is', async () => {
  const legwork = await openLegwork({
    functions: [
      defineTool({ name: 'a:void', description: '', output: z.void(), run: () => undefined }),
      defineTool({ name: 'a:date', description: '', output: z.date(), run: () => new Date(0) }),
      defineTool({ name: 'a:json', description: '', output: { type: 'array' }, run: () => ({}) }),
    ],
  })
  expect(await legwork.call({ tool: 'a:void' })).toMatchObject({ ok: true, value: null })
  expect(await legwork.call({ tool: 'a:date' })).toMatchObject({ ok: true, value: '1970-01-01T00:00:00.000Z' })
  expect(await legwork.call({ tool: 'a:json' })).toMatchObject({ ok: false, code: 'tool-failed' })
})

test('a tool’s own limit of time holds, and the caller’s goes before it', async () => {
  const slow = defineTool({
    name: 'slow',
    description: '',
    limits: { timeoutMs: 40 },
    run: () => new Promise((done) => setTimeout(done, 200, 'late')),
  })
  const legwork = await openLegwork({ functions: [slow] })
  expect(await legwork.call({ tool: 'slow' })).toMatchObject({ code: 'timed-out', afterMs: 40 })
  expect(await legwork.call({ tool: 'slow', timeoutMs: 2_000 })).toMatchObject({ ok: true, value: 'late' })
})
