// What a script or a step can do to the host's memory, time and event loop: nothing that is noticed, and nothing after its end.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { type ComposeStep, type RunScriptOptions, runCompose, runScript } from '../../src/doors/contract.ts'
import { temporaryFolder } from '../support/temporary.ts'

/** The longest that this thread computed without a turn of the event loop, in milliseconds: what else the machine does is not in it. */
async function longestBlock(work: () => Promise<unknown>): Promise<number> {
  const computed = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1_000
  }
  let [longest, last] = [0, computed()]
  const look = () => {
    const now = computed()
    longest = Math.max(longest, now - last)
    last = now
  }
  const timer = setInterval(look, 2)
  await work()
  clearInterval(timer)
  look()
  return longest
}

/** The bound is 100 ms; a machine that is busy computes more slowly. */
const room = 2.5 * 100

const call = (id: string, input: string) => `async (_, api) => api.call('lcod://core/${id}@1', ${input})`

describe('answers', () => {
  test.each([
    ['a tool that gives 300 MB', 'async (_, api) => api.call("big", {})'],
    ['a column with a name of 1 MB', call('parse/csv', '{ text: "a\\n".repeat(300), header: ["x".repeat(1e6)] }')],
    [
      'spaces before every value',
      call(
        'json/encode',
        '{ value: new Array(200).fill(0).reduce((inner) => [inner, ...new Array(1000).fill(0)], 0), space: 10 }',
      ),
    ],
    ['a slot', 'async (_, api) => api.runSlot("big", {})'],
  ])('%s is an error of the script', async (_name, source) => {
    const big = () => 'x'.repeat(300e6)
    const caught = source.replace(
      /=> (api.*)$/s,
      '=> { try { return typeof (await $1) } catch (error) { return error.code } }',
    )
    expect(await runScript({ source: caught, timeoutMs: 10_000 }, { call: big, slots: { big } })).toMatchObject({
      ok: true,
      value: 'too-large',
    })
  })

  test('what a tool gives is as JSON has it, or an error', async () => {
    const given: Record<string, unknown> = {
      date: new Date(0),
      error: new RangeError('no'),
      map: new Map(),
      big: 1n,
      list: [undefined, Number.NaN],
    }
    const source = 'async ({ state }, api) => api.call(state.what, {}).catch((error) => error.message)'
    const answer = async (what: string) =>
      (await runScript({ source, input: { what } }, { call: (id) => given[id] })).value
    expect(await answer('date')).toBe('1970-01-01T00:00:00.000Z')
    expect(await answer('error')).toEqual({ name: 'RangeError', message: 'no' })
    expect(await answer('map')).toMatch(/cannot hold a Map/)
    expect(await answer('big')).toMatch(/cannot hold the BigInt/)
    expect(await answer('list')).toEqual([null, null])
  })

  test('bindings do not multiply a state without end', async () => {
    const bindings = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`b${at}`, { path: '$' }]))
    const outcome = await runScript({ source: '() => 1', input: { text: 'x'.repeat(1e6) }, bindings })
    expect(outcome).toMatchObject({ ok: false, code: 'invalid-input', value: { success: false } })
  })
})

describe('the event loop goes on while', () => {
  test.each([
    ['CSV of one line', call('parse/csv', '{ text: ",".repeat(240_000) }')],
    ['CSV of too many cells', call('parse/csv', '{ text: ",".repeat(5e6) }')],
    ['CSV of many lines', call('parse/csv', '{ text: "a,b\\n".repeat(1e5), header: ["x", "y"] }')],
    [
      'TOML of many keys',
      call('parse/toml', '{ text: Array.from({ length: 6e4 }, (_, at) => "k" + at + "=1").join("\\n") }'),
    ],
    ['TOML of many parts', call('parse/toml', '{ text: "a" + ".a".repeat(1e5) + "=1" }')],
    ['JSON of many values', call('parse/json', '{ text: "[" + "{},".repeat(1e5) + "0]" }')],
    ['JSON of too many values', call('json/decode', '{ text: "[" + "0,".repeat(4e6) + "0]" }')],
    ['a long template', call('string/format', '{ template: "{a}".repeat(2e5) }')],
    [
      'large values in a template',
      call('string/format', '{ template: "{a}".repeat(20), values: { a: new Array(2e5).fill(0) } }'),
    ],
    ['a hash', call('hash/sha256', '{ data: "x".repeat(9e6) }')],
    [
      'many hashes at once',
      'async (_, api) => { const data = "x".repeat(3e6); await Promise.all(Array.from({ length: 9 }, () => api.call("lcod://core/hash/sha256@1", { data }))) }',
    ],
    ['lists grow', call('array/append', '{ array: new Array(120_000).fill(0), items: new Array(120_000).fill(1) }')],
  ])('%s is read', async (_name, source) => {
    await runScript({ source: '() => 1' })
    const longest = await longestBlock(() => runScript({ source, timeoutMs: 3_000 }))
    expect(longest).toBeLessThan(room)
  })

  const round = (call: string, more: object): ComposeStep => ({ call: `lcod://flow/${call}@1`, ...more })
  test.each([
    ['empty rounds', round('foreach', { in: { list: '$.list' }, slots: { body: [] } })],
    ['empty conditions', round('while', { slots: { condition: [], body: [] } })],
    ['empty tasks', round('parallel', { in: { tasks: '$.list' }, slots: { body: [] } })],
  ])('%s go on, and they end in time', async (_name, step) => {
    const steps = new Array(200).fill(step)
    const started = performance.now()
    const longest = await longestBlock(() =>
      runCompose({ compose: steps, input: { list: new Array(50_000).fill(0), continue: true } }, { timeoutMs: 200 }),
    )
    expect(longest).toBeLessThan(room)
    expect(performance.now() - started).toBeLessThan(3_000)
  })

  test('a large file of steps is read, or refused', async () => {
    const root = temporaryFolder()
    writeFileSync(join(root, 'large.yaml'), `compose: []\nx:\n${'  - {a: 1, b: [1,2,3]}\n'.repeat(20_000)}`)
    writeFileSync(join(root, 'larger.yaml'), `compose: []\nx:\n${'  - {a: 1, b: [1,2,3]}\n'.repeat(200_000)}`)
    for (const path of ['large.yaml', 'larger.yaml']) {
      const check = {
        call: 'lcod://tooling/test_checker@1',
        in: { composeRef: { path }, expected: {} },
        out: { r: '$' },
      }
      const longest = await longestBlock(() => runCompose({ compose: [check] }, { files: { root }, timeoutMs: 500 }))
      expect(longest).toBeLessThan(room)
    }
  })
})

