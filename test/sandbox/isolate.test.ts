import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { type GuestEnd, type IsolateRun, Isolates } from '../../src/sandbox/isolate.ts'

const surface =
  "(host, given) => [given, { ask: (value) => host.ask('echo', value), log: (...values) => host.log('info', values) }]"
const isolates = new Isolates({ surface, threads: 2 })
afterAll(() => isolates.close())

type Ran = GuestEnd & { readonly logs: readonly unknown[]; readonly tookMs: number }

async function run(source: string, options: Partial<IsolateRun> & { readonly timeoutMs?: number } = {}): Promise<Ran> {
  const place = await isolates.enter(AbortSignal.timeout(20_000))
  if (!place) throw new Error('There was no place.')
  const { timeoutMs = 5_000, ...rest } = options
  const logs: unknown[] = []
  const started = performance.now()
  const end = await place.run({
    source,
    given: {},
    signal: AbortSignal.timeout(timeoutMs),
    onAsk: async (_kind, value) => value,
    onLog: (_level, values) => logs.push(...values),
    ...rest,
  })
  return { ...end, logs, tookMs: performance.now() - started }
}

const returned = async (source: string, options?: Parameters<typeof run>[1]) => {
  const end = await run(source, options)
  if (end.type !== 'returned') throw new Error(JSON.stringify(end))
  return JSON.parse(end.text)
}

describe('values', () => {
  test('a function is called with what the surface makes, and its value comes back', async () => {
    expect(await returned('({ a }) => ({ b: a + 1 })', { given: { a: 1 } })).toEqual({ b: 2 })
    expect(await returned('async (_, { ask }) => (await ask([1, 2])).length')).toBe(2)
  })

  test('any JSON goes in and comes out as it was', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        expect(await returned('(value) => value', { given: value })).toEqual(JSON.parse(JSON.stringify(value)))
      }),
      { numRuns: 60 },
    )
  })

  test('any text goes in and comes out as it was, surrogates and zeros included', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 50 }), async (text) => {
        expect(await returned('(value) => value', { given: text })).toBe(text)
      }),
      { numRuns: 60 },
    )
  })

  test.each([
    ['a function', '() => () => 1', 'a function (at the value itself)'],
    ['a function far down', '() => ({ a: [0, { b: () => 1 }] })', 'a function (at a[1].b)'],
    ['a BigInt', '() => [1n]', 'the BigInt 1 (at [0])'],
    ['a cycle', '() => { const a = { b: {} }; a.b.c = a; return a }', 'a cycle (at b.c)'],
    ['a Map', '() => ({ a: [new Map([[1, 2]])] })', 'a Map (at a[0])'],
    ['a Set', '() => new Set([1])', 'a Set (at the value itself)'],
    ['bytes', '() => ({ a: new Uint8Array(2) })', 'bytes (at a)'],
    ['a regular expression', '() => [/x/]', 'a RegExp (at [0])'],
    ['a promise inside', '() => ({ a: Promise.resolve(1) })', 'a promise that nobody has waited for (at a)'],
    ['a generator', 'function* () { yield 1 }', 'a generator (at the value itself)'],
    ['an asynchronous generator', 'async function* () {}', 'a generator (at the value itself)'],
  ])('%s cannot cross, and the fault says where', async (_name, source, message) => {
    expect(await run(source)).toMatchObject({
      type: 'failed',
      fault: { reason: 'not-json', message: expect.stringContaining(message) },
    })
  })

  test('undefined is as JSON has it', async () => {
    expect(await returned('() => undefined')).toBeNull()
    expect(await returned('() => JSON.stringify({ f() {}, a: 1 })')).toBe('{"a":1}')
    expect(await returned('() => ({ a: undefined, b: [undefined], c: NaN })')).toEqual({ b: [null], c: null })
  })

  test('an error is its name and message, and a script that says how a value is written has its way', async () => {
    expect(await returned('() => [new RangeError("no"), new Date(0)]')).toEqual([
      { name: 'RangeError', message: 'no' },
      '1970-01-01T00:00:00.000Z',
    ])
    expect(
      await returned('() => { BigInt.prototype.toJSON = function () { return String(this) }; return [5n] }'),
    ).toEqual(['5'])
    expect(
      await returned('() => { Map.prototype.toJSON = function () { return [...this] }; return new Map([[1, 2]]) }'),
    ).toEqual([[1, 2]])
  })

  test('for the script itself JSON is as ever', async () => {
    expect(
      await returned('() => JSON.stringify({ m: new Map([[1, 2]]), f() {}, e: new Error("x"), a: [() => 1] })'),
    ).toBe('{"m":{},"e":{},"a":[null]}')
  })

  test('what cannot cross in a question is an error of the guest', async () => {
    expect(
      await returned('async (_, { ask }) => { try { await ask(() => 1) } catch (error) { return error.message } }'),
    ).toMatch(/JSON cannot hold a function/)
  })

  test('what the host throws is an error of the guest, without the stack of the host', async () => {
    const onAsk = async () => {
      throw Object.assign(new Error('no such thing'), { code: 'denied' })
    }
    const source =
      'async (_, { ask }) => { try { await ask(1) } catch (error) { return [error.message, error.code, error.stack] } }'
    const [message, code, stack] = await returned(source, { onAsk })
    expect([message, code]).toEqual(['no such thing', 'denied'])
    expect(stack).not.toMatch(/file:|node:|isolate-|\/src\//)
  })
})

