import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type ComposeStep, type RunScriptOptions, runCompose, runScript } from '../../src/doors/contract.ts'
import { temporaryFolder } from '../support/temporary.ts'

const run = async (compose: readonly ComposeStep[], input: unknown = {}, options: RunScriptOptions = {}) => {
  const outcome = await runCompose({ compose, input }, options)
  if (!outcome.ok) throw new Error(`${outcome.code}: ${outcome.message}`)
  return outcome.value
}

const echo = (value: unknown, out: Record<string, string>): ComposeStep => ({
  call: 'lcod://impl/echo@1',
  in: { value },
  out,
})

const when = (cond: string, then: readonly ComposeStep[], otherwise: readonly ComposeStep[] = []): ComposeStep => ({
  call: 'lcod://flow/if@1',
  in: { cond },
  slots: { then, else: otherwise },
})

describe('steps', () => {
  test('refer to the state, and say what of the result goes into it', async () => {
    const steps = [
      echo(
        { list: ['$.a', '$.b[0]', 'plain', '$'], missing: '$.none' },
        { first: 'val', all: '$', deep: '$.val.list[0]' },
      ),
    ]
    const first = { list: [1, 2, 'plain', '$'] }
    expect(await run(steps, { a: 1, b: [2] })).toEqual({ a: 1, b: [2], first, all: { val: first }, deep: 1 })
  })

  test('what the result does not have is taken out of the state', async () => {
    expect(await run([echo(1, { a: 'none' })], { a: 1 })).toEqual({})
  })

  test('bindings stay as they are', async () => {
    const call = { source: '({ input }) => input.x', bindings: { x: { path: '$.y' } }, y: '$.z' }
    expect(await run([{ call: 'lcod://tooling/script@1', in: call, out: { r: '$' } }], { z: 7 })).toMatchObject({
      r: 7,
    })
  })

  test('without "input" the script\'s state is the other keys, else the state around it', async () => {
    const source = '({ state }) => state'
    const script = (input: Record<string, unknown>): ComposeStep => ({
      call: 'lcod://tooling/script@1',
      in: { source, ...input },
      out: { r: '$' },
    })
    expect(await run([script({ input: { a: '$.x' } })], { x: 1 })).toMatchObject({ r: { a: 1 } })
    expect(await run([script({ b: '$.x' })], { x: 1 })).toMatchObject({ r: { b: 1 } })
    expect(await run([script({})], { x: 1 })).toMatchObject({ r: { x: 1 } })
  })

  test.each([
    ['no list', { call: 'x' }, 'compose'],
    ['a step that is none', [1], 'compose[0]'],
    ['no call', [{ in: {} }], 'compose[0].call'],
    ['an unknown key', [{ call: 'x', input: {} }], 'compose[0].input'],
    ['a wrong out', [{ call: 'x', out: { a: 1 } }], 'compose[0].out'],
    ['a step in a slot', [{ call: 'x', slots: { body: [{}] } }], 'compose[0].slots.body[0].call'],
  ])('%s is a fault before anything runs, and says where', async (_name, compose, path) => {
    const outcome = await runCompose({ compose: compose as ComposeStep[] })
    expect(outcome).toMatchObject({ ok: false, code: 'invalid-input', issues: [{ path }] })
  })

  test('a step that fails ends the run, and says which it was', async () => {
    const outcome = await runCompose({ compose: [echo(1, {}), { call: 'lcod://none@1' }] })
    expect(outcome).toMatchObject({
      ok: false,
      code: 'tool-failed',
      message: expect.stringContaining('step 2 (lcod://none@1)'),
    })
  })

  test('a script that throws is a report, and the steps go on', async () => {
    const steps = [
      { call: 'lcod://tooling/script@1', in: { source: '() => { throw new Error("no") }' }, out: { r: '$' } },
      echo('$.r.success', { ok: 'val' }),
    ]
    expect(await run(steps)).toMatchObject({ r: { success: false, messages: ['no'] }, ok: false })
  })

  test('a value that is put into itself again and again is refused before it is endless', async () => {
    const doubling: ComposeStep = { call: 'lcod://impl/set@1', in: { a: '$.x', b: '$.x' }, out: { x: '$' } }
    const started = performance.now()
    const outcome = await runCompose({ compose: new Array(60).fill(doubling), input: { x: ['word'] } })
    expect(outcome).toMatchObject({ ok: false, message: expect.stringMatching(/more than/) })
    expect(performance.now() - started).toBeLessThan(5_000)
  })

  test('a script that runs itself again and again is stopped before it takes every thread', async () => {
    const again =
      'async ({ state }, api) => api.call("lcod://tooling/script@1", { source: state.again, input: state, timeoutMs: 20000 })'
    const outcome = await runScript({ source: again, input: { again }, timeoutMs: 20_000 })
    expect(JSON.stringify(outcome.value)).toMatch(/more than 8 deep/)
    const byTurns = `async ({ state }, api) => api.call("lcod://tooling/test_checker@1", {
      compose: [{ call: "lcod://tooling/script@1", in: { source: state.byTurns, input: state, timeoutMs: 20000 }, out: { r: "$" } }],
      expected: { r: { success: true } },
    })`
    const other = await runScript({ source: byTurns, input: { byTurns }, timeoutMs: 20_000 })
    expect(JSON.stringify(other.value)).toMatch(/more than 8 deep/)
  })

  test('a text that doubles is refused as well', async () => {
    const step: ComposeStep = {
      call: 'lcod://core/string/format@1',
      in: { template: '{a}{a}{a}{a}', values: { a: '$.x' } },
      out: { x: 'value' },
    }
    const outcome = await runCompose({ compose: new Array(40).fill(step), input: { x: 'word' } })
    expect(outcome).toMatchObject({ ok: false, message: expect.stringMatching(/10 MB/) })
  })
})

