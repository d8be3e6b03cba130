// The requirements of tooling/script@1, in the words of the specification.

import { describe, expect, test } from 'vitest'
import { parseComposeText } from '../../src/contract/compose-file.ts'
import { type ComposeRequest, runCompose, runScript, type ScriptRequest } from '../../src/doors/contract.ts'

const value = async (request: ScriptRequest, options?: Parameters<typeof runScript>[1]) => {
  const outcome = await runScript(request, options)
  if (!outcome.ok) throw new Error(outcome.message)
  return outcome.value
}

const example = `
- call: lcod://tooling/script@1
  in:
    source: |
      async ({ input, api }) => {
        if (input.value > 2 && input.value < 7) {
          const echoed = await api.call('lcod://impl/echo@1', { value: input.value });
          return { success: true, result: echoed.val };
        }
        return { success: false, messages: ['value out of range'] };
      }
    bindings:
      input:
        path: $.value
  out:
    report: $
`

const runExample = async (text: string, input: unknown) => {
  const compose = (await parseComposeText(text)) as ComposeRequest['compose']
  const outcome = await runCompose({ compose, input })
  if (!outcome.ok) throw new Error(outcome.message)
  return outcome.value
}

describe('the script', () => {
  test('002/Sandboxed JavaScript: a short piece of JavaScript runs, and sees nothing of the host', async () => {
    const source = '() => [1 + 1, typeof process, typeof require, typeof globalThis.setTimeout]'
    expect(await value({ source })).toEqual([2, 'undefined', 'undefined', 'undefined'])
  })

  test('002/Selected bindings and restricted api: the script gets the bindings and an api', async () => {
    const source = '({ input, api }) => [input, Object.keys(api).sort()]'
    const request = { source, input: { a: 1, b: 2 }, bindings: { first: { path: '$.a' } } }
    expect(await value(request)).toEqual([{ first: 1 }, ['call', 'config', 'imports', 'log', 'run', 'runSlot']])
  })

  test('002/Script must export a function: anything else is invalid', async () => {
    expect(await runScript({ source: '42' })).toMatchObject({
      ok: false,
      code: 'invalid-input',
      message: expect.stringContaining('not a function'),
      value: { success: false },
    })
  })

  test('002/Source wrapped in parentheses: one expression, called with two arguments', async () => {
    expect(await value({ source: 'function () { return arguments.length }' })).toBe(2)
    expect(await value({ source: '(scope, api) => scope.api === api' })).toBe(true)
    expect(await value({ source: '() => 1; // done' })).toBe(1)
    expect(await runScript({ source: '() => 1, () => 2' })).toMatchObject({ ok: false, code: 'invalid-input' })
  })

  test('002/Argument input: an object of the bindings by name', async () => {
    const source = '({ input, bindings }) => [input, bindings]'
    const both = { a: 1, b: 2 }
    expect(await value({ source, bindings: { a: { value: 1 }, b: { value: 2 } } })).toEqual([both, both])
  })

  test('002/Argument state: a clone of the input state', async () => {
    const input = { list: [1] }
    expect(await value({ source: '({ state }) => { state.list.push(2); return state }', input })).toEqual({
      list: [1, 2],
    })
    expect(input).toEqual({ list: [1] })
  })

  test('002/Argument meta: what the request gives', async () => {
    expect(await value({ source: '({ meta }) => meta', meta: { author: 'Ada' } })).toEqual({ author: 'Ada' })
    expect(await value({ source: '({ meta }) => meta' })).toEqual({})
  })

  test('002/Argument api: call, runSlot and log are functions', async () => {
    const source = '(_, api) => [api.call, api.runSlot, api.log].map((each) => typeof each)'
    expect(await value({ source })).toEqual(['function', 'function', 'function'])
  })

  test('002/Synchronous or asynchronous: both are waited for', async () => {
    expect(await value({ source: '() => 1' })).toBe(1)
    expect(await value({ source: 'async () => 1' })).toBe(1)
    expect(await value({ source: '() => Promise.resolve(1)' })).toBe(1)
  })

  test('002/Return value becomes the output: as it is', async () => {
    const report = { success: false, result: [1, null], messages: ['a'] }
    expect(await runScript({ source: `() => (${JSON.stringify(report)})` })).toMatchObject({ ok: true, value: report })
  })

  test('002/Throwing captured in messages: with the logs up to there', async () => {
    const outcome = await runScript({ source: '(_, api) => { api.log("before"); throw new Error("it broke") }' })
    expect(outcome).toMatchObject({
      ok: false,
      code: 'tool-failed',
      message: 'it broke',
      value: { success: false, messages: ['it broke'], error: { name: 'Error' }, logs: ['before'] },
    })
    const thrown = async (what: string) => (await runScript({ source: `() => { throw ${what} }` })).value
    expect(await thrown('"text"')).toMatchObject({ messages: ['text'] })
    expect(await thrown('{ a: 1 }')).toMatchObject({ messages: ['{"a":1}'] })
    expect(await thrown('undefined')).toMatchObject({ messages: ['undefined'] })
  })
})