describe('source', () => {
  test.each([
    '() => 1;',
    '() => 1 // done',
    '() => 1; // done',
    '() => 1; /* done */',
    '\n() => 1\n;;\n',
    'function () { return 1 }',
    'async () => 1',
    '() => 1;\n// a\n// b; c\n// d\n// e\n// f;;\n// g\n// h\n',
    '() => 1;;; /* a; */ ; // b',
    '() => "a;//b"; /* c */',
  ])('%j is one function', async (source) => {
    expect((await run(source)).type).toBe('returned')
  })

  test.each([
    ['nothing', ''],
    ['two functions', '() => 1, () => 2'],
    ['two statements', '() => 1; () => 2'],
    ['a break-out', '() => 1); (() => 2'],
    ['a statement', 'return 1'],
    ['an import', 'import x from "fs"; () => 1'],
    ['an open comment', '() => 1 /*'],
    ['an open template', '() => `'],
  ])('%s is a syntax fault and runs nothing', async (_name, source) => {
    expect(await run(source)).toMatchObject({ type: 'failed', fault: { reason: 'syntax' } })
  })

  test.each(['42', '({})', 'null', '"text"', 'Promise.resolve()', '1 : 0); (0 ? () => 1'])(
    '%s is no function',
    async (source) => {
      expect(await run(source)).toMatchObject({ type: 'failed', fault: { reason: 'no-function' } })
    },
  )

  test.each([
    ['() => {', 'the source ends too early (line 1, column 8).'],
    ['() => {\n  return [1,\n', 'the source ends too early (line 2, column 13).'],
    ['() => { const a = ; }', "';' (line 1, column 19)."],
    ['export default () => 1', 'Leave out "export default"'],
    ['import fs from "fs"; () => 1', 'There are no modules here'],
  ])('%j is a fault in the words of its author', async (source, message) => {
    const end = await run(source)
    expect(end).toMatchObject({
      type: 'failed',
      fault: { reason: 'syntax', message: expect.stringContaining(message) },
    })
  })

  test('a syntax fault has its line and column', async () => {
    const end = await run('() => {\n  const a = ;\n}')
    expect(end).toMatchObject({ fault: { message: expect.stringContaining('line 2, column 13') } })
  })

  test('it is sloppy mode', async () => {
    expect(await returned('function () { undeclared = 1; return typeof this + undeclared }')).toBe('object1')
  })
})