describe('flow', () => {
  const gt = (limit: number, out: string): ComposeStep => ({
    call: 'lcod://impl/gt@1',
    in: { value: '$slot.item', limit },
    out: { [out]: 'ok' },
  })
  test.each(['flow', 'contract/flow'])('what %s leaves behind it is the same by every spelling', async (flow) => {
    const one = [echo(1, { r: 'val' })]
    const steps: ComposeStep[] = [
      { call: `lcod://${flow}/if@1`, in: { cond: true }, slots: { body: one } },
      { call: `lcod://${flow}/try@1`, slots: { try: [echo('$.r', { s: 'val' })] } },
      {
        call: `lcod://${flow}/while@1`,
        in: { maxIterations: 9 },
        slots: { condition: [echo('$.go', { continue: 'val' })], body: [echo(false, { go: 'val' })] },
      },
    ]
    expect(await run(steps, { go: true })).toEqual({ go: false, r: 1, s: 1 })
  })

  test('if takes one way, and what it leaves is there afterwards', async () => {
    const steps = [when('$.a', [echo('yes', { r: 'val' })], [echo('no', { r: 'val' })])]
    expect(await run(steps, { a: true })).toEqual({ a: true, r: 'yes' })
    expect(await run(steps, { a: 0 })).toEqual({ a: 0, r: 'no' })
  })

  test('foreach collects, goes on and breaks off', async () => {
    const even: ComposeStep = { call: 'lcod://impl/is_even@1', in: { value: '$slot.item' }, out: { even: 'ok' } }
    const steps: ComposeStep[] = [
      {
        call: 'lcod://flow/foreach@1',
        in: { list: '$.numbers' },
        children: {
          body: [
            even,
            when('$.even', [{ call: 'lcod://flow/continue@1' }]),
            gt(7, 'big'),
            when('$.big', [{ call: 'lcod://flow/break@1' }]),
            echo('$slot.item', { val: 'val' }),
          ],
        },
        collectPath: '$.val',
        out: { results: 'results' },
      },
    ]
    expect(await run(steps, { numbers: [1, 2, 3, 8, 9, 11] })).toMatchObject({ results: [1, 3] })
  })

  test('foreach without items runs "else", and slots given as a list are the body', async () => {
    const loop = (list: unknown, slots: ComposeStep['slots']): ComposeStep[] => [
      { call: 'lcod://flow/foreach@1', in: { list }, slots: slots ?? [], collectPath: '$.val', out: { r: 'results' } },
    ]
    expect(await run(loop([], { else: [echo('none', { val: 'val' })] }))).toEqual({ r: ['none'] })
    expect(await run(loop([1, 2], [echo('$slot.index', { val: 'val' })]))).toEqual({ r: [0, 1] })
  })

  test('while goes on as long as its condition holds', async () => {
    const count = { source: '({ state }) => ({ n: state.n + 1, more: state.n < 4 })', input: { n: '$.n' } }
    const steps: ComposeStep[] = [
      {
        call: 'lcod://flow/while@1',
        slots: {
          condition: [echo('$.more', { continue: 'val' })],
          body: [{ call: 'lcod://tooling/script@1', in: count, out: { n: 'n', more: 'more' } }],
        },
        out: { left: 'state', rounds: 'iterations' },
      },
    ]
    expect(await run(steps, { n: 1, more: true })).toMatchObject({ left: { n: 5 }, rounds: 4 })
  })

  test('a loop without end stops when its time is over, and the host goes on meanwhile', async () => {
    let turns = 0
    const timer = setInterval(() => turns++, 5)
    const endless: ComposeStep = {
      call: 'lcod://flow/while@1',
      slots: { condition: [echo(true, { continue: 'val' })], body: [] },
    }
    const outcome = await runCompose({ compose: [endless] }, { timeoutMs: 300 })
    clearInterval(timer)
    expect(outcome).toMatchObject({ ok: false, code: expect.stringMatching(/timed-out|tool-failed/) })
    expect(turns).toBeGreaterThan(3)
  })

  test('try catches, and finally runs whatever happened', async () => {
    const failing: ComposeStep = { call: 'lcod://flow/throw@1', in: { message: 'no', code: 'mine', data: { a: 1 } } }
    const steps: ComposeStep[] = [
      {
        call: 'lcod://flow/try@1',
        slots: { try: [failing], catch: [echo('$slot.error', { error: 'val' })], finally: [echo(1, { end: 'val' })] },
      },
    ]
    expect(await run(steps)).toEqual({ error: { message: 'no', code: 'mine', data: { a: 1 } }, end: 1 })
    const uncaught: ComposeStep[] = [{ call: 'lcod://flow/try@1', slots: { try: [failing], finally: [] } }]
    expect(await runCompose({ compose: uncaught })).toMatchObject({ ok: false, message: expect.stringContaining('no') })
  })

  test('parallel runs side by side, results in order', async () => {
    let most = 0
    let now = 0
    const call = async (_id: string, input: unknown) => {
      most = Math.max(most, ++now)
      await new Promise((settle) => setTimeout(settle, 10))
      now--
      return input
    }
    const steps: ComposeStep[] = [
      {
        call: 'lcod://flow/parallel@1',
        in: { tasks: [1, 2, 3, 4, 5], parallelism: 3 },
        slots: { tasks: [{ call: 'slow', in: { n: '$slot.item' }, out: { n: 'n' } }] },
        collectPath: '$.n',
        out: { r: 'results' },
      },
    ]
    expect(await run(steps, {}, { call })).toEqual({ r: [1, 2, 3, 4, 5] })
    expect(most).toBe(3)
  })

  test('a script runs a slot of its step', async () => {
    const steps: ComposeStep[] = [
      {
        call: 'lcod://tooling/script@1',
        in: { source: 'async (_, api) => api.runSlot("child", { payload: 4 }, { more: 5 })' },
        slots: { child: [echo(['$.payload', '$slot.more'], { r: 'val' })] },
        out: { report: '$' },
      },
    ]
    expect(await run(steps)).toEqual({ report: { payload: 4, r: [4, 5] } })
  })
})

