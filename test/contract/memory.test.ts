import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, expect, test } from 'vitest'
import { runScript } from '../../src/doors/contract.ts'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** What is in use once everything is collected that can be, in megabytes: the heap, what hangs on it, and the whole process. */
async function inUse(): Promise<{ readonly heap: number; readonly process: number }> {
  for (let round = 0; round < 3; round++) {
    await sleep(20)
    collect()
  }
  const { heapUsed, external, rss } = process.memoryUsage()
  return { heap: (heapUsed + external) / 1_048_576, process: rss / 1_048_576 }
}

const abuses: readonly (readonly [string, string])[] = [
  ['a loop', '() => { while (true) {} }'],
  ['an asynchronous loop', 'async () => { for (;;) await 0 }'],
  ['a regular expression', '() => /^(a+)+$/.test("a".repeat(40) + "b")'],
  ['a promise that never settles', '() => new Promise(() => {})'],
  ['a loop of calls', 'async (_, api) => { for (;;) await api.call("lcod://impl/echo@1", { value: 1 }) }'],
  ['calls without end', '(_, api) => { for (;;) api.call("lcod://impl/echo@1", {}) }'],
  ['deep recursion', '() => { const f = () => f(); f() }'],
  ['a huge array', '() => new Array(2 ** 27).fill(0)'],
  ['many buffers', '() => { const all = []; for (;;) all.push(new Uint8Array(1e6)) }'],
  ['a text of 100 MB', '() => "x".repeat(1e8)'],
  [
    '200,000 objects in a job',
    '() => Promise.resolve().then(() => Array.from({ length: 2e5 }, (_, at) => ({ at })).length)',
  ],
  ['the way up', '() => constructor.constructor("return process")()'],
  ['pollution', '() => JSON.parse(\'{"__proto__": {"polluted": 1}}\')'],
  ['a getter', '() => ({ get a() { throw 1 } })'],
  ['a proxy', '() => new Proxy({}, { ownKeys() { throw 1 } })'],
  ['a thrown number', '() => { throw 42 }'],
  ['a cycle in the log', '(_, api) => { const a = {}; a.a = a; api.log(a); return 1 }'],
  ['nothing', ''],
  ['an expression', '42'],
  ['two functions', '() => 1, () => 2'],
  ['5 MB of source', `() => "${'x'.repeat(5e6)}"`],
]

afterEach(() => expect(({} as Record<string, unknown>).polluted).toBeUndefined())

test.each(abuses)('%s ends in time, with a report, and the host goes on', async (_name, source) => {
  const started = performance.now()
  const outcome = await runScript({ source, timeoutMs: 150 })
  expect(performance.now() - started).toBeLessThan(3_000)
  if (!outcome.ok) {
    expect(outcome.value).toMatchObject({ success: false, messages: [expect.any(String)], error: {}, logs: [] })
    expect(outcome.message.length).toBeGreaterThan(0)
  }
  expect(await runScript({ source: '() => 1' })).toMatchObject({ ok: true, value: 1 })
})

// The full counts, ten thousand runs and a thousand abuses, are in bench/contract.ts.

test('the memory is back to where it was after many abuses', async () => {
  const abuse = () => Promise.all(abuses.map(([, source]) => runScript({ source, timeoutMs: 20 })))
  await abuse()
  await abuse()
  const before = await inUse()
  for (let round = 0; round < 5; round++) await abuse()
  const after = await inUse()
  expect(after.heap - before.heap).toBeLessThan(20)
  expect(after.process - before.process).toBeLessThan(150)
})

test('thousands of runs do not grow the heap', async () => {
  const one = async (at: number) => {
    const outcome = await runScript({ source: '({ state }) => ({ next: state.at + 1 })', input: { at } })
    if (!outcome.ok) throw new Error(outcome.message)
  }
  const runs = async (amount: number) => {
    for (let at = 0; at < amount; at += 8) await Promise.all(Array.from({ length: 8 }, (_, more) => one(at + more)))
  }
  await runs(1_000)
  const before = await inUse()
  await runs(3_000)
  expect((await inUse()).heap - before.heap).toBeLessThan(5)
})
