// Contract scripts: a run against one in a new context of `node:vm`, calls, large values, the deadline, threads side by side.

import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { createContext, runInNewContext, Script } from 'node:vm'
import { systemClock } from '../src/base/clock.ts'
import { Catalogue } from '../src/catalogue/catalogue.ts'
import { contractDefinition } from '../src/contract/definition.ts'
import { runScript } from '../src/doors/contract.ts'
import { createEngine } from '../src/engine/engine.ts'
import { defineTool } from '../src/function/define-tool.ts'
import { functionSource } from '../src/function/source.ts'
import { memoryJournal } from '../src/journal/memory.ts'
import { createRedactor } from '../src/outcome/redact.ts'
import { makePolicy } from '../src/policy/policy.ts'
import { Isolates } from '../src/sandbox/isolate.ts'
import { type Measurement, p50, sideBySide } from './measure.ts'

export async function benchContract(): Promise<readonly Measurement[]> {
  return [
    ...(await trivial()),
    ...(await calls()),
    ...(await largeValues()),
    ...(await deadline()),
    ...(await threads()),
    ...(await memory()),
  ]
}

/** As the reference kernel does it: a new context, a compiled script, a function called with cloned values. */
async function inNewContext(source: string, input: unknown): Promise<unknown> {
  const sandbox = createContext({ console: { log: () => {} } }, { codeGeneration: { strings: false, wasm: false } })
  const action: unknown = new Script(`(${source})`).runInContext(sandbox, { timeout: 1_000 })
  if (typeof action !== 'function') throw new Error('That is no function.')
  return action({ input: {}, state: structuredClone(input), meta: {} }, {})
}

/** Whole round trips: the one path with its journal in memory, clean memory in the sandbox, the report. */
async function trivial(): Promise<Measurement[]> {
  const source = '({ state }) => ({ success: true, result: state.value + 1 })'
  const input = { value: 1 }
  const timings = await sideBySide(
    { legwork: () => runScript({ source, input }), context: () => inNewContext(source, input) },
    { rounds: 1_000 },
  )
  const ratio = p50(timings.legwork) / p50(timings.context)
  return [
    {
      name: 'a trivial script in a clean sandbox, whole round trip, p50',
      value: p50(timings.legwork),
      unit: 'ms',
      goal: '≤ 0.5',
    },
    { name: 'the same against a new context of node:vm, p50', value: ratio, unit: '×', goal: '≤ 0.6' },
  ]
}

/** The journal's entries for each call are in both. */
async function calls(): Promise<Measurement[]> {
  const amount = 500
  const add = defineTool({
    name: 'bench:add',
    description: 'Adds',
    effects: { destructive: false, network: false, filesystem: { write: false } },
    run: ({ a, b }) => Number(a) + Number(b),
  })
  const catalogue = new Catalogue()
  await catalogue.add(functionSource('functions', [add]))
  const engine = createEngine({
    catalogue,
    policy: makePolicy({}),
    journal: memoryJournal(),
    redactor: createRedactor({ values: [], patterns: [] }),
    clock: systemClock,
  })
  const source = `async (_, api) => { for (let at = 0; at < ${amount}; at++) await api.call('bench:add', { a: at, b: 1 }) }`
  const request = { source, timeoutMs: 30_000 }
  const script = () => engine.executeTool(contractDefinition(request), { input: request })
  const execute = async () => {
    for (let at = 0; at < amount; at++) await engine.execute({ tool: 'bench:add', input: { a: at, b: 1 } })
  }
  const timings = await sideBySide({ script, execute }, { rounds: 20, warmUp: 4 })
  const value = ((p50(timings.script) - p50(timings.execute)) / amount) * 1_000
  return [{ name: 'an api.call beyond execute of the same function, p50', value, unit: 'µs', goal: '≤ 40' }]
}

