import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { runScript } from '../../src/doors/contract.ts'

// Each attempt runs with everything that a contract script has. Whatever it gets hold of, the host must be as it was, and
// nothing of the host may be in what comes out.

const secret = 'canary-value-of-the-host'
const host = globalThis as unknown as Record<string, unknown>
const canary = { touched: 0 }
const before = {
  objectKeys: Object.getOwnPropertyNames(Object.prototype).length,
  arrayKeys: Object.getOwnPropertyNames(Array.prototype).length,
  functionKeys: Object.getOwnPropertyNames(Function.prototype).length,
  promiseThen: Promise.prototype.then,
  parse: JSON.parse,
  exit: process.exit,
}

beforeAll(() => {
  process.env.LEGWORK_CANARY = secret
  host.canary = canary
  host.touch = () => canary.touched++
})
afterEach(() => {
  expect(canary).toEqual({ touched: 0 })
  expect(host.escaped).toBeUndefined()
  expect(Object.getOwnPropertyNames(Object.prototype)).toHaveLength(before.objectKeys)
  expect(Object.getOwnPropertyNames(Array.prototype)).toHaveLength(before.arrayKeys)
  expect(Object.getOwnPropertyNames(Function.prototype)).toHaveLength(before.functionKeys)
  expect([Promise.prototype.then, JSON.parse, process.exit]).toEqual([before.promiseThen, before.parse, before.exit])
  expect(({} as Record<string, unknown>).polluted).toBeUndefined()
})
afterAll(() => {
  delete process.env.LEGWORK_CANARY
  delete host.canary
  delete host.touch
})

/** Given a global object, does what an escaped guest would do. */
const harm =
  'const harm = (g) => { try { g.canary.touched = 1 } catch {} try { g.touch() } catch {} try { g.escaped = 1 } catch {} try { return JSON.stringify([g.process?.env, g.process?.cwd?.(), typeof g.require, typeof g.process]) } catch { return typeof g } };'

const globals = [
  'this',
  'globalThis',
  'constructor.constructor("return this")()',
  'constructor.constructor("return process")()',
  'Function("return this")()',
  'new Function("return this")()',
  'eval("this")',
  '(0, eval)("globalThis")',
  '(function () { return this })()',
  '(async () => {}).constructor("return this")()',
  '(function* () {}).constructor("yield this")().next().value',
  '(async function* () {}).constructor("yield this")()',
  'api.log.constructor("return process")()',
  'api.call.constructor("return process")()',
  'api.call.constructor.constructor("return globalThis")()',
  'api.runSlot.constructor("return this.process")()',
  'api.config.constructor("return this")()',
  'api.constructor.constructor("return this")()',
  'Object.getPrototypeOf(api.call).constructor("return this")()',
  'scope.constructor.constructor("return this")()',
  'scope.state.constructor.constructor("return this")()',
  'scope.input.value.constructor.constructor("return this")()',
  'scope.input.list.map.constructor("return this")()',
  'scope.imports.echo.constructor("return this")()',
  'api.call("lcod://impl/echo@1", {}).constructor.constructor("return this")()',
  'api.call("lcod://impl/echo@1", {}).then.constructor("return this")()',
  '(await api.call("lcod://impl/echo@1", { value: [] })).val.constructor.constructor("return this")()',
  '(await api.call("host:object", {})).constructor.constructor("return this")()',
  '(await api.call("host:fail", {}).catch((error) => error)).constructor.constructor("return this")()',
  '(await api.call("host:fail", {}).catch((error) => error)).constructor.prepareStackTrace',
  'console.log.constructor("return this")()',
  'Object.getPrototypeOf(async () => {}).constructor("return this")()',
  'Reflect.construct(Function, ["return this"])()',
  'Reflect.getPrototypeOf(scope).constructor.constructor("return this")()',
  '[].constructor.constructor("return this")()',
  '"".constructor.constructor("return this")()',
  '/x/.constructor.constructor("return this")()',
  'Symbol.prototype.constructor.constructor("return this")()',
  'new Proxy(function () {}, {}).constructor("return this")()',
  'Error().constructor.constructor("return this")()',
  'new Error().stack',
  'arguments.callee.caller',
  'arguments.callee.caller?.caller?.constructor("return this")()',
  '(function f() { return f.caller })()',
  'Promise.resolve().constructor.constructor("return this")()',
  'new (class { static #x; static m() { return this.constructor("return this")() } })().constructor.m()',
  'import.meta',
  'await import("node:fs")',
  'await import("fs").then((fs) => fs.readFileSync("/etc/passwd", "utf8"))',
  'await import("data:text/javascript,export default globalThis")',
  'await import("file:///etc/passwd", { with: { type: "text" } })',
  'require("fs")',
  'module.constructor._load("fs")',
  'process.binding("fs")',
  'process.mainModule.require("child_process").execSync("id")',
  'Deno.readTextFileSync("/etc/passwd")',
  'std.loadFile("/etc/passwd")',
  'os.getenv("LEGWORK_CANARY")',
  'new Worker("x")',
  'WebAssembly.Module',
  'new ShadowRealm().evaluate("globalThis")',
  'new SharedArrayBuffer(8)',
  'Atomics.wait(new Int32Array(new SharedArrayBuffer(8)), 0, 0, 50)',
  'fetch("http://127.0.0.1:1/")',
  'setTimeout(() => {}, 0)',
  'queueMicrotask(() => {})',
  'performance.now()',
  'new FinalizationRegistry(() => {}).register({}, 1)',
  'postMessage("x")',
  'send("done", "1")',
  'globalThis.send?.("log", "x")',
  'host.ask("call", ["host:object", {}])',
]

