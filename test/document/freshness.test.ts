// Whether a result belongs to its block: the hash is taken when the block runs, and holds what the block read.

import { describe, expect, test } from 'vitest'
import { currentBlock } from '../../src/document/block-context.ts'
import type { Document } from '../../src/document/document.ts'
import { parseDocument } from '../../src/document/parse.ts'
import { ExecutionState } from '../../src/document/state.ts'
import { defineTool } from '../../src/index.ts'
import { documentOf, harmless, smallEngine } from './engine.ts'

function parse(text: string): Document {
  const parsed = parseDocument(text)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults, null, 2))
  return parsed.document
}

const checks = (text: string) =>
  parse(text)
    .check()
    .map(({ blockId, state }) => `${blockId} ${state}`)

const tool = (name: string, run: () => unknown) => defineTool({ name, description: name, effects: harmless, run })
const results = () => currentBlock()?.previousResults ?? new Map()

test('a result that another block gave is stale, though it stands in this one', async () => {
  const engine = await smallEngine()
  const text = documentOf('a')
  const { state } = await engine.run(text)
  expect(state.blocks.get('a')?.hash).toMatch(/^[0-9a-f]{32}$/)
  const changed = text.replace('{"words": "a"}', '{"words": "A"}')
  expect(checks(parse(text).withResults(state))).toEqual(['a fresh'])
  expect(checks(parse(changed).withResults(state))).toEqual(['a stale'])
})

test('the hash is part of the stored state', async () => {
  const engine = await smallEngine([tool('all', () => results().size)])
  const { state } = await engine.run('<document><fncall id="a" idyll-tool="all"/></document>')
  const again = ExecutionState.fromJSON(JSON.stringify(state))
  expect(again.blocks.get('a')).toEqual(state.blocks.get('a'))
  expect(again.blocks.get('a')).toMatchObject({ used: 'all', hash: expect.any(String) })
})

describe('what a block read', () => {
  const read = tool('read', () => results().get('a')?.result ?? 'nothing')
  const has = tool('has', () => results().has('a'))
  const size = tool('size', () => results().size)
  const each = tool('each', () => [...results().keys()])
  const first = tool('first', () => results().values().next().value?.result ?? 'nothing')

  test.each(['read', 'has', 'size', 'each', 'first'])('a result that was missing counts for "%s"', async (name) => {
    const engine = await smallEngine([read, has, size, each, first])
    const text = `<document>\n<fncall id="a" idyll-tool="say"/>\n<fncall id="b" idyll-tool="${name}"/>\n</document>`
    const alone = parse(text).withResults((await engine.run(text, { mode: 'single', blockId: 'b' })).state)
    expect(checks(alone)).toEqual(['a missing', 'b fresh'])
    const both = parse(alone).withResults((await engine.run(alone, { mode: 'single', blockId: 'a' })).state)
    expect(checks(both)).toEqual(['a fresh', 'b stale'])
  })

  test.each([
    ['all at once', () => [...results().values()].length],
    [
      'one after the other',
      () => {
        for (let at = 0; at < 150; at++) results().get(`b${at}`)
      },
    ],
  ])('very many results are known by one fingerprint: %s', async (_, look) => {
    const engine = await smallEngine([tool('look', look)])
    const ids = Array.from({ length: 150 }, (__, at) => `b${at}`)
    const text = documentOf(...ids).replace('</document>', '<fncall id="z" idyll-tool="look"/></document>')
    const { state } = await engine.run(text)
    expect(state.blocks.get('z')?.used).toBe('all')
    const written = parse(text).withResults(state)
    expect(checks(written).filter((line) => !line.endsWith('fresh'))).toEqual([])
    const other = written.replace('<![CDATA["b140"]]>', '<![CDATA["else"]]>')
    expect(checks(other).filter((line) => !line.endsWith('fresh'))).toEqual(['z stale'])
  })

  test('an id that looks like the sign for all is an id', async () => {
    const star = tool('star', () => results().get('*')?.result)
    const engine = await smallEngine([star])
    const text = `${documentOf('*', 'c').replace('</document>', '')}<fncall id="b" idyll-tool="star"/></document>`
    const written = parse(text).withResults((await engine.run(text)).state)
    expect(checks(written)).toEqual(['* fresh', 'c fresh', 'b fresh'])
    expect(checks(written.replace('<![CDATA["c"]]>', '<![CDATA["d"]]>'))).toEqual(['* fresh', 'c fresh', 'b fresh'])
  })

  test('a failure that others wrote, with a code of their own, counts as it is seen', async () => {
    const engine = await smallEngine([tool('seen', () => results().get('a')?.error?.code)])
    const text =
      '<document><fncall id="a" idyll-tool="say"><result error="their-own">{"message": "odd"}</result></fncall><fncall id="b" idyll-tool="seen"/></document>'
    const { state } = await engine.run(text, { mode: 'single', blockId: 'b' })
    expect(checks(parse(text).withResults(state))).toEqual(['a unknown', 'b fresh'])
  })
})