async function largeValues(): Promise<Measurement[]> {
  const item = (at: number) => ({
    id: at,
    name: `item number ${at}`,
    tags: ['a', 'b'],
    price: at * 1.5,
    text: 'x'.repeat(60),
  })
  const input = Array.from({ length: 7_500 }, (_, at) => item(at))
  const megabytes = JSON.stringify(input).length / 1_000_000
  const run = () => runScript({ source: '({ state }) => state', input, timeoutMs: 5_000 })
  const { run: timings } = await sideBySide({ run }, { rounds: 20, warmUp: 3 })
  const name = `${megabytes.toFixed(2)} MB of JSON in and out, p50`
  return [{ name, value: p50(timings), unit: 'ms', goal: '≤ 120' }]
}

async function deadline(): Promise<Measurement[]> {
  const busy = () => runScript({ source: '() => { for (;;); }', timeoutMs: 300 })
  const { busy: timings } = await sideBySide({ busy }, { rounds: 10, warmUp: 1 })
  return [
    {
      name: 'a busy loop with a deadline of 300 ms, the longest',
      value: Math.max(...timings),
      unit: 'ms',
      goal: '≤ 320',
    },
  ]
}

async function threads(): Promise<Measurement[]> {
  const surface = '(host, given) => [given]'
  const pools = { one: new Isolates({ surface, threads: 1 }), two: new Isolates({ surface, threads: 2 }) }
  const signal = AbortSignal.timeout(600_000)
  const work = async (pool: Isolates) => {
    const place = await pool.enter(signal)
    const source = '() => { let sum = 0; for (let at = 0; at < 4e5; at++) sum += at; return sum }'
    await place?.run({ source, given: {}, signal, onAsk: async () => null, onLog: () => {} })
  }
  const many = (pool: Isolates) => Promise.all(Array.from({ length: 16 }, () => work(pool)))
  const timings = await sideBySide(
    { one: () => many(pools.one), two: () => many(pools.two) },
    { rounds: 10, warmUp: 2 },
  )
  await Promise.all([pools.one.close(), pools.two.close()])
  const value = p50(timings.one) / p50(timings.two)
  return [{ name: 'throughput with 2 threads against 1', value, unit: '×', goal: '≥ 1.6' }]
}

const abuses = [
  '() => { while (true) {} }',
  'async () => { for (;;) await 0 }',
  '() => /^(a+)+$/.test("a".repeat(40) + "b")',
  '() => new Promise(() => {})',
  '(_, api) => { for (;;) api.call("lcod://impl/echo@1", {}) }',
  '() => { const f = () => f(); f() }',
  '() => new Array(2 ** 27).fill(0)',
  '() => { const all = []; for (;;) all.push(new Uint8Array(1e6)) }',
  '() => "x".repeat(1e8)',
  '() => Array.prototype.join.call({ length: 2 ** 31 })',
]

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** What the heap, and what hangs on it, has grown by in the end, once everything is collected that can be. */
async function memory(): Promise<Measurement[]> {
  const grown = async (amount: number, atOnce: number, one: (at: number) => Promise<unknown>) => {
    const many = async (most: number) => {
      for (let at = 0; at < most; at += atOnce)
        await Promise.all(Array.from({ length: atOnce }, (_, more) => one(at + more)))
    }
    const inUse = async () => {
      await sleep(100)
      collect()
      const { heapUsed, external } = process.memoryUsage()
      return (heapUsed + external) / 1_048_576
    }
    await many(amount / 4)
    const before = await inUse()
    await many(amount)
    return (await inUse()) - before
  }
  const run = (at: number) => runScript({ source: '({ state }) => ({ next: state.at + 1 })', input: { at } })
  const abuse = (at: number) => runScript({ source: abuses[at % abuses.length] ?? '', timeoutMs: 20 })
  return [
    { name: 'memory after 10,000 runs more', value: await grown(10_000, 8, run), unit: 'MB', goal: '≤ 5' },
    { name: 'memory after 1,000 abuses more', value: await grown(1_000, 4, abuse), unit: 'MB', goal: '≤ 20' },
  ]
}
