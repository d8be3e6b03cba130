// A document's blocks, one after the other, each a call on the one path.

import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { currentBlock } from '../../src/document/block-context.ts'
import type { DocumentEvent } from '../../src/document/events.ts'
import { parseDocument } from '../../src/document/parse.ts'
import { defineTool } from '../../src/index.ts'
import { documentOf, harmless, smallEngine } from './engine.ts'

const tool = (name: string, run: Parameters<typeof defineTool>[0]['run']) =>
  defineTool({ name, description: name, effects: harmless, run })

test('every block is a call of its own, linked to the call that the document is', async () => {
  const engine = await smallEngine()
  const { outcome, state } = await engine.run(documentOf('a', 'b'), { name: 'report' })
  expect(outcome).toMatchObject({ ok: true, tool: 'document:report', calls: [{ tool: 'say' }, { tool: 'say' }] })
  expect([...state.blocks]).toMatchObject([
    ['a', { result: 'a', tool: 'say' }],
    ['b', { result: 'b', tool: 'say' }],
  ])
  const entries = engine.journal.read()
  expect(entries.filter(({ parentId }) => parentId === outcome.callId)).toHaveLength(4)
  expect(entries.filter(({ caller }) => caller === 'document:report')).toHaveLength(4)
  expect(state.blocks.get('a')?.callId).toBe(outcome.calls?.[0]?.callId)
})

test("the document's outcome has the state as its value", async () => {
  const engine = await smallEngine()
  const { outcome, state } = await engine.run(documentOf('a', 'fail', 'b'))
  expect(outcome).toMatchObject({
    ok: false,
    code: 'tool-failed',
    message: '1 of 3 blocks failed. "fail" (tool-failed): it broke',
  })
  expect(outcome.ok || outcome.value).toEqual(JSON.parse(JSON.stringify(state)))
})

test('a text that is no document is a call that failed, with every fault and its place', async () => {
  const engine = await smallEngine()
  const { outcome, faults, state } = await engine.run('<document>\n<fncall idyll-tool="a-b"/><p></document>')
  expect(outcome).toMatchObject({ ok: false, code: 'invalid-input' })
  expect(faults.length).toBeGreaterThan(0)
  expect(outcome).toHaveProperty(
    'issues',
    expect.arrayContaining([expect.objectContaining({ path: expect.any(String) })]),
  )
  expect(state.blocks.size).toBe(0)
  expect(engine.journal.read()).toHaveLength(2)
})

test('a diff does not run', async () => {
  const engine = await smallEngine()
  const { outcome } = await engine.run('<diff></diff>')
  expect(outcome).toMatchObject({ ok: false, code: 'invalid-input', message: expect.stringContaining('legwork apply') })
})