describe('nothing goes on after the end', () => {
  const writes = (path: string, amount: number): ComposeStep[] =>
    Array.from({ length: amount }, () => ({
      call: 'lcod://core/fs/write_file@1',
      in: { path, data: 'x', append: true },
    }))

  /** How much there is at the end, and a while later. */
  async function written(run: (options: RunScriptOptions) => Promise<unknown>): Promise<readonly [number, number]> {
    const root = temporaryFolder()
    const size = () => (existsSync(join(root, 'late.txt')) ? readFileSync(join(root, 'late.txt')).length : 0)
    await run({ files: { root } })
    const atTheEnd = size()
    await sleep(150)
    return [atTheEnd, size()]
  }
  const checker = (amount: number) =>
    `api.call('lcod://tooling/test_checker@1', { expected: {}, compose: ${JSON.stringify(writes('late.txt', amount))} })`

  const then = writes('late.txt', 300)
  const branches = { then, else: [{ call: 'lcod://flow/throw@1', in: { message: 'no' } }] }

  test.each<readonly [string, (options: RunScriptOptions) => Promise<unknown>]>([
    ['its time', (options) => runScript({ source: `async (_, api) => ${checker(2_000)}`, timeoutMs: 60 }, options)],
    ['its return', (options) => runScript({ source: `async (_, api) => { ${checker(500)}; return 1 }` }, options)],
    ['its throw', (options) => runScript({ source: `async (_, api) => { ${checker(500)}; throw 1 }` }, options)],
    [
      'the caller',
      (options) =>
        runScript(
          { source: `async (_, api) => ${checker(2_000)}`, timeoutMs: 9_000 },
          { ...options, signal: AbortSignal.timeout(60) },
        ),
    ],
    [
      'a slot',
      (options) =>
        runCompose(
          {
            compose: [
              {
                call: 'lcod://tooling/script@1',
                in: { source: 'async (_, api) => { api.runSlot("child", {}); return 1 }' },
                slots: { child: writes('late.txt', 500) },
              },
            ],
          },
          options,
        ),
    ],
    [
      'a script in a script',
      (options) =>
        runScript(
          {
            source: `async (_, api) => api.call('lcod://tooling/script@1', { timeoutMs: 9000, source: ${JSON.stringify(`async (_, api) => ${checker(2_000)}`)} })`,
            timeoutMs: 100,
          },
          options,
        ),
    ],
    [
      'a failing sibling',
      (options) =>
        runCompose(
          {
            compose: [
              {
                call: 'lcod://flow/parallel@1',
                in: { tasks: [0, 1] },
                slots: {
                  body: [
                    {
                      call: 'lcod://flow/if@1',
                      in: { cond: '$slot.index' },
                      slots: branches,
                    },
                  ],
                },
              },
            ],
          },
          options,
        ),
    ],
  ])('of a run that ends by %s', async (_name, run) => {
    const [atTheEnd, later] = await written(run)
    expect(later).toBe(atTheEnd)
    expect(later).toBeLessThan(2_000)
  })

  test('the failure of a sibling is what is told', async () => {
    const body = [{ call: 'wait', in: { at: '$slot.index' } }]
    const step: ComposeStep = { call: 'lcod://flow/parallel@1', in: { tasks: [0, 1, 2] }, slots: { body } }
    const outcome = await runCompose(
      { compose: [step] },
      {
        call: (_id, input) =>
          JSON.stringify(input) === '{"at":1}' ? Promise.reject(new Error('the second')) : new Promise(() => {}),
      },
    )
    expect(outcome).toMatchObject({ ok: false, message: expect.stringContaining('the second') })
  })
})

test('a script for which no thread becomes free is too busy, and did not run', async () => {
  const busy = Array.from({ length: 8 }, () => runScript({ source: '() => { for (;;); }', timeoutMs: 700 }))
  await sleep(150)
  const outcome = await runScript({ source: '() => 1' }, { maxWaitMs: 50 })
  expect(outcome).toMatchObject({
    ok: false,
    code: 'too-busy',
    value: { success: false, error: { name: 'BusyError' } },
  })
  await Promise.all(busy)
  expect(await runScript({ source: '() => 1' })).toMatchObject({ ok: true })
})
