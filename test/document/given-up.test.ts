// Blocks that are given up before their tool is called, and what hooks do to the rest of a run.

import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { currentBlock } from '../../src/document/block-context.ts'
import type { DocumentOptions } from '../../src/document/options.ts'
import { defineTool } from '../../src/index.ts'
import { documentOf, harmless, smallEngine } from './engine.ts'

const stuck = () => new Promise<never>(() => {})
const asking =
  '<document><fncall id="a" idyll-tool="say"><content><variable name="x"/></content></fncall><fncall id="b" idyll-tool="say"><content>b</content></fncall></document>'

const waits: readonly (readonly [string, DocumentOptions])[] = [
  ['while its variables are resolved', { resolveVariables: stuck }],
  ['in beforeBlock', { hooks: { beforeBlock: ({ id }) => (id === 'a' ? stuck() : true) } }],
]

describe.each(waits)('a block that is given up %s', (_, options) => {
  const calm: DocumentOptions = { resolveVariables: () => ({ x: 'found' }) }

  test('has timed out when its own time is up, and the rest runs on; later it runs again', async () => {
    const engine = await smallEngine()
    const { state } = await engine.run(asking, { ...calm, ...options, blockTimeoutMs: 200 })
    expect(state.blocks.get('a')?.error).toMatchObject({
      code: 'timed-out',
      message: expect.stringContaining('200 ms'),
    })
    expect(state.blocks.get('b')).toMatchObject({ result: 'b' })
    expect(state.metadata.stopped).toBeUndefined()
    const later = await engine.run(asking, { ...calm, state: JSON.stringify(state) })
    expect(later.state.blocks.get('a')).toMatchObject({ result: 'found' })
    expect(later.state.metadata.blocksExecuted).toBe(1)
  })

  test.each([
    ['the caller gives up', (): DocumentOptions => ({ signal: AbortSignal.timeout(300) }), 'cancelled'],
    ['the time of the whole is up', (): DocumentOptions => ({ timeoutMs: 300 }), 'timed-out'],
  ])('is cancelled when %s, and runs again later', async (__, end, stopped) => {
    const engine = await smallEngine()
    const { state, outcome } = await engine.run(asking, { ...calm, ...options, ...end() })
    expect(outcome).toMatchObject({ ok: false, code: stopped })
    expect(outcome).toHaveProperty('value.metadata')
    expect(state.blocks.get('a')?.error).toMatchObject({ code: 'cancelled' })
    expect(state.metadata).toMatchObject({ stopped, blocksSkipped: 1 })
    const later = await engine.run(asking, { ...calm, state: JSON.stringify(state) })
    expect([...later.state.blocks.values()].map(({ result }) => result)).toEqual(['found', 'b'])
  })
})

test('what hook and resolver took is taken from the time of the tool', async () => {
  const wait = defineTool({
    name: 'wait',
    description: 'Waits',
    effects: harmless,
    run: (_, { signal }) => sleep(400, 'done', { signal }),
  })
  const engine = await smallEngine([wait])
  const { state } = await engine.run('<document><fncall id="a" idyll-tool="wait"/></document>', {
    blockTimeoutMs: 600,
    hooks: { beforeBlock: () => sleep(400) },
  })
  expect(state.blocks.get('a')?.error).toMatchObject({ code: 'timed-out' })
})

test('an afterBlock that never answers costs a block its time, and no result', async () => {
  const engine = await smallEngine()
  const { state } = await engine.run(documentOf('a', 'b'), { blockTimeoutMs: 200, hooks: { afterBlock: stuck } })
  expect([...state.blocks.values()].map(({ result }) => result)).toEqual(['a', 'b'])
  expect(state.metadata.warnings).toHaveLength(2)
})

test('a resolver that timed out is asked again for the next block', async () => {
  const engine = await smallEngine()
  let asked = 0
  const { state } = await engine.run(asking.replace('<content>b<', '<content><variable name="x"/><'), {
    blockTimeoutMs: 200,
    resolveVariables: () => (asked++ === 0 ? stuck() : { x: 'found' }),
  })
  expect(state.blocks.get('a')?.error).toMatchObject({ code: 'timed-out' })
  expect(state.blocks.get('b')).toMatchObject({ result: 'found' })
})

describe('a block that does not run', () => {
  const see = defineTool({
    name: 'see',
    description: 'Sees',
    effects: harmless,
    run: () => [...(currentBlock()?.previousResults ?? [])].map(([id, { result }]) => [id, result]),
  })
  const text =
    '<document><fncall id="a" idyll-tool="say"><result>5</result></fncall><fncall id="b" idyll-tool="see"/></document>'

  test.each<readonly [string, DocumentOptions]>([
    ['because it is to be skipped', { skip: ['a'] }],
    ['because a hook says no', { hooks: { beforeBlock: ({ id }) => id !== 'a' } }],
  ])('%s has the result that is stored for it', async (_, options) => {
    const engine = await smallEngine([see])
    const { state } = await engine.run(text, options)
    expect([...state.blocks]).toMatchObject([['b', { result: [['a', 5]] }]])
    expect(state.metadata).toMatchObject({ blocksExecuted: 1, blocksSkipped: 1 })
    const earlier = { blocks: [['a', { result: 6, hash: 'changed since' }]], metadata: { startedAt: '' } }
    const later = await engine.run(text, { ...options, state: earlier })
    expect([...later.state.blocks]).toMatchObject([
      ['a', { result: 6 }],
      ['b', { result: [['a', 6]] }],
    ])
  })
})

test.each<readonly [string, (stop: () => void) => DocumentOptions]>([
  ['in the last afterBlock', (stop) => ({ hooks: { afterBlock: ({ id }) => id === 'b' && stop() } })],
  ['when all that was wanted has run', (stop) => ({ only: ['a'], hooks: { afterBlock: stop } })],
])('whoever gives up %s has a run that is complete', async (_, options) => {
  const engine = await smallEngine()
  const controller = new AbortController()
  const { state } = await engine.run(documentOf('a', 'b'), {
    ...options(() => controller.abort()),
    signal: controller.signal,
  })
  expect(state.metadata.stopped).toBeUndefined()
  expect(state.ok).toBe(true)
})