describe('what a block gives', () => {
  test.each([
    ['0', 0],
    ['false', false],
    ['an empty text', ''],
    ['null', null],
    ['a list', [1, { a: null }]],
  ])('%s is a result', async (_, value) => {
    const engine = await smallEngine([tool('give', () => value)])
    const { state } = await engine.run('<document><fncall id="a" idyll-tool="give"/></document>')
    expect(state.blocks.get('a')).toHaveProperty('result', value)
    expect(state.metadata).toMatchObject({ blocksSucceeded: 1, blocksFailed: 0 })
  })

  const cycle: Record<string, unknown> = {}
  cycle.self = cycle
  test.each([
    ['undefined', undefined, { result: null }],
    ['a cycle', cycle, { error: { code: 'tool-failed', message: expect.stringContaining('a cycle') } }],
    ['a BigInt', { n: [1n] }, { error: { code: 'tool-failed', message: expect.stringContaining('at n[0]') } }],
    ['a function', () => {}, { error: { code: 'tool-failed' } }],
  ])('%s is told as it is, and the next block runs', async (_, value, expected) => {
    const engine = await smallEngine([tool('give', () => value)])
    const { state } = await engine.run(
      `<document><fncall id="a" idyll-tool="give"/>${inner(documentOf('b'))}</document>`,
    )
    expect(state.blocks.get('a')).toMatchObject(expected)
    expect(state.blocks.get('b')).toMatchObject({ result: 'b' })
  })

  test('a value as deep as JSON may be is a result, though the whole is then too deep to be passed on', async () => {
    const deep = (levels: number): unknown => (levels === 0 ? 'bottom' : [deep(levels - 1)])
    const engine = await smallEngine([tool('give', () => deep(255))])
    const { state, outcome } = await engine.run('<document><fncall id="a" idyll-tool="give"/></document>')
    expect(state.blocks.get('a')?.error).toBeUndefined()
    expect(outcome).toMatchObject({ ok: false, code: 'tool-failed', message: expect.stringContaining('levels') })
  })

  test('a result of 10 MB is a result', async () => {
    const engine = await smallEngine([tool('give', () => 'x'.repeat(10_000_000))])
    const { state } = await engine.run('<document><fncall id="a" idyll-tool="give"/></document>')
    expect(String(state.blocks.get('a')?.result)).toHaveLength(10_000_000)
  })

  test('secrets are redacted in results, errors, warnings, events and the state', async () => {
    const secret = 'correct-horse-battery-staple'
    const boom = () => {
      throw new Error(`no ${secret}`)
    }
    const tools = [tool('leak', () => ({ secret })), tool('shout', boom)]
    const engine = await smallEngine(tools, { secrets: [secret] })
    const events: DocumentEvent[] = []
    const text = `<document><fncall id="a" idyll-tool="leak"/><fncall id="b" idyll-tool="shout"/>
      <fncall id="c" idyll-tool="say"><content><variable name="x"/></content></fncall>
      <fncall id="d" idyll-tool="say"><params>${secret}</params></fncall><fncall id="e" idyll-tool="say"/></document>`
    const { state, outcome } = await engine.run(text, {
      onEvent: (event) => events.push(event),
      resolveVariables: boom,
      hooks: { beforeBlock: ({ id }) => (id === 'e' ? boom() : true), afterBlock: boom },
    })
    expect(state.metadata).toMatchObject({ blocksExecuted: 5, blocksFailed: 4 })
    expect(JSON.stringify([state, outcome, events])).not.toMatch(/correct-horse|battery/)
    expect(state.blocks.get('a')).toMatchObject({ result: { secret: expect.stringContaining('REDACTED') } })
  })
})