/** Attempts at the way out rather than at the way up. */
const wayOut = [
  'return JSON.parse(\'{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}\')',
  'return { ["__proto__"]: { polluted: 1 } }',
  'return Object.create({ polluted: 1 })',
  'Object.prototype.polluted = 1; return {}',
  'Object.prototype.toJSON = () => ({ polluted: 1 }); return {}',
  'Array.prototype.toJSON = () => "x"; return [1]',
  'JSON.stringify = () => "{\\"__proto__\\":{\\"polluted\\":1}}"; return 1',
  'JSON.parse = () => { throw 1 }; return (await api.call("lcod://impl/echo@1", { value: 1 })).val',
  'Promise.prototype.then = function () { return this }; return 1',
  'Map.prototype.get = () => [() => 1, () => 2]; return (await api.call("lcod://impl/echo@1", { value: 1 })).val',
  'Object.keys = () => { throw 1 }; api.log({ a: 1 }); return 1',
  'String.prototype.startsWith = () => true; return api.config("a.b", 1)',
  'return new Proxy({}, { get: (_, key) => { throw key }, ownKeys: () => ["a"], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }) })',
  'return { get a() { return this.constructor.constructor("return this")() } }',
  'return { toJSON() { return globalThis } }',
  'return { then(resolve) { resolve({ polluted: 1 }) } }',
  'return { then: (resolve) => { throw globalThis } }',
  'throw { get message() { return globalThis }, get stack() { throw 1 } }',
  'throw Object.assign(new Error("x"), { name: { toString() { throw 1 } } })',
  'throw new Proxy(new Error("x"), { get() { throw 1 } })',
  'throw null',
  'throw undefined',
  'throw Symbol("x")',
  'throw 10n',
  'const a = []; a[0] = a; throw a',
  'Error.prepareStackTrace = (_, frames) => frames; throw new Error("x")',
  'const a = {}; a.a = a; api.log(a); return 1',
  'api.log({ get a() { throw new Error("x") } }, Symbol("x"), () => 1, 1n); return 1',
  'api.log.call(null, ...new Array(1e4).fill("x")); return 1',
  'await api.call({ toString() { throw 1 } }, {}); return 1',
  'await api.call("lcod://impl/set@1", JSON.parse(\'{"__proto__": {"polluted": 1}}\')); return 1',
  'return (await api.call("lcod://contract/core/object/merge@1", { left: {}, right: JSON.parse(\'{"__proto__": {"polluted": 1}}\'), deep: true })).value',
  'await api.call("lcod://contract/core/fs/read_file@1", { path: "/etc/passwd" }); return 1',
  'await api.call("lcod://flow/break@1", {}); return 1',
  'await api.runSlot("__proto__", {}); return 1',
  'return api.run("__proto__", {})',
  'return scope.imports.__proto__({})',
  'scope.state.list.push(9); scope.input.list.push(9); return 1',
  'return "\\u001b[2J\\u0000\\ud800"',
]

const tools = {
  'host:object': () => ({ a: 1 }),
  'host:fail': () => {
    throw new Error('it failed here')
  },
}

function attempt(body: string) {
  return runScript(
    {
      source: `async function (scope, api) { ${harm} ${body} }`,
      input: { value: 'x', list: [1, 2] },
      bindings: { value: { path: '$.value' }, list: { path: '$.list' } },
      imports: { echo: 'lcod://impl/echo@1' },
      timeoutMs: 2_000,
    },
    {
      call: (id) => {
        const tool = tools[id as keyof typeof tools]
        if (!tool) throw new Error(`There is no "${id}".`)
        return tool()
      },
    },
  )
}

test.each(globals)('%s leads to nothing of the host', async (expression) => {
  const outcome = await attempt(
    `let found; try { found = ${expression} } catch (error) { return String(error.message) } return [typeof found, harm(found), harm(globalThis)]`,
  )
  expect(JSON.stringify(outcome)).not.toMatch(
    new RegExp(`${secret}|root:|/src/|node:internal|"object","function"|${process.cwd()}`),
  )
})

test.each(wayOut)('%s does no harm on its way out', async (body) => {
  const outcome = await attempt(body)
  expect(JSON.stringify(outcome)).not.toMatch(new RegExp(`${secret}|root:|/src/|node:internal|${process.cwd()}`))
  expect(['returned', 'failed']).toContain(outcome.ok ? 'returned' : 'failed')
})

test('there are enough of them', () => {
  expect(globals.length + wayOut.length).toBeGreaterThan(100)
})

test('after all of that a script runs as ever', async () => {
  expect(await attempt('return [scope.state, scope.input]')).toMatchObject({
    ok: true,
    value: [
      { value: 'x', list: [1, 2] },
      { value: 'x', list: [1, 2] },
    ],
  })
})
