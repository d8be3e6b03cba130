import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readContractFile } from '../../src/contract/compose-file.ts'
import { runCompose, runScript } from '../../src/doors/contract.ts'

test('a script runs with what the program gives it', async () => {
  const outcome = await runScript(
    {
      source: 'async ({ state }, api) => ({ sum: await api.call("add", state), slot: await api.runSlot("more", 1) })',
      input: { a: 1, b: 2 },
    },
    {
      call: (_id, input) => Object.values(input as object).reduce((sum, each) => sum + each, 0),
      slots: { more: (state) => Number(state) + 1 },
    },
  )
  expect(outcome).toMatchObject({ ok: true, tool: 'contract', value: { sum: 3, slot: 2 } })
})

test('chance and time can be held still', async () => {
  const request = { source: '() => [Math.random(), Date.now()]' }
  const fixed = { seed: 1, now: 1_000 }
  expect((await runScript(request, fixed)).value).toEqual((await runScript(request, fixed)).value)
})

test.each([
  ['a timeout below 1', { source: '() => 1', timeoutMs: 0 }, 'timeoutMs'],
  ['a timeout that is no number', { source: '() => 1', timeoutMs: '5' }, 'timeoutMs'],
  ['a source that is no text', { source: 5 }, 'source'],
  ['another language', { source: '() => 1', language: 'python' }, 'language'],
  ['a tool without a source', { source: '() => 1', tools: [{ name: 'x' }] }, 'tools[0].source'],
])('%s is an invalid input', async (_name, request, path) => {
  const outcome = await runScript(request as never)
  expect(outcome).toMatchObject({ ok: false, code: 'invalid-input', issues: [{ path }], value: refused })
})

const refused = { success: false, messages: [expect.any(String)], error: { message: expect.any(String) }, logs: [] }
const cycle: Record<string, unknown> = {}
cycle.again = cycle

test.each([
  ['a text', '() => 1'],
  ['null', null],
  ['nothing', undefined],
  ['a list', []],
  ['a cycle', { source: '() => 1', input: cycle }],
  ['a BigInt', { source: '() => 1', input: 1n }],
  ['a function', { source: () => 1 }],
  ['steps that are none', { compose: 5 }],
  ['steps with a cycle', { compose: [], input: cycle }],
  ['a state of steps that is a number', { compose: [], input: 5 }],
  ['a source that is too long', { source: `() => ${' '.repeat(1_048_576)}1` }],
])('%s is an invalid input with a report, and nothing is thrown', async (_name, request) => {
  for (const run of [runScript, runCompose]) {
    expect(await run(request as never)).toMatchObject({ ok: false, code: 'invalid-input', value: refused })
  }
})

test.each([
  ['constructor', []],
  ['__proto__', ['x']],
  ['toString', ['x']],
])('%s is no encoding', async (encoding, chunks) => {
  const streams = [{ target: 'a', chunks, encoding }]
  expect(await runScript({ source: '() => 1', streams })).toMatchObject({
    code: 'invalid-input',
    issues: [{ path: 'streams[0]', message: expect.stringContaining('no encoding') }],
  })
  const read = `async ({ state }, api) => api.call('lcod://core/stream/read@1', { stream: state.a, decode: '${encoding}' })`
  expect(await runScript({ source: read, streams: [{ target: 'a', chunks: ['x'] }] })).toMatchObject({
    message: expect.stringContaining('no encoding'),
  })
})

test.each([60, 255, 1_000])('a message %i levels deep leaves a good run as it is', async (depth) => {
  const source = `(_, api) => { let a = []; for (let at = 1; at < ${depth}; at++) a = [a]; api.log(a); return { a: 1 } }`
  expect(await runScript({ source })).toMatchObject({ ok: true, value: { a: 1 } })
  const steps = [
    { call: 'lcod://tooling/script@1', in: { source: `${source.slice(0, -17)} throw 1 }` }, out: { r: '$' } },
  ]
  expect(await runCompose({ compose: steps })).toMatchObject({
    ok: true,
    value: { r: { success: false, logs: [expect.anything()] } },
  })
})

test("the request's time is the script's own, the option's is that of the whole call", async () => {
  const source = '() => { for (;;); }'
  expect(await runScript({ source, timeoutMs: 60 }, { timeoutMs: 5_000 })).toMatchObject({
    code: 'timed-out',
    afterMs: 60,
  })
  expect(await runScript({ source, timeoutMs: 5_000 }, { timeoutMs: 60 })).toMatchObject({
    code: 'timed-out',
    afterMs: 60,
    value: { success: false },
  })
})

test('a run is given up with its signal', async () => {
  const outcome = await runScript(
    { source: '() => { for (;;); }', timeoutMs: 20_000 },
    { signal: AbortSignal.timeout(100) },
  )
  expect(outcome).toMatchObject({ ok: false, code: 'cancelled', value: { success: false } })
})

test('many scripts run side by side', async () => {
  const outcomes = await Promise.all(
    Array.from({ length: 40 }, (_, at) =>
      runScript({ source: '({ state }) => state.at * 2', input: { at }, timeoutMs: 10_000 }),
    ),
  )
  expect(outcomes.map(({ value }) => value)).toEqual(Array.from({ length: 40 }, (_, at) => at * 2))
})

test('the examples do what they say', async () => {
  const folder = join(import.meta.dirname, '../../examples/contracts')
  const read = (name: string) => readContractFile(readFileSync(join(folder, name), 'utf8'), name)
  const compose = async (name: string, input: unknown) => {
    const { does } = await read(name)
    if (does.type !== 'compose') throw new Error('It has no steps.')
    return (await runCompose({ compose: does.steps, input })).value
  }
  expect(await compose('in-range.yaml', { value: 5 })).toMatchObject({ report: { success: true, result: 5 } })
  expect(await compose('in-range.yaml', { value: 9 })).toMatchObject({ report: { success: false } })
  expect(await compose('checks.yaml', {})).toMatchObject({ report: { success: true } })
  const { does } = await read('word-count.yaml')
  if (does.type !== 'script') throw new Error('It has no source.')
  expect((await runScript({ ...does.request, input: { text: 'one two two' } })).value).toEqual({
    success: true,
    result: { one: 1, two: 2 },
    messages: ['2 different words'],
  })
})
