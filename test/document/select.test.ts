// Which blocks run, and which results they find there.

import { describe, expect, test } from 'vitest'
import { currentBlock } from '../../src/document/block-context.ts'
import { ExecutionState } from '../../src/document/state.ts'
import { defineTool } from '../../src/index.ts'
import { documentOf, harmless, smallEngine } from './engine.ts'

const ran = (state: ExecutionState) => [...state.blocks.keys()]

test.each([
  ['all', {}, ['a', 'b', 'c', 'd']],
  ['all, in so many words', { mode: 'document' }, ['a', 'b', 'c', 'd']],
  ['from one on', { from: 'c' }, ['c', 'd']],
  ['only some, in the document’s order', { only: ['d', 'a'] }, ['a', 'd']],
  ['all but some', { skip: ['b'] }, ['a', 'c', 'd']],
  ['from one on, without another', { from: 'b', skip: ['c'] }, ['b', 'd']],
  ['one', { mode: 'single', blockId: 'c' }, ['c']],
  ['none', { only: [] }, []],
] as const)('%s', async (_, selection, expected) => {
  const engine = await smallEngine()
  const { state } = await engine.run(documentOf('a', 'b', 'c', 'd'), selection)
  expect(ran(state)).toEqual(expected)
  expect(state.metadata).toMatchObject({ blocksExecuted: expected.length, blocksSkipped: 4 - expected.length })
})

test.each([
  [{ mode: 'single', blockId: 'aloha' }, 'Did you mean "aloah"?'],
  [{ from: 'x' }, 'The blocks that run are "aloah", "b"'],
  [{ only: ['b', 'x'] }, 'no block "x"'],
  [{ skip: ['x'] }, 'no block "x"'],
  [{ mode: 'single', blockId: 'prose' }, 'is a <p> that does not run'],
  [{ mode: 'single', blockId: 'inside' }, 'is a <fncall> that does not run'],
] as const)('%o names a block that does not run, which is misuse', async (selection, message) => {
  const engine = await smallEngine()
  const text = `<document><p id="prose">x</p><fncall id="aloah" idyll-tool="say"/><fncall id="b" idyll-tool="say"/>
    <tool title="T"><tool:description>d</tool:description><tool:definition><fncall id="inside" idyll-tool="say"/></tool:definition></tool></document>`
  await expect(engine.run(text, selection)).rejects.toMatchObject({
    code: 'unknown-block',
    message: expect.stringContaining(message),
  })
})

describe('results from before', () => {
  const look = defineTool({
    name: 'look',
    description: 'Looks',
    effects: harmless,
    run: () =>
      [...(currentBlock()?.previousResults ?? [])].map(([id, { result, error }]) => [id, error?.code ?? result]),
  })
  const stored = `<document>
    <fncall id="a" idyll-tool="say"><params>{"words": "new"}</params><result>"stored"</result></fncall>
    <fncall id="f" idyll-tool="fail"><result error="timed-out">{"message": "slow"}</result></fncall>
    <fncall id="odd" idyll-tool="fail"><result error="their-own">{"message": "odd"}</result></fncall>
    <fncall id="b" idyll-tool="look"/>
    <fncall id="c" idyll-tool="say"><result>"later"</result></fncall>
  </document>`

  test('a single block sees what is stored for the blocks before it, and nothing of those after', async () => {
    const engine = await smallEngine([look])
    const { state } = await engine.run(stored, { mode: 'single', blockId: 'b' })
    const expected = [
      ['a', 'stored'],
      ['f', 'timed-out'],
      ['odd', 'tool-failed'],
    ]
    expect(ran(state)).toEqual(['b'])
    expect(state.blocks.get('b')?.result).toEqual(expected)
  })

  test('a whole run does not look at what is stored', async () => {
    const engine = await smallEngine([look])
    const { state } = await engine.run(stored)
    expect(state.blocks.get('b')?.result).toEqual([
      ['a', 'new'],
      ['f', 'tool-failed'],
      ['odd', 'tool-failed'],
    ])
  })

  test('an earlier state goes before what is stored, and stays part of the state', async () => {
    const engine = await smallEngine([look])
    const first = await engine.run(stored, { only: ['a'] })
    const { state } = await engine.run(stored, { mode: 'single', blockId: 'b', state: first.state })
    expect(state.blocks.get('b')?.result).toEqual([
      ['a', 'new'],
      ['f', 'timed-out'],
      ['odd', 'tool-failed'],
    ])
    expect(ran(state)).toEqual(['a', 'b'])
  })
})