describe('what it is given', () => {
  test('002/Input deep-cloned as scope.state: neither side sees what the other changes', async () => {
    const input = { a: { b: [1] } }
    const source = '({ state }) => { state.a.b[0] = 9; state.a.c = 1; return state }'
    expect(await value({ source, input })).toEqual({ a: { b: [9], c: 1 } })
    expect(input).toEqual({ a: { b: [1] } })
    expect(await value({ source: '({ state }) => state' })).toEqual({})
  })

  test('002/State extended before execution: a stream is in the state', async () => {
    const request = { source: '({ state }) => state', input: { a: 1 }, streams: [{ target: 'body', chunks: ['x'] }] }
    expect(await value(request)).toMatchObject({ a: 1, body: { encoding: 'utf-8' } })
  })

  test('002/Metadata becomes scope.meta: whatever it is', async () => {
    expect(await value({ source: '({ meta }) => meta', meta: [1, { a: 'x' }] })).toEqual([1, { a: 'x' }])
  })

  test('002/Bindings map names to descriptors: any name', async () => {
    const bindings = { a: { value: 1 }, 'odd name': { value: 2 } }
    expect(await value({ source: '({ input }) => Object.entries(input)', bindings })).toEqual([
      ['a', 1],
      ['odd name', 2],
    ])
    expect(await runScript({ source: '() => 1', bindings: { a: {} } })).toMatchObject({
      code: 'invalid-input',
      issues: [{ path: 'bindings.a' }],
    })
  })

  test('002/Binding path: is read in the state', async () => {
    const input = { value: 1, user: { name: 'Ada', 'odd key': 2 }, items: [{ id: 3 }] }
    const paths = ['$', '$.value', '$.user.name', "$.user['odd key']", '$.items[0].id', '$.none']
    const bindings = Object.fromEntries(paths.map((path, at) => [`p${at}`, { path }]))
    expect(await value({ source: '({ input }) => input', input, bindings })).toEqual({
      p0: input,
      p1: 1,
      p2: 'Ada',
      p3: 2,
      p4: 3,
    })
    expect(await runScript({ source: '() => 1', bindings: { a: { path: '$.x[' } } })).toMatchObject({
      ok: false,
      code: 'invalid-input',
      issues: [{ path: 'bindings.a', message: expect.stringContaining('is broken') }],
    })
  })

  test('002/Binding value: verbatim', async () => {
    expect(await value({ source: '({ input }) => input.a', bindings: { a: { value: '$.not.a.path' } } })).toBe(
      '$.not.a.path',
    )
  })

  test('002/Binding default: for what is missing, not for null', async () => {
    const bindings = { a: { path: '$.none', default: 1 }, b: { path: '$.nothing', default: 1 } }
    expect(await value({ source: '({ input }) => input', input: { nothing: null }, bindings })).toEqual({
      a: 1,
      b: null,
    })
  })

  test('002/Path values deep-cloned: a script cannot change the state through a binding', async () => {
    const source = '({ input, state }) => { input.list.push(2); return state.list }'
    const request = { source, input: { list: [1] }, bindings: { list: { path: '$.list' } } }
    expect(await value(request)).toEqual([1])
    expect(request.input).toEqual({ list: [1] })
  })
})

