import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { defineTool, type Effects } from '../../src/index.ts'
import { openLegwork } from '../support/legwork.ts'

const reading: Effects = { destructive: false, network: false, filesystem: { write: false } }
const writing = (...paths: string[]): Effects => ({
  destructive: false,
  filesystem: { write: true, ...(paths.length && { paths }) },
})

function recorder() {
  let running = 0
  const seen = { most: 0, order: [] as string[] }
  const tool = (name: string, effects: Effects, ms = 10) =>
    defineTool({
      name,
      description: '',
      effects,
      run: async (_, { signal }) => {
        seen.most = Math.max(seen.most, ++running)
        seen.order.push(`${name} begins`)
        await sleep(ms, undefined, { signal }).catch(() => {})
        seen.order.push(`${name} ends`)
        running--
        return name
      },
    })
  return { seen, tool }
}

test('outcomes come in the order of the calls, four side by side', async () => {
  const { seen, tool } = recorder()
  const legwork = await openLegwork({ functions: [tool('slow', reading, 40), tool('fast', reading, 1)] })
  const calls = Array.from({ length: 12 }, (_, at) => ({ tool: at % 3 ? 'fast' : 'slow' }))
  const outcomes = await legwork.batch(calls)
  expect(outcomes.map((outcome) => outcome.tool)).toEqual(calls.map((call) => call.tool))
  expect(seen.most).toBe(4)
})

test.each<[string, Effects, Effects, number]>([
  ['two that read', reading, reading, 2],
  ['one that reads and one that writes', reading, writing(), 2],
  ['two that write where nobody says', writing(), writing(), 1],
  ['two that write to the same place', writing('/data'), writing('/data/a'), 1],
  ['two that write to different places', writing('/data/a'), writing('/data/ab'), 2],
  ['two of which nothing is known', {}, {}, 1],
])('side by side: %s', async (_, one, other, most) => {
  const { seen, tool } = recorder()
  const legwork = await openLegwork({ functions: [tool('one', one), tool('other', other)] })
  await legwork.batch([{ tool: 'one' }, { tool: 'other' }])
  expect(seen.most).toBe(most)
  if (most === 1) expect(seen.order).toEqual(['one begins', 'one ends', 'other begins', 'other ends'])
})

test('a failure stops nothing, unless it should', async () => {
  const { tool } = recorder()
  const failing = defineTool({
    name: 'failing',
    description: '',
    effects: writing(),
    run: () => {
      throw new Error('no')
    },
  })
  const legwork = await openLegwork({ functions: [failing, tool('next', writing())] })
  const calls = [{ tool: 'failing' }, { tool: 'next' }, { tool: 'nowhere' }]
  const codes = (outcomes: readonly { ok: boolean; code?: string }[]) => outcomes.map(({ code = 'ok' }) => code)
  expect(codes(await legwork.batch(calls))).toEqual(['tool-failed', 'ok', 'unknown-tool'])
  expect(codes(await legwork.batch(calls, { continueOnError: false }))[1]).toBe('cancelled')
})

test('a batch that is given up ends what runs and cancels what waits', async () => {
  const { seen, tool } = recorder()
  const legwork = await openLegwork({ functions: [tool('long', writing(), 10_000)] })
  const controller = new AbortController()
  setTimeout(() => controller.abort(), 30)
  const outcomes = await legwork.batch([{ tool: 'long' }, { tool: 'long' }], { signal: controller.signal })
  expect(outcomes).toMatchObject([{ code: 'cancelled' }, { code: 'cancelled' }])
  expect(seen.order.filter((line) => line === 'long begins')).toHaveLength(1)
  expect(legwork.journal.verify()).toMatchObject({ ok: true, entries: 4 })
})

test('what runs when a call fails goes on; only what has not begun is cancelled', async () => {
  const { tool } = recorder()
  const failing = defineTool({
    name: 'failing',
    description: '',
    effects: reading,
    run: () => {
      throw new Error('no')
    },
  })
  const legwork = await openLegwork({ functions: [failing, tool('long', reading, 60), tool('next', writing())] })
  const outcomes = await legwork.batch([{ tool: 'long' }, { tool: 'failing' }, { tool: 'next' }], {
    continueOnError: false,
    concurrency: 2,
  })
  expect(outcomes.map((outcome) => (outcome.ok ? 'ok' : outcome.code))).toEqual(['ok', 'tool-failed', 'cancelled'])
})

test.each([0, -1, 1.5])('a concurrency of %s is misuse', async (concurrency) => {
  const legwork = await openLegwork({ functions: [] })
  await expect(legwork.batch([{ tool: 'x' }], { concurrency })).rejects.toMatchObject({ code: 'invalid-limit' })
})

test('thousands of calls that may all write take their turns', async () => {
  const tool = defineTool({ name: 'quick', description: '', effects: writing(), run: (input) => input })
  const legwork = await openLegwork({ functions: [tool] })
  const calls = Array.from({ length: 5_000 }, (_, n) => ({ tool: 'quick', input: { n } }))
  const outcomes = await legwork.batch(calls)
  expect(outcomes.map((outcome) => outcome.ok && (outcome.value as { n: number }).n)).toEqual(
    calls.map(({ input }) => input.n),
  )
})
