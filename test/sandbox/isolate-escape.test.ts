import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createContext, runInContext } from 'node:vm'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { contractSurface } from '../../src/contract/guest.ts'
import { runScript } from '../../src/doors/contract.ts'
import { createMachine, type Machine } from '../../src/sandbox/isolate-machine.ts'

// Each attempt runs with everything that a contract script has, in a machine of this very thread: whoever gets out of it stands
// where the canary is. What an attempt got hold of is looked at, not only what it says; and the same look finds the canary where
// there is no sandbox, or a weak one.

const secret = 'canary-value-of-the-host'
const host = globalThis as unknown as Record<string, unknown>
const canary = { touched: 0 }
const before = {
  objectKeys: Object.getOwnPropertyNames(Object.prototype),
  arrayKeys: Object.getOwnPropertyNames(Array.prototype),
  functionKeys: Object.getOwnPropertyNames(Function.prototype),
  builtIn: [Promise.prototype.then, JSON.parse, process.exit],
}

beforeAll(() => {
  process.env.LEGWORK_CANARY = secret
  host.canary = canary
  host.touch = () => canary.touched++
})
beforeEach(() => {
  canary.touched = 0
  delete host.escaped
})
afterAll(() => {
  delete process.env.LEGWORK_CANARY
  delete host.canary
  delete host.touch
  delete host.escaped
})

/** The host as it was. */
function expectUntouched() {
  expect(canary).toEqual({ touched: 0 })
  expect(host.escaped).toBeUndefined()
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before.objectKeys)
  expect(Object.getOwnPropertyNames(Array.prototype)).toEqual(before.arrayKeys)
  expect(Object.getOwnPropertyNames(Function.prototype)).toEqual(before.functionKeys)
  expect([Promise.prototype.then, JSON.parse, process.exit]).toEqual(before.builtIn)
  expect(({} as Record<string, unknown>).polluted).toBeUndefined()
}

/** Only a host has any of these. */
const ofTheHost = [
  'pid',
  'env',
  'process',
  'require',
  'canary',
  'touch',
  'Buffer',
  'setImmediate',
  'readFileSync',
  'execSync',
]

/** Given whatever was found, does what an escaped guest would do, and says what of the host it saw. */
const probe = `const probe = (found) => {
  const seen = []
  for (const name of ${JSON.stringify(ofTheHost)}) try { if (typeof found[name] !== 'undefined') seen.push(name) } catch {}
  try { found.canary.touched++ } catch {}
  try { found.touch() } catch {}
  try { if (typeof found === 'object' || typeof found === 'function') found.escaped = 1 } catch {}
  try { if (found.process.env.LEGWORK_CANARY || found.env.LEGWORK_CANARY) seen.push('secret') } catch {}
  return seen
};`

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
  'eval("import.meta")',
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

const tools: Readonly<Record<string, (input: unknown) => unknown>> = {
  'lcod://impl/echo@1': (input) => ({ val: (input as { value?: unknown }).value }),
  'host:object': () => ({ a: 1 }),
}

const scope = { value: 'x', list: [1, 2] }
const given = {
  input: scope,
  state: scope,
  meta: {},
  config: {},
  imports: { echo: 'lcod://impl/echo@1' },
  slots: true,
}

let machine: Machine
const sent: [string, ...string[]][] = []
let until = Number.POSITIVE_INFINITY
beforeAll(async () => {
  const wasm = await WebAssembly.compile(
    readFileSync(createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm')),
  )
  machine = await createMachine({
    wasm,
    surface: contractSurface,
    send: (kind, ...texts) => void sent.push([kind, ...texts]),
    mustStop: () => performance.now() > until,
    now: () => 0,
  })
})

/** Runs a function in this thread's machine; its questions are answered as the host would. */
function runHere(source: string): unknown {
  machine.reset()
  sent.length = 0
  until = performance.now() + 5_000
  machine.start({ source, given: JSON.stringify(given), others: '[]', seed: 1, memoryBytes: 64 << 20 })
  for (let next = sent.shift(); next; next = sent.shift()) {
    const [kind, first = '', second = '', third = ''] = next
    if (kind === 'done') return JSON.parse(first)
    if (kind === 'fail') throw new Error(`${first} ${second} ${third}`)
    if (kind === 'ask') answer(Number(first), second)
  }
  throw new Error('It did not end.')
}

function answer(ask: number, question: string): void {
  const [, [id, input]] = JSON.parse(question)
  const tool = tools[id]
  const reply = tool ? JSON.stringify(tool(input) ?? null) : JSON.stringify({ message: 'it failed here' })
  machine.settle(ask, tool !== undefined, reply)
}

const attempt = (expression: string) =>
  `async function (scope, api) { ${probe} let found
    try { found = ${expression} } catch (error) { return { seen: probe(error), said: String(error && error.message) } }
    return { seen: [...probe(found), ...probe(globalThis)], said: typeof found === 'string' ? found : typeof found }
  }`

const leaks = new RegExp(`${secret}|root:|/src/|node:internal|${process.cwd()}`)

test.each(globals)('%s leads to nothing of the host', (expression) => {
  const { seen, said } = runHere(attempt(expression)) as { seen: string[]; said: string }
  expect(seen).toEqual([])
  expect(said).not.toMatch(leaks)
  expectUntouched()
})

describe('the same look finds the host where nothing keeps it out', () => {
  test('without a sandbox', async () => {
    const { seen } = await new Function(`return (${attempt('globalThis')})`)()({}, {})
    expect(seen).toEqual(expect.arrayContaining(['process', 'canary', 'touch', 'Buffer', 'secret']))
    expect(canary.touched).toBeGreaterThan(0)
    expect(host.escaped).toBe(1)
  })

  test('in a context of node:vm that was given a function', async () => {
    const action = runInContext(`(${attempt('api.log.constructor("return globalThis")()')})`, createContext({}))
    const { seen } = await action({}, { log: () => {} })
    expect(seen).toEqual(expect.arrayContaining(['process', 'canary', 'touch', 'secret']))
    expect(canary.touched).toBeGreaterThan(0)
  })
})

function run(body: string) {
  return runScript(
    {
      source: `async function (scope, api) { ${body} }`,
      input: scope,
      bindings: { value: { path: '$.value' }, list: { path: '$.list' } },
      imports: { echo: 'lcod://impl/echo@1' },
      timeoutMs: 2_000,
    },
    {
      call: (id, input) => {
        const tool = tools[id]
        if (!tool) throw new Error('it failed here')
        return tool(input)
      },
    },
  )
}

test.each(wayOut)('%s does no harm on its way out', async (body) => {
  expect(JSON.stringify(await run(body))).not.toMatch(leaks)
  expectUntouched()
})

test('there are enough of them', () => {
  expect(globals.length + wayOut.length).toBeGreaterThan(100)
})

test('after all of that a script runs as ever', async () => {
  expect(await run('return [scope.state, scope.input]')).toMatchObject({ ok: true, value: [scope, scope] })
})