describe('going on later', () => {
  test('what an earlier run did is not done again; what was given up is', async () => {
    let times = 0
    const count = defineTool({ name: 'count', description: 'Counts', effects: harmless, run: () => ++times })
    const engine = await smallEngine([count])
    const text = `<document>${['a', 'b', 'c'].map((id) => `<fncall id="${id}" idyll-tool="count"/>`).join('')}</document>`
    const controller = new AbortController()
    const first = await engine.run(text, {
      signal: controller.signal,
      onEvent: (event) => event.type === 'block-started' && event.id === 'b' && controller.abort(),
    })
    expect(ran(first.state)).toEqual(['a', 'b'])
    const done = times
    const { state } = await engine.run(text, { state: JSON.parse(JSON.stringify(first.state)) })
    expect(ran(state)).toEqual(['a', 'b', 'c'])
    expect(state.metadata).toMatchObject({ blocksExecuted: 2, blocksSkipped: 1 })
    expect(times).toBe(done + 2)
    expect(state.ok).toBe(true)
  })

  test('a failure is a result: it is not repeated unless it is asked for', async () => {
    const engine = await smallEngine()
    const text = documentOf('a', 'fail')
    const first = await engine.run(text)
    expect((await engine.run(text, { state: first.state })).state.metadata.blocksExecuted).toBe(0)
    expect((await engine.run(text, { state: first.state, only: ['fail'] })).state.metadata.blocksExecuted).toBe(1)
    expect((await engine.run(text, { state: first.state, from: 'a' })).state.metadata.blocksExecuted).toBe(2)
  })

  test('results of blocks that are no longer there are dropped', async () => {
    const engine = await smallEngine()
    const first = await engine.run(documentOf('a', 'b'))
    const { state } = await engine.run(documentOf('b', 'c'), { state: first.state })
    expect(ran(state)).toEqual(['b', 'c'])
  })

  test('what is no state is misuse', async () => {
    const engine = await smallEngine()
    await expect(engine.run(documentOf('a'), { state: { blocks: 7 } })).rejects.toMatchObject({ code: 'invalid-state' })
  })
})

describe('triggers', () => {
  const text = `<document>
    <trigger id="on" idyll-trigger="say"><params>{"words": "triggered"}</params></trigger>
    <fncall id="a" idyll-tool="say"><params>{"words": "a"}</params></fncall>
    <trigger id="off" idyll-trigger="say" enabled="false"/>
  </document>`

  test.each([
    ['do not run with the document', {}, ['a']],
    ['run where they stand when asked', { triggers: true }, ['on', 'a']],
    ['run when they are named', { only: ['on'] }, ['on']],
    ['run singly', { mode: 'single', blockId: 'on' }, ['on']],
    ['do not run when they are disabled', { mode: 'single', blockId: 'off' }, []],
    ['do not run when they are disabled, named or not', { only: ['off', 'a'] }, ['a']],
  ] as const)('they %s', async (_, selection, expected) => {
    const engine = await smallEngine()
    const { state } = await engine.run(text, selection)
    expect(ran(state)).toEqual(expected)
    const isAskedFor = JSON.stringify(selection).includes('off')
    expect(state.metadata.warnings).toEqual(isAskedFor ? [expect.stringContaining('enabled="false"')] : [])
  })

  test('they are calls like any other', async () => {
    const engine = await smallEngine()
    const { state, outcome } = await engine.run(text, { mode: 'single', blockId: 'on' })
    expect(state.blocks.get('on')).toMatchObject({ result: 'triggered', tool: 'say' })
    expect(outcome.calls).toHaveLength(1)
  })
})

test('blocks in lists and quotes run in the order of the text; those in tools do not', async () => {
  const engine = await smallEngine()
  const call = (id: string) => `<fncall id="${id}" idyll-tool="say"/>`
  const text = `<document>${call('a')}<bulletlistitem>x<bulletlistitem>y${call('b')}</bulletlistitem></bulletlistitem>
    <tool title="T"><tool:description>d</tool:description><tool:definition>${call('inside')}</tool:definition></tool>
    <quote>z${call('c')}</quote>${call('d')}</document>`
  const { state } = await engine.run(text)
  expect(ran(state)).toEqual(['a', 'b', 'c', 'd'])
  expect(state).toBeInstanceOf(ExecutionState)
})