describe("a block's own error", () => {
  test.each([
    ['an unknown tool', '<fncall id="a" idyll-tool="sya"/>', 'unknown-tool', 'Did you mean "say"?'],
    [
      'parameters that are no JSON',
      '<fncall id="a" idyll-tool="say"><params>{words}</params></fncall>',
      'invalid-input',
      'no JSON',
    ],
    [
      'parameters that are a list',
      '<fncall id="a" idyll-tool="say"><params>[1]</params></fncall>',
      'invalid-input',
      'a list',
    ],
    [
      'parameters that are null',
      '<fncall id="a" idyll-tool="say"><params>null</params></fncall>',
      'invalid-input',
      'not an object',
    ],
    ['a tool that fails', '<fncall id="a" idyll-tool="fail"/>', 'tool-failed', 'it broke'],
    [
      'a variable that nobody resolves',
      '<fncall id="a" idyll-tool="say"><content><variable name="x" prompt="What?"/></content></fncall>',
      'invalid-input',
      '"x" (What?)',
    ],
  ])('%s is its result, and the rest runs on', async (_, block, code, message) => {
    const engine = await smallEngine()
    const { state } = await engine.run(`<document>${block}${inner(documentOf('b'))}</document>`)
    expect(state.blocks.get('a')?.error).toBeInstanceOf(Error)
    expect(state.blocks.get('a')?.error).toMatchObject({ code, message: expect.stringContaining(message) })
    expect(state.blocks.get('a')).not.toHaveProperty('result')
    expect(state.blocks.get('b')).toMatchObject({ result: 'b' })
  })

  test('parameters that do not fit the schema are told with each fault', async () => {
    const strict = defineTool({
      name: 'strict',
      description: 'Needs a number',
      input: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
      effects: harmless,
      run: () => 1,
    })
    const engine = await smallEngine([strict])
    const { state } = await engine.run('<document><fncall id="a" idyll-tool="strict"/></document>')
    expect(state.blocks.get('a')?.error?.issues).toMatchObject([{ path: 'n', code: 'MISSING_REQUIRED' }])
  })

  test('a tool that asks and is refused is its block’s error', async () => {
    const remove = defineTool({ name: 'remove', description: 'Removes', effects: { destructive: true }, run: () => 1 })
    const engine = await smallEngine([remove], { approve: () => false })
    const { state } = await engine.run(
      `<document><fncall id="a" idyll-tool="remove"/>${inner(documentOf('b'))}</document>`,
    )
    expect(state.blocks.get('a')?.error).toMatchObject({ code: 'denied' })
    expect(state.blocks.get('b')).toMatchObject({ result: 'b' })
  })

  test('with stopOnError nothing runs after it', async () => {
    const engine = await smallEngine()
    const { state } = await engine.run(documentOf('a', 'fail', 'b'), { stopOnError: true })
    expect([...state.blocks.keys()]).toEqual(['a', 'fail'])
    expect(state.metadata).toMatchObject({ stopped: 'failed', blocksExecuted: 2, blocksFailed: 1, blocksSkipped: 1 })
  })
})

