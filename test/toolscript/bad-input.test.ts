import { readdirSync, readFileSync } from 'node:fs'

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { demoTools } from '../support/script-tools.ts'
import { type Opened, openToolscripts, type RunOptions, withoutDeno } from '../support/toolscripts.ts'

describe.skipIf(withoutDeno)('bad scripts', () => {
  let opened: Opened
  beforeAll(async () => {
    opened = await openToolscripts({ functions: demoTools })
  })
  afterAll(() => opened?.close())
  const run = (source: string, options?: RunOptions) => opened.run(source, options)

  test.each([
    ['an endless loop', 'for (;;);'],
    ['an endless asynchronous loop', 'for (;;) await new Promise((ok) => setTimeout(ok, 1))'],
    ['an endless loop of microtasks', 'for (;;) await null'],
    [
      'a script that catches SIGTERM',
      'Deno.addSignalListener("SIGTERM", () => {})\nsetInterval(() => {}, 1000)\nfor (;;) await new Promise((ok) => setTimeout(ok, 10))',
    ],
    ['an endless regular expression', 'return /^(a+)+$/.test("a".repeat(40) + "b")'],
    ['a value whose toJSON never ends', 'return { toJSON() { for (;;); } }'],
    ['a tool that is waited for too long', 'import { tools } from "toolscript"\nfor (;;) await tools.demo.wait({})'],
  ])('%s ends with its time', async (_, source) => {
    const outcome = await run(source, { timeoutMs: 400 })
    expect(outcome).toMatchObject({ ok: false, code: 'timed-out', afterMs: 400 })
    expect(outcome.durationMs).toBeLessThan(3_000)
  })

  test('a script that is given up ends', async () => {
    const controller = new AbortController()
    const running = run('for (;;);', { signal: controller.signal })
    await sleep(200)
    controller.abort()
    expect(await running).toMatchObject({ ok: false, code: 'cancelled' })
  })

  test.each([
    [
      '4 GB of buffers, caught',
      'const all: ArrayBuffer[] = []\ntry { for (let at = 0; at < 40; at++) all.push(new ArrayBuffer(100_000_000)) } catch (e) { return (e as Error).name }',
      { ok: true, value: 'RangeError' },
    ],
    [
      '4 GB of buffers',
      'const all: ArrayBuffer[] = []\nfor (let at = 0; at < 40; at++) all.push(new ArrayBuffer(100_000_000))',
      { ok: false, message: expect.stringContaining('allocation failed') },
    ],
    [
      'a heap without end',
      'const all: unknown[] = []\nfor (;;) all.push({ a: [1, 2, 3] })',
      { ok: false, message: expect.stringContaining('out of memory: it may use 64 MB') },
    ],
    ['Deno.exit(0)', 'Deno.exit(0)', { ok: true, value: null }],
    ['Deno.exit(3)', 'Deno.exit(3)', { ok: false, message: expect.stringContaining('exit code 3') }],
    [
      'a promise that never settles',
      'await new Promise(() => {})',
      { ok: false, message: expect.stringContaining('never settles'), process: { stderr: '' } },
    ],
    [
      'a worker',
      'new Worker("data:text/javascript,for(;;);", { type: "module" })',
      { ok: false, message: expect.stringContaining('has no workers') },
    ],
    [
      'a value of many levels',
      'let a: unknown[] = []\nfor (let at = 0; at < 100_000; at++) a = [a]\nreturn a',
      { ok: false, message: expect.stringContaining('more than 256 levels') },
    ],
    [
      'a thrown value of many levels',
      'let a: unknown[] = []\nfor (let at = 0; at < 100_000; at++) a = [a]\nthrow a',
      { ok: false, message: expect.stringContaining('The script threw "[[[[') },
    ],
    [
      'a return with an else after it',
      'if (Deno.pid < 0) return; else console.log("else")\nreturn /* no value */;',
      { ok: true, value: null, process: { stdout: 'else\n' } },
    ],
    [
      'a return with a comment on two lines after it',
      'if (Deno.pid) return /* a\n b */ \nconsole.log("not here")',
      { ok: true, value: null, process: { stdout: '' } },
    ],
    [
      'a returned cycle',
      'const a: { b?: unknown[] } = {}\na.b = [a]\nreturn a',
      { ok: false, message: expect.stringContaining('a cycle (at b[0])') },
    ],
    ['a returned BigInt', 'return { n: 1n }', { ok: false, message: expect.stringContaining('the BigInt 1 (at n)') }],
    [
      'a returned function',
      'return { f: [() => 1] }',
      { ok: false, message: expect.stringContaining('a function (at f[0])') },
    ],
    ['a returned symbol', 'return Symbol("x")', { ok: false, message: expect.stringContaining('a symbol') }],
    ['a returned Map', 'return { m: new Map() }', { ok: false, message: expect.stringContaining('a Map (at m)') }],
    ['returned bytes', 'return new Uint8Array(3)', { ok: false, message: expect.stringContaining('bytes') }],
    [
      'a class instance',
      'class P { constructor(public x: number) {} get y() { return 1 } }\nreturn new P(3)',
      { ok: true, value: { x: 3 } },
    ],
    ['undefined', 'return undefined', { ok: true, value: null }],
    ['nothing at all', '', { ok: true, value: null }],
    ['a comment alone', '// nothing', { ok: true, value: null }],
    [
      'a bare return',
      'if (Deno.pid) return\nconsole.log("not here")',
      { ok: true, value: null, process: { stdout: '' } },
    ],
    [
      'a date and NaN',
      'return [new Date(0), NaN, undefined]',
      { ok: true, value: ['1970-01-01T00:00:00.000Z', null, null] },
    ],
    [
      'a getter that throws',
      'return { get x() { throw new Error("no") } }',
      { ok: false, message: expect.stringContaining('Error: no') },
    ],
    ['__proto__ as a key', 'return JSON.parse(\'{"__proto__": 1}\')', { ok: true }],
    ['a value of 9 MB', 'return "x".repeat(9_000_000)', { ok: false, message: expect.stringContaining('Return less') }],
    ['a thrown text', 'throw "x"', { ok: false, message: 'The script threw "x", which is no Error.' }],
    ['a thrown null', 'throw null', { ok: false, message: expect.stringContaining('null') }],
    ['a thrown object', 'throw { code: 7 }', { ok: false, message: expect.stringContaining('code') }],
    [
      'changed built-ins',
      'Promise.prototype.then = () => { throw 1 }\nJSON.stringify = () => "{}"\nglobalThis.fetch = (() => { throw 2 }) as never\nexport default 5',
      { ok: true, value: 5 },
    ],
    [
      'an end that it says itself',
      'await fetch(Deno.env.get("TOOLSCRIPT_GATEWAY_URL") + "/end/value", { method: "POST", body: "42", headers: { "content-type": "application/json" } })\nreturn 1',
      { ok: true, value: 42 },
    ],
    [
      'an end that is no JSON',
      'await fetch(Deno.env.get("TOOLSCRIPT_GATEWAY_URL") + "/end/value", { method: "POST", body: "{", headers: { "content-type": "application/json" } })\nreturn 1',
      { ok: false, message: expect.stringContaining('no JSON') },
    ],
    ['a read of stdin', 'return await new Response(Deno.stdin.readable).text()', { ok: true, value: '' }],
    [
      'a try around a return',
      'try { return 1 } catch { return 2 } finally { console.log("finally") }',
      { ok: true, value: 1, process: { stdout: 'finally\n' } },
    ],
  ])('%s', async (_, source, expected) => {
    expect(await run(source, { memoryMb: /heap/.test(_) ? 64 : 256, timeoutMs: 30_000 })).toMatchObject(expected)
  })

  test.each([
    ['a syntax error on the last line', 'const a = 1\nconst b = 2\nconst c = (', 'script.ts:3:1'],
    ['return and export default', 'export default 1\nreturn 2', 'script.ts:1:1'],
    ['@ts-nocheck', '// @ts-nocheck\nconst a: number = "x"', 'script.ts:1:1'],
    ['@ts-ignore', 'const b = 1\n/* @ts-ignore */ const a: number = "x"', 'script.ts:2:1'],
    ['npm:', 'import x from "npm:x"', 'script.ts:1:15'],
    ['jsr: in a dynamic import', 'await import("jsr:@a/b")', 'script.ts:1:14'],
    ['https:', 'export * from "https://x.example/y.ts"', 'script.ts:1:15'],
    ['a bare name', 'import x from "lodash"', 'script.ts:1:15'],
    ['a file outside the project', 'import x from "../../../../etc/passwd"', 'script.ts:1:15'],
    ['an absolute path', 'import x from "/etc/passwd"', 'script.ts:1:15'],
    ['a decorator', 'function d(v: unknown) { return v as never }\nclass A { @d m() { return 1 } }', 'script.ts:2:11'],
    [
      'a worker of Node',
      'import { Worker } from "node:worker_threads"\nnew Worker("1", { eval: true })',
      'script.ts:1:24',
    ],
    ['a browser global', 'document.title', 'script.ts:1:1'],
    ['a wrong type in a return', 'const n: number = 1\nreturn n.nope', 'script.ts:2:10'],
    ['a wrong type after a bare return', 'if (Deno.pid) return\nconst n: number = "x"', 'script.ts:2:7'],
  ])('%s: nothing runs, and the place is told', async (_, source, place) => {
    const outcome = await run(source)
    expect(outcome).toMatchObject({ ok: false, code: 'invalid-input', calls: [] })
    expect(outcome.process).toBeUndefined()
    const issues = !outcome.ok && outcome.code === 'invalid-input' ? outcome.issues : []
    expect(issues.map(({ path }) => (_.includes('last line') ? path.slice(0, 11) : path))).toContain(
      _.includes('last line') ? place.slice(0, 11) : place,
    )
  })

  test('much output is counted, kept up to the limit, and never in memory whole', async () => {
    const source =
      'const line = new Uint8Array(1_000_000).fill(120)\nfor (let at = 0; at < 100; at++) Deno.stdout.writeSync(line)\nreturn "done"'
    const before = process.memoryUsage().rss
    const outcome = await run(source)
    expect(outcome).toMatchObject({ ok: true, value: 'done', process: { stdoutBytes: 100_000_000, truncated: true } })
    expect(outcome.process?.stdout.length).toBe(1_048_576)
    expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000)
  })

  test.each([
    ['a promise that never settles', 'console.error("own")\nawait new Promise(() => {})', 256],
    ['a heap without end', 'console.error("own")\nconst all: unknown[] = []\nfor (;;) all.push({ a: [1, 2, 3] })', 64],
  ])('%s: nothing of ours is in what it prints', async (_, source, memoryMb) => {
    let printed = ''
    const stop = opened.engine.on((event) => {
      if (event.type === 'output') printed += event.text
    })
    const outcome = await run(source, { memoryMb })
    stop()
    expect(printed).toBe('own\n')
    expect(outcome).toMatchObject({ ok: false, process: { stderr: 'own\n' } })
  })

  test('a call after the end is not made', async () => {
    const before = opened.events.length
    await run(`import { tools } from "toolscript"
const slow = tools.demo.wait({})
await new Promise((ok) => setTimeout(ok, 30))
await fetch(Deno.env.get("TOOLSCRIPT_GATEWAY_URL") + "/end/value", { method: "POST", body: "1", headers: { "content-type": "application/json" } })
await tools.demo.echo({ message: "after" })`)
    expect(opened.events.slice(before).map(({ tool }) => tool)).not.toContain('demo:echo')
  })

  test('a script of 5 MB', async () => {
    const data = Array.from({ length: 50_000 }, (_, at) => `  "${'x'.repeat(90)}${at}",`).join('\n')
    const outcome = await run(`const all = [\n${data}\n]\nexport default all.length`)
    expect(outcome).toMatchObject({ ok: true, value: 50_000 })
  })

  test('a script that is too large is refused', async () => {
    expect(await run(' '.repeat(9_000_000))).toMatchObject({
      ok: false,
      code: 'invalid-input',
      issues: [{ code: 'TOO_LARGE' }],
    })
  })

  test('the gateway stopping in mid-run ends the script with a sentence', async () => {
    const own = await openToolscripts({ functions: demoTools })
    const running = own.run('import { tools } from "toolscript"\nfor (;;) await tools.demo.wait({})')
    while (!own.events.some(({ tool }) => tool === 'demo:wait')) await sleep(10)
    for (const door of own.doors) door.close()
    const outcome = await running
    expect(outcome).toMatchObject({ ok: false, code: 'tool-failed', message: expect.stringContaining('gateway') })
    await own.close()
  })

  test('errors name neither the address of the run nor our own modules', async () => {
    const outcome = await run(
      'await fetch(Deno.env.get("TOOLSCRIPT_GATEWAY_URL") + "\\n\\n x", { method: "BAD METHOD" })',
    )
    const text = JSON.stringify(outcome)
    expect(text).not.toMatch(/\/run\/[\w-]{43}/)
    expect(text).not.toMatch(/blob:|data:text/)
  })

  test('nothing is left after it: no process, no file', async () => {
    const own = await openToolscripts({ functions: demoTools })
    for (let at = 0; at < 4; at++) await own.run('return 1')
    await own.run('for (;;);', { timeoutMs: 200 })
    const urls = own.doors.map(({ url }) => url)
    await own.close()
    // The first process of a namespace that is empty may still be undoing its mounts.
    for (let tries = 0; tries < 100 && leftProcesses(urls).length; tries++) await sleep(10)
    expect(leftProcesses(urls)).toEqual([])
  })
})

/** Processes that have one of these addresses in their environment. */
function leftProcesses(urls: readonly string[]): string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      const environment = /^\d+$/.test(name) ? readFileSync(`/proc/${name}/environ`, 'utf8') : ''
      return urls.some((url) => environment.includes(url))
    } catch {
      return false
    }
  })
}