describe('clean memory', () => {
  test('nothing of a run is there in the next', async () => {
    for (let round = 0; round < 6; round++) {
      const dirty = `() => { const seen = [globalThis.left, ({}).left, Array.prototype.left, typeof JSON.parse, Math.left]
        globalThis.left = 1; Object.prototype.left = 1; Array.prototype.left = 1; JSON.parse = 1; Math.left = 1; return seen }`
      expect(await returned(dirty)).toEqual([null, null, null, 'function', null])
    }
  })

  test('chance differs from run to run, and can be held still as the time can', async () => {
    const source = '() => [Math.random(), Math.random(), Date.now(), new Date().getTimezoneOffset()]'
    const [first, second] = [await returned(source), await returned(source)]
    expect(first[0]).not.toBe(second[0])
    expect(first[0]).not.toBe(first[1])
    expect(Math.abs(first[2] - Date.now())).toBeLessThan(60_000)
    expect(first[3]).toBe(0)
    const fixed = { seed: 7, now: 1_700_000_000_123 }
    expect(await returned(source, fixed)).toEqual(await returned(source, fixed))
    expect((await returned(source, fixed))[2]).toBe(1_700_000_000_123)
  })

  test('the state of the binary is one memory, one table and one number: putting those back puts everything back', () => {
    const file = createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm')
    const counts = sectionCounts(readFileSync(file))
    expect(counts).toEqual({ tables: 1, memories: 1, mutableGlobals: 1 })
  })
})