describe('what a block sees', () => {
  const seen: string[][] = []
  const look = tool('look', () => {
    const { previousResults, currentBlockId } = currentBlock() ?? { previousResults: new Map(), currentBlockId: '' }
    const ids = [...previousResults.keys()]
    expect(previousResults.size).toBe(ids.length)
    seen.push(ids)
    return [currentBlockId, ...ids]
  })
  const looks = (...ids: string[]) => ids.map((id) => `<fncall id="${id}" idyll-tool="look"/>`).join('')

  test('the results of the blocks before it, in order, and itself by its id', async () => {
    const engine = await smallEngine([look])
    const { state } = await engine.run(`<document>${looks('z', '10', '2')}</document>`)
    expect([...state.blocks.values()].map(({ result }) => result)).toEqual([['z'], ['10', 'z'], ['2', 'z', '10']])
  })

  test('errors of earlier blocks', async () => {
    const read = tool('read', () => currentBlock()?.previousResults.get('fail')?.error?.message)
    const engine = await smallEngine([read])
    const { state } = await engine.run(
      `<document>${inner(documentOf('fail'))}<fncall id="b" idyll-tool="read"/></document>`,
    )
    expect(state.blocks.get('b')).toMatchObject({ result: 'it broke', used: ['fail'] })
  })

  test('no more than was there then, even when it keeps the view', async () => {
    let kept: ReadonlyMap<string, unknown> | undefined
    const keep = tool('keep', () => {
      kept ??= currentBlock()?.previousResults
    })
    const engine = await smallEngine([keep])
    await engine.run(
      `<document>${inner(documentOf('a'))}<fncall id="k" idyll-tool="keep"/>${inner(documentOf('b'))}</document>`,
    )
    expect([...(kept?.keys() ?? [])]).toEqual(['a'])
    expect(kept?.get('b')).toBeUndefined()
    expect(kept?.has('k')).toBe(false)
  })

  test.each([
    [
      'a result',
      (view: never) => Object.assign((view as Map<string, { result: object }>).get('a')?.result ?? {}, { x: 1 }),
    ],
    [
      'the entry of a result',
      (view: never) => Object.assign((view as Map<string, object>).get('a') ?? {}, { result: 1 }),
    ],
    ['the view', (view: never) => (view as Map<string, object>).set('a', {})],
    ['the view’s size', (view: never) => Object.assign(view, { size: 7 })],
    ['the document', () => Object.assign(currentBlock()?.document ?? {}, { root: 'diff' })],
    ['a block of the document', () => Object.assign(currentBlock()?.document.calls[0] ?? {}, { tool: 'x' })],
    ['the list of blocks', () => ((currentBlock()?.document.calls ?? []) as unknown[]).pop()],
    [
      'the attributes of a block',
      () => Object.assign(currentBlock()?.document.calls[0]?.attributes ?? {}, { id: 'x' }),
    ],
    ['the place of a block', () => Object.assign(currentBlock()?.document.calls[0]?.source ?? {}, { start: 0 })],
    ['the text of a block', () => Object.assign(currentBlock()?.document.calls[0]?.content?.rich ?? {}, { 0: 'x' })],
    ['its own context', () => Object.assign(currentBlock() ?? {}, { currentBlockId: 'x' })],
  ])('%s cannot be changed: whoever tries gets an error', async (_, change) => {
    const give = tool('give', () => ({ value: 1 }))
    const engine = await smallEngine([give, tool('change', () => change(currentBlock()?.previousResults as never))])
    const first = '<fncall id="a" idyll-tool="give"><content>hi <em>you</em></content></fncall>'
    const { state } = await engine.run(`<document>${first}<fncall id="b" idyll-tool="change"/></document>`)
    expect(state.blocks.get('b')?.error).toMatchObject({ code: 'tool-failed' })
    expect(state.blocks.get('a')).toMatchObject({ result: { value: 1 } })
  })

  test('two documents that run side by side do not see each other', async () => {
    const slow = tool('slow', async () => {
      await sleep(1)
      return [...(currentBlock()?.previousResults.keys() ?? [])]
    })
    const engine = await smallEngine([slow])
    const text = (name: string) =>
      `<document>${[1, 2, 3].map((at) => `<fncall id="${name}${at}" idyll-tool="slow"/>`).join('')}</document>`
    const runs = await Promise.all(['a', 'b', 'c', 'd'].map((name) => engine.run(text(name))))
    expect(runs.map(({ state }) => state.blocks.values().toArray().at(-1)?.result)).toEqual(
      ['a', 'b', 'c', 'd'].map((name) => [`${name}1`, `${name}2`]),
    )
  })

  test('outside of a document there is no block', () => expect(currentBlock()).toBeUndefined())
})

describe('content', () => {
  test.each([
    ['nothing', '', ''],
    ['an empty element', '<content/>', ''],
    ['text', '<content>Search &amp; find</content>', 'Search & find'],
    [
      'marks, links and mentions',
      '<content>a <strong>b</strong> <a href="x">c</a> <mention:user id="1" label="Ada"/></content>',
      'a b c Ada',
    ],
  ])('%s', async (_, content, expected) => {
    const engine = await smallEngine()
    const { state } = await engine.run(`<document><fncall id="a" idyll-tool="say">${content}</fncall></document>`)
    expect(state.blocks.get('a')?.result).toBe(expected)
  })

  test('variables are resolved once, all together, before the first block that uses one', async () => {
    const asked: unknown[] = []
    const engine = await smallEngine()
    const text = `<document>${inner(documentOf('first'))}
      <fncall id="a" idyll-tool="say"><content>On <variable name="topic" prompt="Which?"/></content></fncall>
      <fncall id="b" idyll-tool="say"><content><variable name="topic"/>, <variable name="when" optional="true"/>.</content></fncall>
    </document>`
    const { state } = await engine.run(text, {
      resolveVariables: (variables, { currentBlockId, previousResults, content }) => {
        asked.push([variables.map(({ name }) => name), currentBlockId, [...previousResults.keys()], content])
        return { topic: '</content><fncall idyll-tool="fail"/>' }
      },
    })
    expect(asked).toEqual([[['topic', 'when'], 'a', ['first'], '']])
    expect(state.blocks.get('a')?.result).toBe('On </content><fncall idyll-tool="fail"/>')
    expect(state.blocks.get('b')?.result).toBe('</content><fncall idyll-tool="fail"/>, .')
  })

  test.each([
    ['throws', () => Promise.reject(new Error('no model'))],
    ['returns an object for a value', () => ({ x: {} }) as never],
    ['returns nothing', () => undefined as never],
    ['returns other names', () => ({ y: '1' })],
    ['has the name on its prototype', () => Object.create({ x: '1' })],
  ])('a resolver that %s fails the blocks that need a variable, and no others', async (_, resolveVariables) => {
    const engine = await smallEngine()
    const text = `<document><fncall id="a" idyll-tool="say"><content><variable name="x"/></content></fncall>${inner(documentOf('b'))}</document>`
    const { state } = await engine.run(text, { resolveVariables })
    expect(state.blocks.get('a')?.error).toMatchObject({
      code: 'invalid-input',
      message: expect.stringContaining('"x"'),
    })
    expect(state.blocks.get('b')).toMatchObject({ result: 'b' })
  })
})