describe('streams', () => {
  const readAll = `async ({ state }, api) => {
    const all = []
    for (;;) {
      const piece = await api.call('lcod://contract/core/stream/read@1', { stream: state.body, ...state.how })
      all.push(piece.chunk)
      if (piece.done) break
    }
    const { released } = await api.call('lcod://contract/core/stream/close@1', { stream: state.body })
    return { all, released }
  }`

  test('002/Streams registered and injected: in utf-8, base64 and hex, at any target', async () => {
    const streams = (encoding: string, chunks: string[]) => [{ target: 'body', encoding, chunks }]
    const read = (encoding: string, chunks: string[], how = {}) =>
      value({ source: readAll, input: { how }, streams: streams(encoding, chunks) })
    expect(await read('utf-8', ['ab', '', 'cde'])).toEqual({ all: ['ab', 'cde', ''], released: true })
    expect(await read('base64', ['aGVsbG8='], { decode: 'utf-8' })).toMatchObject({ all: ['hello', ''] })
    expect(await read('hex', ['c3', 'a9'], { decode: 'utf-8' })).toMatchObject({ all: ['', 'é', ''] })
    expect(await read('utf-8', ['abcde'], { maxBytes: 2, decode: 'hex' })).toMatchObject({
      all: ['6162', '6364', '65', ''],
    })
    const placed = {
      source: '({ state }) => state.a.b',
      streams: [{ target: '$.a.b', chunks: [], mediaType: 'text/csv' }],
    }
    expect(await value(placed)).toEqual({ id: expect.any(String), encoding: 'utf-8', mediaType: 'text/csv' })
    const closed = `async ({ state }, api) => {
      await api.call('lcod://contract/core/stream/close@1', { stream: state.body })
      return api.call('lcod://contract/core/stream/read@1', { stream: state.body })
    }`
    const outcome = await runScript({ source: closed, streams: streams('utf-8', ['x']) })
    expect(outcome).toMatchObject({ ok: false, message: expect.stringContaining('is closed') })
    expect(await runScript({ source: '() => 1', streams: streams('hex', ['xyz']) })).toMatchObject({
      code: 'invalid-input',
    })
    expect(await runScript({ source: '() => 1', streams: streams('latin', []) })).toMatchObject({
      code: 'invalid-input',
    })
  })

  test('002/Streams mirror test_checker: the same recording serves both', async () => {
    const streams = [{ target: 'body', encoding: 'base64', chunks: ['aGk='] }]
    const script = { source: readAll.replace('...state.how', 'decode: "utf-8"') }
    const steps = [{ call: 'lcod://tooling/script@1', in: script, out: { report: '$' } }]
    const check = { compose: steps, streams, expected: { report: { all: ['hi', ''], released: true } } }
    const outcome = await runCompose({
      compose: [{ call: 'lcod://tooling/test_checker@1', in: check, out: { r: '$' } }],
    })
    expect(outcome).toMatchObject({ ok: true, value: { r: { success: true } } })
    expect(await value({ ...script, streams })).toEqual({ all: ['hi', ''], released: true })
  })
})

describe('the api', () => {
  test('002/api.call invokes another contract: one that is built in, or what the host has', async () => {
    const source =
      'async (_, api) => [await api.call("lcod://impl/echo@1", { value: 1 }), await api.call("mine", { a: 2 })]'
    expect(await value({ source }, { call: (id, input) => ({ id, input }) })).toEqual([
      { val: 1 },
      { id: 'mine', input: { a: 2 } },
    ])
  })

  test('002/api.call can be awaited: and a failing call caught', async () => {
    const source = `async (_, api) => {
      const call = api.call('slow', {})
      try { await api.call('bad', {}) } catch (error) { return [call instanceof Promise, await call, error.message] }
    }`
    const call = async (id: string) => {
      if (id === 'bad') throw new Error('no')
      return 'late'
    }
    expect(await value({ source }, { call })).toEqual([true, 'late', 'no'])
  })

  test('002/api.runSlot runs a named slot: with a state and variables', async () => {
    const slots = { child: (state: unknown, variables: unknown) => ({ state, variables }) }
    const source = 'async (_, api) => api.runSlot("child", { a: 1 }, { item: 2 })'
    expect(await value({ source }, { slots })).toEqual({ state: { a: 1 }, variables: { item: 2 } })
    const unknown = await runScript({ source: 'async (_, api) => api.runSlot("other")' }, { slots })
    expect(unknown).toMatchObject({ ok: false, message: expect.stringContaining('no slot "other"') })
  })

  test('002/api.runSlot without children throws: at once', async () => {
    const source = '(_, api) => { try { api.runSlot("child", {}) } catch (error) { return error.message } }'
    expect(await value({ source })).toMatch(/no slot/)
  })

  test('002/api.log appends to messages: of an object, or beside anything else', async () => {
    const log = 'api.log("a", 1); console.warn({ b: 2 });'
    expect(await value({ source: `(_, api) => { ${log} return { success: true, messages: ['own'] } }` })).toEqual({
      success: true,
      messages: ['own', 'a', 1, { b: 2 }],
    })
    expect(await value({ source: `(_, api) => { ${log} return [7] }` })).toEqual({
      result: [7],
      messages: ['a', 1, { b: 2 }],
    })
  })
})