describe('limits', () => {
  test.each([
    ['a loop', '() => { while (true) {} }'],
    ['a loop that catches', '() => { for (;;) try { for (;;); } catch {} finally { for (;;); } }'],
    ['an asynchronous loop', 'async () => { for (;;) await 0 }'],
    ['a loop of jobs', '() => { const again = () => Promise.resolve().then(again); return again() }'],
    ['a regular expression', '() => /^(a+)+$/.test("a".repeat(40) + "b")'],
    ['a promise that never settles', '() => new Promise(() => {})'],
    ['a loop of questions', 'async (_, { ask }) => { for (;;) await ask(1) }'],
    ['a getter in the value', '() => ({ get a() { for (;;); } })'],
    ['toJSON', '() => ({ toJSON() { for (;;); } })'],
    ['a thenable', '() => ({ then() { for (;;); } })'],
    ['the source itself', '(() => { for (;;); })()'],
    ['join, which never looks at the clock', '() => Array.prototype.join.call({ length: 2 ** 31 })'],
    ['sort, which never looks at the clock', '() => { const a = []; a[2 ** 31] = 1; a.sort() }'],
    ['indexOf, which never looks at the clock', '() => "a".repeat(4e6).indexOf("a".repeat(2e6) + "b")'],
    ['normalize', '() => { for (;;) "\\u1e9b\\u0323".repeat(3e5).normalize("NFKC") }'],
    ['a reader that ends the thread late', '() => new Uint8Array(3e7).map(() => Math.random()).sort((a, b) => a - b)'],
  ])('%s ends when the time is over', async (_name, source) => {
    const end = await run(source, { timeoutMs: 100 })
    expect(end.type).toBe('stopped')
    expect(end.tookMs).toBeLessThan(2_000)
    expect(await returned('() => 1')).toBe(1)
  })

  test.each([
    ['a large array', '() => new Array(2 ** 24).fill(0)'],
    ['many buffers', '() => { const all = []; for (;;) all.push(new Uint8Array(1e6)) }'],
    ['a text of 100 MB', '() => "x".repeat(1e8)'],
    ['many objects in a job', '() => Promise.resolve().then(() => { const all = []; for (;;) all.push({ a: all }) })'],
    ['a large map', '() => { const map = new Map(); for (let at = 0; ; at++) map.set(at, [at]) }'],
  ])('%s is too much memory', async (_name, source) => {
    expect(await run(source, { memoryBytes: 16 << 20, timeoutMs: 8_000 })).toMatchObject({
      type: 'failed',
      fault: { reason: 'memory' },
    })
    expect(await returned('() => 1')).toBe(1)
  })

  test.each([
    ['recursion', '() => { const f = () => f(); f() }'],
    ['recursion through the language', '() => { const a = []; a.toString = () => String(a); return String(a) }'],
    ['a growing text', '() => { let text = "x"; for (;;) text += text }'],
    ['deep JSON', '() => JSON.parse("[".repeat(1e5) + "]".repeat(1e5))'],
    ['a deep value', '() => { let a = []; for (let at = 0; at < 2e4; at++) a = [a]; return a }'],
  ])('%s ends in an error of the guest or in the sandbox being replaced', async (_name, source) => {
    expect((await run(source, { timeoutMs: 3_000 })).type).not.toBe('returned')
    expect(await returned('() => 1')).toBe(1)
  })

  test('a value, a question and messages have a bound', async () => {
    const bounds = { maxTextLength: 1_000, maxLogLength: 1_000 }
    expect(await run('() => "x".repeat(1001)', bounds)).toMatchObject({ fault: { reason: 'too-large' } })
    expect(await run('(_, { ask }) => ask("x".repeat(1001))', bounds)).toMatchObject({ fault: { reason: 'too-large' } })
    const end = await run('(_, { log }) => { for (let at = 0; at < 1000; at++) log("0123456789"); return 1 }', bounds)
    expect(end.logs.length).toBeLessThan(60)
    expect(end.droppedLogs).toBe(1_000 - end.logs.length)
  })

  test('a value of too many parts or levels is refused before the host has read it', async () => {
    expect(await run('() => new Array(250_000).fill({})')).toMatchObject({
      fault: { reason: 'too-large', message: expect.stringContaining('parts') },
    })
    const deep = 'let a = []; for (let at = 0; at < 300; at++) a = [a];'
    expect(await run(`() => { ${deep} return a }`)).toMatchObject({
      fault: { reason: 'too-large', message: expect.stringContaining('levels') },
    })
    expect(await run(`(_, { ask }) => { ${deep} return ask(a) }`)).toMatchObject({ fault: { reason: 'too-large' } })
  })

  test.each([60, 255, 600, 2_000])('a message %i levels deep is told, as text where it is too deep', async (depth) => {
    const end = await run(
      `(_, { log }) => { let a = []; for (let at = 1; at < ${depth}; at++) a = [a]; log(a); return 1 }`,
    )
    expect(end).toMatchObject({ type: 'returned', text: '1' })
    const brackets = '['.repeat(depth) + ']'.repeat(depth)
    expect(end.logs).toEqual([depth === 60 ? JSON.parse(brackets) : `[${brackets}]`])
  })

  test('an answer that is too large is an error of the guest', async () => {
    const source = 'async (_, { ask }) => { try { await ask(1) } catch (error) { return [error.code, error.message] } }'
    expect(await returned(source, { onAsk: async () => 'x'.repeat(11e6) })).toEqual([
      'too-large',
      expect.stringContaining('11000002 characters'),
    ])
  })

  test('questions that wait have a bound on their length together, and the rest goes on', async () => {
    const source = `async (_, { ask }) => {
      const data = 'x'.repeat(7e6)
      const all = await Promise.allSettled([1, 2, 3, 4, 5, 6].map(() => ask(data)))
      const again = await ask('later')
      return [all.filter(({ status }) => status === 'fulfilled').length, all.find(({ reason }) => reason).reason.code, again]
    }`
    const onAsk = async (_kind: string, value: unknown) => {
      if (value !== 'later') await new Promise((settle) => setTimeout(settle, 300))
      return String(value).slice(0, 5)
    }
    expect(await returned(source, { onAsk, timeoutMs: 15_000 })).toEqual([4, 'too-large', 'later'])
  })

  test('answers that nobody reads do not fill the memory of the host', async () => {
    const source = `async (_, { ask }) => {
      const all = Array.from({ length: 8 }, () => ask(1).then(() => 'ok', (error) => error.code))
      const until = Date.now() + 1500
      while (Date.now() < until);
      return (await Promise.all(all)).includes('too-large')
    }`
    const options = { onAsk: async () => 'x'.repeat(9e6), timeoutMs: 15_000, memoryBytes: 256 << 20 }
    expect(await returned(source, options)).toBe(true)
  })

  test('null that is thrown is no lack of memory, however much is in use', async () => {
    const source = '() => { globalThis.kept = new Uint8Array(50e6); throw null }'
    expect(await run(source)).toMatchObject({ fault: { reason: 'thrown', message: 'null' } })
  })

  test('a guest computes for so long and no longer, whatever the clock of its signal does', async () => {
    const never = () => new Promise(() => {})
    const busy = await run('(_, { ask }) => { ask(1); for (;;); }', { maxBusyMs: 150, timeoutMs: 10_000, onAsk: never })
    expect(busy).toMatchObject({ type: 'stopped', isSpent: true })
    expect(busy.tookMs).toBeLessThan(3_000)
    const native = await run('(_, { ask }) => { ask(1); Array.prototype.join.call({ length: 2 ** 31 }) }', {
      maxBusyMs: 150,
      timeoutMs: 10_000,
      onAsk: never,
    })
    expect(native).toMatchObject({ type: 'stopped', isSpent: true })
    const late = async (_kind: string, value: unknown) => {
      await new Promise((settle) => setTimeout(settle, 400))
      return value
    }
    expect(await returned('async (_, { ask }) => ask(7)', { maxBusyMs: 150, onAsk: late })).toBe(7)
  })

  test('a thousand questions may be open, not more', async () => {
    const source = `async (_, { ask }) => { let failed = 0; const all = []
      for (let at = 0; at < 1500; at++) try { all.push(ask(at)) } catch { failed++ }
      return [failed, (await Promise.all(all)).length] }`
    expect(await returned(source)).toEqual([500, 1_000])
  })

  test('only some questions of a guest are answered at once', async () => {
    let [now, most] = [0, 0]
    const onAsk = async (_kind: string, value: unknown) => {
      most = Math.max(most, ++now)
      await new Promise((settle) => setTimeout(settle, 1))
      now--
      return value
    }
    const source = 'async (_, { ask }) => (await Promise.all(Array.from({ length: 200 }, (_, at) => ask(at)))).length'
    expect(await returned(source, { onAsk })).toBe(200)
    expect(most).toBe(32)
  })

  test('what JSON cannot hold is not given to a guest, and the thread is as good as before', async () => {
    for (let round = 0; round < 5; round++) await expect(run('() => 1', { given: 1n })).rejects.toThrow()
    expect(await returned('() => 1')).toBe(1)
  })

  test('messages from before the end are all there, even when the thread had to be ended', async () => {
    const source =
      '(_, { log }) => { for (let at = 0; at < 500; at++) log(at); Array.prototype.join.call({ length: 2 ** 31 }) }'
    const end = await run(source, { timeoutMs: 200 })
    expect(end.type).toBe('stopped')
    expect(end.logs).toEqual(Array.from({ length: 500 }, (_, at) => at))
  })

  test('what a guest does after its end is not waited for', async () => {
    expect(await returned('() => { (async () => { for (;;) await 0 })(); return 1 }')).toBe(1)
    expect(await returned('() => 2')).toBe(2)
  })
})