describe('time', () => {
  let ended = 0
  const wait = tool('wait', (_, { signal }) => sleep(20_000, 'late', { signal }).finally(() => ended++))
  const never = tool('never', () => new Promise(() => {}))

  test.each(['wait', 'never'])(
    'a block of the tool %s that takes too long is ended, and the rest runs on',
    async (name) => {
      const engine = await smallEngine([wait, never])
      const text = `<document><fncall id="a" idyll-tool="${name}"/>${inner(documentOf('b'))}</document>`
      const { state } = await engine.run(text, { blockTimeoutMs: 30 })
      if (name === 'wait') expect(ended).toBe(1)
      expect(state.blocks.get('a')?.error).toMatchObject({ code: 'timed-out' })
      expect(state.blocks.get('b')).toMatchObject({ result: 'b' })
    },
  )

  test('whoever gives up the run ends the block that is running; what ran before is kept', async () => {
    const engine = await smallEngine([never])
    const controller = new AbortController()
    const text = `<document>${inner(documentOf('a'))}<fncall id="n" idyll-tool="never"/>${inner(documentOf('b'))}</document>`
    const { state, outcome } = await engine.run(text, {
      signal: controller.signal,
      onEvent: (event) => event.type === 'block-started' && event.id === 'n' && controller.abort(),
    })
    expect(outcome).toMatchObject({ ok: false, code: 'cancelled' })
    expect([...state.blocks]).toMatchObject([
      ['a', { result: 'a' }],
      ['n', { error: { code: 'cancelled' } }],
    ])
    expect(state.metadata).toMatchObject({ stopped: 'cancelled', blocksExecuted: 2, blocksSkipped: 1 })
  })

  test('the whole has its time too', async () => {
    const engine = await smallEngine([never])
    const { state, outcome } = await engine.run('<document><fncall id="n" idyll-tool="never"/></document>', {
      timeoutMs: 30,
    })
    expect(outcome).toMatchObject({ code: 'timed-out' })
    expect(state.metadata.stopped).toBe('timed-out')
  })

  test('a run that is given up before it begins runs nothing', async () => {
    const engine = await smallEngine()
    const { state, outcome } = await engine.run(documentOf('a'), { signal: AbortSignal.abort() })
    expect(outcome).toMatchObject({ code: 'cancelled' })
    expect(state.blocks.size).toBe(0)
  })

  test('a resolver and a hook that never answer end with the run', async () => {
    const engine = await smallEngine()
    const text = '<document><fncall id="a" idyll-tool="say"><content><variable name="x"/></content></fncall></document>'
    const stuck = () => new Promise<never>(() => {})
    expect((await engine.run(text, { timeoutMs: 30, resolveVariables: stuck })).outcome).toMatchObject({
      code: 'timed-out',
    })
    const hooks = { beforeBlock: stuck }
    expect((await engine.run(documentOf('a'), { timeoutMs: 30, hooks })).outcome).toMatchObject({ code: 'timed-out' })
  })

  test.each([{ blockTimeoutMs: 0 }, { blockTimeoutMs: 1.5 }, { timeoutMs: 600_001 }])(
    '%o is misuse',
    async (options) => {
      const engine = await smallEngine()
      await expect(engine.run(documentOf('a'), options)).rejects.toMatchObject({ code: 'invalid-limit' })
    },
  )
})