describe('limits', () => {
  test('002/Timeout default 1000ms: and less when the request says so', async () => {
    const loop = '(_, api) => { api.log("begun"); while (true) {} }'
    const started = performance.now()
    const report = { success: false, logs: ['begun'], messages: [expect.stringContaining('1000 ms')] }
    expect(await runScript({ source: loop })).toMatchObject({ code: 'timed-out', afterMs: 1_000, value: report })
    expect(performance.now() - started).toBeGreaterThan(990)
    expect(await runScript({ source: loop, timeoutMs: 50 })).toMatchObject({ code: 'timed-out', afterMs: 50 })
  })

  test('002/Memory limits: more than 64 MB is a failed run, and the host goes on', async () => {
    const source = '() => { const all = []; for (;;) all.push(new Uint8Array(1e6)) }'
    expect(await runScript({ source, timeoutMs: 5_000 })).toMatchObject({
      ok: false,
      code: 'tool-failed',
      value: { success: false, messages: [expect.stringContaining('memory')] },
    })
    expect(await value({ source: '() => 1' })).toBe(1)
  })
})

describe('the example', () => {
  test('002/Example in range: with the binding named "value" it returns 5', async () => {
    const text = example.replace('      input:\n', '      value:\n')
    expect(await runExample(text, { value: 5 })).toEqual({ value: 5, report: { success: true, result: 5 } })
  })

  test('002/Example out of range: as it stands it answers so, because its binding is named "input"', async () => {
    expect(await runExample(example, { value: 5 })).toMatchObject({
      report: { success: false, messages: ['value out of range'] },
    })
  })

  test('002/Example bindings: the path is read in the state of the compose', async () => {
    const text = example.replace(/async[\s\S]*\}\n {4}bindings/, '({ input }) => input\n    bindings')
    expect(await runExample(text, { value: 5 })).toMatchObject({ report: { input: 5 } })
  })

  test('002/Example report: the whole result is put there', async () => {
    expect(Object.keys((await runExample(example, {})) as object)).toEqual(['report'])
  })
})

describe('portable', () => {
  test('002/Portable across kernels: tools, imports and config are there as other kernels have them', async () => {
    const request: ScriptRequest = {
      source: `async ({ input, imports }, api) => {
        const doubled = await api.run('double', { value: input.value })
        return { success: api.config('feature.enabled'), doubled, echoed: (await imports.echo({ value: 1 })).val, all: api.config() }
      }`,
      bindings: { value: { value: 6 } },
      config: { feature: { enabled: true } },
      tools: [{ name: 'double', source: '({ value }, api) => { api.log("doubling"); return value * 2 };' }],
      imports: { echo: 'lcod://impl/echo@1' },
    }
    expect(await value(request)).toEqual({
      success: true,
      doubled: 12,
      echoed: 1,
      all: { feature: { enabled: true } },
      messages: ['doubling'],
    })
  })

  test('002/Compliant sandbox and translation of values: JSON in both directions, with clear errors', async () => {
    const input = { text: 'ü€😀', number: 1.5, none: null, list: [true, {}] }
    expect(await value({ source: '({ state }) => state', input })).toEqual(input)
    expect(await value({ source: '() => undefined' })).toBeNull()
    expect(await runScript({ source: '() => ({ a: () => 1 })' })).toMatchObject({
      code: 'tool-failed',
      message: expect.stringContaining('a function (at a)'),
    })
  })
})