describe('test_checker', () => {
  const check = (input: Record<string, unknown>): ComposeStep[] => [
    { call: 'lcod://tooling/test_checker@1', in: input, out: { report: '$' } },
  ]

  test('what is expected may be less than what there is', async () => {
    const compose = [echo({ a: 1, b: [{ c: 1, d: 2 }] }, { r: 'val' })]
    expect(await run(check({ compose, expected: { r: { b: [{ c: 1 }] } } }))).toMatchObject({
      report: { success: true },
    })
  })

  test('differences have their paths, the first one or all', async () => {
    const compose = [echo({ a: 1, b: [{ c: 1 }] }, { r: 'val' })]
    const expected = { r: { a: 2, b: [{ c: 3 }], z: 1 } }
    const first = { path: '$.r.a', actual: 1, expected: 2 }
    expect(await run(check({ compose, expected }))).toMatchObject({ report: { success: false, diffs: [first] } })
    expect(await run(check({ compose, expected, failFast: false }))).toMatchObject({
      report: { diffs: [first, { path: '$.r.b[0].c' }, { path: '$.r.z', actual: null }] },
    })
  })

  test('steps that fail are a report as well', async () => {
    const report = await run(check({ compose: [{ call: 'lcod://none@1' }], expected: {} }))
    expect(report).toMatchObject({ report: { success: false, messages: [expect.stringContaining('lcod://none@1')] } })
  })

  test('streams stand in the state', async () => {
    const read: ComposeStep = {
      call: 'lcod://contract/core/stream/read@1',
      in: { stream: '$.numbers.stream', maxBytes: 2 },
      out: { chunk: 'chunk', done: 'done' },
    }
    const body = [read, when('$.done', [{ call: 'lcod://flow/break@1' }])]
    const loop = {
      call: 'lcod://flow/foreach@1',
      in: { list: '$.rounds' },
      slots: { body },
      collectPath: '$.chunk',
      out: { r: 'results' },
    }
    const streams = [{ target: 'numbers.stream', encoding: 'utf-8', chunks: ['12', '3456'] }]
    const input = { rounds: [0, 1, 2, 3, 4, 5] }
    expect(await run(check({ compose: [loop], input, streams, expected: { r: ['12', '34', '56'] } }))).toMatchObject({
      report: { success: true },
    })
  })

  test('steps of another file are found inside the root, and not outside', async () => {
    const root = temporaryFolder()
    writeFileSync(
      join(root, 'other.yaml'),
      'compose:\n  - call: lcod://impl/echo@1\n    in: { value: 1 }\n    out: { r: val }\n',
    )
    const files = { root }
    const steps = (path: string) => check({ composeRef: { path }, expected: { r: 1 } })
    expect(await run(steps('./other.yaml'), {}, { files })).toMatchObject({ report: { success: true } })
    expect(await run(steps('../other.yaml'), {}, { files })).toMatchObject({ report: { success: false } })
  })
})