describe('going on later', () => {
  const read = tool('read', () => results().get('a')?.result)

  test('a block that has changed runs again, and so do those that used its result', async () => {
    const engine = await smallEngine([read])
    const text = `${documentOf('a', 'c').replace('</document>', '')}<fncall id="b" idyll-tool="read"/></document>`
    const first = await engine.run(text)
    const changed = text.replace('{"words": "a"}', '{"words": "A"}')
    const { state } = await engine.run(changed, { state: JSON.stringify(first.state) })
    expect([...state.blocks].map(([id, { result }]) => [id, result])).toEqual([
      ['a', 'A'],
      ['c', 'c'],
      ['b', 'A'],
    ])
    expect(state.metadata).toMatchObject({ blocksExecuted: 2, blocksSkipped: 1 })
    expect(checks(parse(changed).withResults(state))).toEqual(['a fresh', 'c fresh', 'b fresh'])
  })

  test('in another layout a block has not changed', async () => {
    const engine = await smallEngine()
    const first = await engine.run(documentOf('a'))
    const again = documentOf('a').replace('{"words": "a"}', '{ "words" : "a" }')
    expect((await engine.run(again, { state: first.state })).state.metadata.blocksExecuted).toBe(0)
  })

  test('a state without hashes, from elsewhere, is taken at its word', async () => {
    const engine = await smallEngine()
    const metadata = { totalDuration: 0, blocksExecuted: 1, startedAt: '' }
    const state = { blocks: [['a', { result: 'mine' }]], metadata }
    expect((await engine.run(documentOf('a'), { state })).state.blocks.get('a')).toMatchObject({ result: 'mine' })
  })

  test('with stopOnError nothing runs past a failure of the earlier run either', async () => {
    const engine = await smallEngine()
    const text = documentOf('fail', 'b')
    const first = await engine.run(text, { stopOnError: true })
    const { state, outcome } = await engine.run(text, { stopOnError: true, state: first.state })
    expect([...state.blocks.keys()]).toEqual(['fail'])
    expect(state.metadata).toMatchObject({ stopped: 'failed', blocksExecuted: 0 })
    expect(outcome).toMatchObject({ ok: false, code: 'tool-failed', message: expect.stringContaining('"fail"') })
    const asked = await engine.run(text, { stopOnError: true, state: first.state, only: ['b'] })
    expect([...asked.state.blocks.keys()]).toEqual(['fail', 'b'])
  })

  test('an outcome fails when its state does, whichever run a block failed in', async () => {
    const engine = await smallEngine()
    const first = await engine.run(documentOf('fail', 'b'), { only: ['fail'] })
    const { state, outcome } = await engine.run(documentOf('fail', 'b'), { state: first.state })
    expect(state.ok).toBe(false)
    expect(outcome).toMatchObject({
      ok: false,
      code: 'tool-failed',
      message: '1 of 2 blocks failed. "fail" (tool-failed): it broke',
    })
  })
})

describe('parameters that are very deep', () => {
  const deep = (levels: number) => `{"a": ${'['.repeat(levels)}${']'.repeat(levels)}}`
  const withDeep = (levels: number) =>
    `<document>\n${documentOf('first').replace(/<\/?document>/g, '')}\n<fncall id="a" idyll-tool="say"><params>${deep(levels)}</params></fncall></document>`

  test.each([300, 20_000])('%i levels are the fault of their block, and no result is lost', async (levels) => {
    const engine = await smallEngine()
    const text = withDeep(levels)
    const { state } = await engine.run(text)
    expect(state.blocks.get('first')).toMatchObject({ result: 'first' })
    expect(state.blocks.get('a')?.error).toMatchObject({
      code: 'invalid-input',
      message: expect.stringContaining('256 levels'),
    })
    expect(checks(parse(text).withResults(state))).toEqual(['first fresh', 'a fresh'])
  })

  test('as many as JSON in memory may have are fine', () => {
    expect(parse(withDeep(255)).warnings).toEqual([])
  })
})