describe('threads', () => {
  test('the event loop of the host goes on while guests are busy', async () => {
    let turns = 0
    const timer = setInterval(() => turns++, 5)
    await Promise.all([1, 2].map(() => run('() => { for (;;); }', { timeoutMs: 300 })))
    clearInterval(timer)
    expect(turns).toBeGreaterThan(10)
  })

  test('whoever waits for a place may give up, and that is no run', async () => {
    const busy = [1, 2].map(() => run('() => { for (;;); }', { timeoutMs: 500 }))
    await new Promise((settle) => setTimeout(settle, 50))
    expect(await isolates.enter(AbortSignal.timeout(100))).toBeUndefined()
    expect((await Promise.all(busy)).map(({ type }) => type)).toEqual(['stopped', 'stopped'])
    expect(await returned('() => 1')).toBe(1)
  })

  test('guests that wait for the host do not keep others out, however deep they are nested', async () => {
    const nested = async (depth: number): Promise<number> => {
      if (depth === 0) return 0
      const onAsk = () => nested(depth - 1)
      return (await returned('async (_, { ask }) => (await ask(1)) + 1', { onAsk, timeoutMs: 20_000 })) as number
    }
    expect(await nested(6)).toBe(6)
  })
})

/** Reads the sections of a WebAssembly binary that hold state. */
function sectionCounts(bytes: Buffer): { tables: number; memories: number; mutableGlobals: number } {
  const counts = { tables: 0, memories: 0, mutableGlobals: 0 }
  let at = 8
  const number = () => {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] ?? 0
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return value
    }
  }
  while (at < bytes.length) {
    const id = bytes[at++]
    const size = number()
    const end = at + size
    if (id === 4) counts.tables = number()
    if (id === 5) counts.memories = number()
    if (id === 6) {
      for (let left = number(); left > 0; left--) {
        at++
        if (bytes[at++] === 1) counts.mutableGlobals++
        while (bytes[at++] !== 0x0b);
      }
    }
    at = end
  }
  return counts
}