describe('built-in contracts', () => {
  const call = async (id: string, input: unknown, options: RunScriptOptions = {}) => {
    const source = `async ({ state }, api) => api.call(${JSON.stringify(id)}, state)`
    const outcome = await runScript({ source, input }, options)
    if (!outcome.ok) throw new Error(outcome.message)
    return outcome.value
  }

  test.each([
    ['impl/echo', { value: 1 }, { val: 1 }],
    ['impl/set', { a: 1, b: [2] }, { a: 1, b: [2] }],
    ['impl/is_even', { value: 4 }, { ok: true }],
    ['impl/gt', { value: 4, limit: 5 }, { ok: false }],
    [
      'contract/core/object/merge',
      { left: { a: 1, n: { x: 1 } }, right: { n: { y: 2 } } },
      { value: { a: 1, n: { y: 2 } }, conflicts: ['n'] },
    ],
    [
      'core/object/merge',
      { left: { n: { x: 1, l: [1] } }, right: { n: { l: [2] } }, deep: true, arrayStrategy: 'concat' },
      { value: { n: { x: 1, l: [1, 2] } }, conflicts: ['n'] },
    ],
    ['core/array/append', { array: [1], items: [2], item: 3 }, { value: [1, 2, 3], length: 3 }],
    [
      'core/string/format',
      { template: 'Hello {user.name}, {{{n}}} {gone}', values: { user: { name: 'Ada' }, n: 3 }, fallback: '?' },
      { value: 'Hello Ada, {3} ?', missing: ['gone'] },
    ],
    ['core/json/encode', { value: { b: 1, a: [2] }, sortKeys: true }, { text: '{"a":[2],"b":1}', bytes: 15 }],
    ['core/json/decode', { text: '{"a":1}' }, { value: { a: 1 }, bytes: 7 }],
    ['core/parse/json', { text: '[1]' }, { value: [1], bytes: 3 }],
    [
      'core/parse/toml',
      { text: 'title = "demo"\n[owner]\nname = "Alice"' },
      { value: { title: 'demo', owner: { name: 'Alice' } }, bytes: 37 },
    ],
    ['core/parse/csv', { text: 'name,age\nBob,30', header: true }, { rows: [{ name: 'Bob', age: '30' }], bytes: 15 }],
    [
      'core/hash/sha256',
      { data: 'hello world' },
      {
        hex: 'b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9',
        base64: 'uU0nuZNNPgilLlLX2n2r+sSE7+N6U4DukIj3rOLvzek=',
        bytes: 11,
      },
    ],
  ])('%s', async (id, input, output) => {
    expect(await call(`lcod://${id}@1`, input)).toEqual(output)
  })

  test.each([
    ['core/parse/json', { text: '{' }, /not JSON/],
    ['core/parse/toml', { text: '=' }, /not TOML/],
    ['core/parse/csv', { text: '"a' }, /not CSV/],
    ['core/string/format', { template: 1 }, /no text/],
    ['core/hash/sha256', {}, /Nothing is given/],
    ['core/hash/sha256', { data: 'x', encoding: 'latin' }, /no encoding/],
    ['core/array/append', { array: 1 }, /list/],
    ['core/stream/read', { stream: { id: 'stream-9' } }, /no such stream/],
    ['core/fs/read_file', { path: 'x' }, /no folder of files/],
    ['tooling/script', { source: 1 }, /cannot be run/],
    ['tooling/test_checker', {}, /expected/],
  ])('%s says what is wrong', async (id, input, message) => {
    await expect(call(`lcod://${id}@1`, input)).rejects.toThrow(message)
  })

  test('a broken JSON text is a result of decode, not a failure', async () => {
    expect(await call('lcod://core/json/decode@1', { text: '{' })).toMatchObject({ error: { code: 'JSON_PARSE' } })
  })

  describe('files', () => {
    const write = (path: string, options: RunScriptOptions) =>
      call('lcod://contract/core/fs/write-file@1', { path, data: 'hello', createParents: true }, options)
    const read = (path: string, options: RunScriptOptions) =>
      call('lcod://contract/core/fs/read_file@1', { path }, options)

    test('are written, read and listed inside the root', async () => {
      const root = temporaryFolder()
      const options = { files: { root } }
      expect(await write('a/b.txt', options)).toMatchObject({ bytesWritten: 5 })
      expect(readFileSync(join(root, 'a/b.txt'), 'utf8')).toBe('hello')
      expect(await read('./a/b.txt', options)).toMatchObject({ data: 'hello', encoding: 'utf-8', size: 5 })
      writeFileSync(join(root, '.hidden'), '')
      expect(await call('lcod://core/fs/list_dir@1', { path: '.', recursive: true }, options)).toEqual({
        entries: [
          { name: 'a', path: 'a', type: 'directory' },
          { name: 'b.txt', path: 'a/b.txt', type: 'file' },
        ],
      })
    })

    test.each([
      '../x',
      '/etc/passwd',
      'a/../../x',
      'link/passwd',
      'link-file',
      'pipe\0',
      '',
      'journal.db',
      'missing/x',
    ])('%j is refused', async (path) => {
      const root = temporaryFolder()
      mkdirSync(join(root, 'a'))
      symlinkSync('/etc', join(root, 'link'))
      symlinkSync('/etc/passwd', join(root, 'link-file'))
      writeFileSync(join(root, 'journal.db'), 'x')
      const options = { files: { root, hidden: [join(root, 'journal.db')] } }
      await expect(read(path, options)).rejects.toThrow()
      if (path !== 'missing/x') await expect(write(path, options)).rejects.toThrow()
    })

    test('what may only be read is not written', async () => {
      const root = temporaryFolder()
      writeFileSync(join(root, 'legwork.jsonc'), '{}')
      const options = { files: { root, readOnly: [join(root, 'legwork.jsonc')] } }
      await expect(write('legwork.jsonc', options)).rejects.toThrow(/may not be written/)
      expect(await read('legwork.jsonc', options)).toMatchObject({ data: '{}' })
    })
  })
})