describe('hooks and events', () => {
  test('events tell the run from its start to its end, with what the calls tell between', async () => {
    const stepping = tool('step', (_, { progress }) => progress({ message: 'half', done: 1, total: 2 }))
    const engine = await smallEngine([stepping])
    const events: DocumentEvent[] = []
    const text = `<document><fncall id="a" idyll-tool="step"/>${inner(documentOf('fail'))}</document>`
    await engine.run(text, { onEvent: (event) => events.push(event) })
    const told = events.map((event) =>
      event.type === 'block-event'
        ? `${event.id} ${event.event.type}`
        : 'id' in event
          ? `${event.type} ${event.id}`
          : event.type,
    )
    expect(told).toEqual([
      'started',
      'block-started a',
      'a decided',
      'a progress',
      'block-ended a',
      'block-started fail',
      'fail decided',
      'fail log',
      'block-ended fail',
      'ended',
    ])
    expect(events[1]).toMatchObject({ tool: 'step', at: 0, total: 2 })
  })

  test('a hook may keep a block from running, and see its result', async () => {
    const engine = await smallEngine()
    const after: unknown[] = []
    const { state } = await engine.run(documentOf('a', 'b', 'c'), {
      hooks: {
        beforeBlock: async ({ id }) => id !== 'b',
        afterBlock: ({ id }, { result }, { previousResults }) => after.push([id, result, previousResults.size]),
      },
    })
    expect([...state.blocks.keys()]).toEqual(['a', 'c'])
    expect(after).toEqual([
      ['a', 'a', 0],
      ['c', 'c', 1],
    ])
    expect(state.metadata.blocksSkipped).toBe(1)
  })

  test('a hook or a listener that throws does not break the run', async () => {
    const engine = await smallEngine()
    const boom = () => {
      throw new Error('boom')
    }
    const { state } = await engine.run(documentOf('a', 'b'), {
      onEvent: boom,
      hooks: { beforeBlock: ({ id }) => (id === 'a' ? boom() : true), afterBlock: boom },
    })
    expect(state.blocks.get('a')?.error).toMatchObject({ message: expect.stringContaining('beforeBlock failed. boom') })
    expect(state.blocks.get('b')).toMatchObject({ result: 'b' })
    expect(state.metadata.warnings).toHaveLength(2)
  })
})

test('whoever may only look has nothing else done by a document', async () => {
  const write = defineTool({ name: 'write', description: 'Writes', effects: { destructive: false }, run: () => 1 })
  const engine = await smallEngine([write])
  const text = `<document>${inner(documentOf('a'))}<fncall id="w" idyll-tool="write"/></document>`
  const { state } = await engine.run(text, { caller: { front: 'library', readOnly: true } })
  expect(state.blocks.get('a')).toMatchObject({ result: 'a' })
  expect(state.blocks.get('w')?.error).toMatchObject({ code: 'denied' })
})

test('a document that is parsed once runs many times, and is the same after it', async () => {
  const engine = await smallEngine()
  const parsed = parseDocument(documentOf('a', 'fail'))
  if (!parsed.ok) throw new Error('not parsed')
  const before = JSON.stringify(parsed.document)
  for (let at = 0; at < 3; at++) await engine.document(parsed.document)
  expect(JSON.stringify(parsed.document)).toBe(before)
})

function inner(text: string): string {
  return text.replace(/<\/?document>/g, '')
}
