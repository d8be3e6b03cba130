import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findDeno } from '../../src/sandbox/deno-find.ts'
import { useBoxes } from '../support/box.ts'
import { withoutDeno } from '../support/toolscripts.ts'

// Two canaries: a file with a word that must not come out, and a listener that must not be reached. A third, a file of the box's
// own libraries, is there for the guest to find and must still not be read.
const word = `canary-${process.pid}-${Date.now()}`
const folder = mkdtempSync(join(tmpdir(), 'legwork-escape-'))
const file = join(folder, 'canary.txt')
let hits = 0
let other: Server
let port = 0

beforeAll(async () => {
  writeFileSync(file, word)
  writeFileSync(join(folder, 'canary.json'), JSON.stringify({ word }))
  writeFileSync(join(folder, 'canary.js'), `export default ${JSON.stringify(word)}`)
  other = createHttpServer((_, answer) => {
    hits++
    answer.setHeader('access-control-allow-origin', '*')
    answer.end(`export default ${JSON.stringify(word)}`)
  }).listen(0, '127.0.0.1')
  await new Promise((listening) => other.once('listening', listening))
  port = (other.address() as AddressInfo).port
})
afterAll(() => {
  other.close()
  rmSync(folder, { recursive: true })
})

/** What Deno says when a permission is missing; every way out ends with that, but for those that say otherwise. */
const denied = /Requires (?:read|write|net|env|sys|run|ffi|import) access|requires unscoped --allow-read/
const notFromHere = /not a dependency and not in import map/

/** FILE, FOLDER, PORT and SYSTEM are replaced; each program's value is what it got hold of. */
const attempts: readonly (readonly [name: string, program: string, reason?: RegExp])[] = [
  ['a static file import as text', 'import s from "file://FILE" with { type: "text" }\nexport default s'],
  ['a static file import of JSON', 'import s from "file://FOLDER/canary.json" with { type: "json" }\nexport default s'],
  ['a static file import of JavaScript', 'import s from "file://FOLDER/canary.js"\nexport default s'],
  ['a static import of a system file', 'import s from "file://SYSTEM" with { type: "text" }\nexport default s'],
  ['FILE: in capitals', 'import s from "FILE://SYSTEM" with { type: "text" }\nexport default s'],
  ['file: with one slash', 'import s from "file:SYSTEM" with { type: "text" }\nexport default s'],
  ['file://localhost', 'import s from "file://localhost/SYSTEM" with { type: "text" }\nexport default s'],
  ['an absolute path', 'import s from "SYSTEM" with { type: "text" }\nexport default s', notFromHere],
  ['a relative path', 'import s from "./canary.js"\nexport default s', notFromHere],
  ['a path upwards', 'import s from "../../../SYSTEM" with { type: "text" }\nexport default s', notFromHere],
  ['a literal dynamic import', 'export default (await import("file://SYSTEM", { with: { type: "text" } })).default'],
  [
    'a computed dynamic import',
    'const at = ["file:", "//SYSTEM"].join("")\nexport default (await import(at, { with: { type: "text" } })).default',
  ],
  [
    'an import nested in data:',
    'export default (await import("data:text/javascript," + encodeURIComponent(`export { default } from "file://SYSTEM" with { type: "text" }`))).default',
  ],
  [
    'an import nested in a blob',
    'const at = URL.createObjectURL(new Blob([`export { default } from "file://SYSTEM" with { type: "text" }`], { type: "text/javascript" }))\nexport default (await import(at)).default',
  ],
  [
    'an import nested in TypeScript',
    'const at = URL.createObjectURL(new Blob([`export { default } from "file://SYSTEM" with { type: "text" }`], { type: "application/typescript" }))\nexport default (await import(at)).default',
  ],
  ['an import of WebAssembly', 'export default await import("file://SYSTEM.wasm")'],
  [
    'import.meta.resolve and a read',
    'export default await Deno.readTextFile(new URL(import.meta.resolve("file://SYSTEM")))',
  ],
  [
    'createRequire',
    'import { createRequire } from "node:module"\nexport default createRequire("file:///x.js")("SYSTEM")',
  ],
  ['Module._load', 'import module from "node:module"\nexport default module._load("FOLDER/canary.js")'],
  ['Deno.readTextFile', 'export default await Deno.readTextFile("SYSTEM")'],
  ['Deno.readTextFileSync of /proc/self/environ', 'export default Deno.readTextFileSync("/proc/self/environ")'],
  ['Deno.open', 'export default (await Deno.open("SYSTEM")).readable !== undefined'],
  ['Deno.readDir', 'export default await Array.fromAsync(Deno.readDir("/"))'],
  ['Deno.realPath', 'export default await Deno.realPath("SYSTEM")'],
  ['Deno.stat', 'export default (await Deno.stat("SYSTEM")).size'],
  ['Deno.writeTextFile', 'await Deno.writeTextFile("/tmp/x", "x")\nexport default "written"'],
  ['Deno.makeTempFile', 'export default await Deno.makeTempFile()'],
  ['Deno.symlink', 'await Deno.symlink("SYSTEM", "/tmp/link")\nexport default "linked"'],
  ['Deno.chdir', 'Deno.chdir("/usr")\nexport default Deno.cwd()'],
  ['node:fs', 'import { readFileSync } from "node:fs"\nexport default readFileSync("SYSTEM", "utf8")'],
  [
    'node:fs by descriptor 3',
    'import { readSync } from "node:fs"\nconst b = new Uint8Array(100)\nexport default readSync(3, b)',
    /EBADF/,
  ],
  [
    'node:child_process',
    'import { execFileSync } from "node:child_process"\nexport default execFileSync("/bin/deno", ["--version"]).toString()',
  ],
  ['Deno.Command', 'export default await new Deno.Command("/bin/deno", { args: ["--version"] }).output()'],
  ['Deno.dlopen', 'export default Object.keys(Deno.dlopen("libc.so.6", {}))'],
  ['Worker', 'export default new Worker("data:text/javascript,", { type: "module" }) && "worker"', /has no workers/],
  [
    'node:sqlite',
    'import { DatabaseSync } from "node:sqlite"\nconst d = new DatabaseSync("/tmp/x.db")\nd.exec("create table t(a)")\nexport default "opened"',
  ],
  [
    'Deno.permissions.request',
    'const { state } = await Deno.permissions.request({ name: "read" })\nif (state !== "granted") throw new Error(state)\nexport default state',
    /denied/,
  ],
  ['Deno.env of PATH', 'export default Deno.env.get("PATH")'],
  ['Deno.env.toObject', 'export default Deno.env.toObject()'],
  [
    'process.env',
    'import process from "node:process"\nconst { PATH, DENO_DIR } = process.env\nif (!PATH && !DENO_DIR) throw new Error("nothing")\nexport default [PATH, DENO_DIR]',
  ],
  ['Deno.hostname', 'export default Deno.hostname()'],
  ['Deno.networkInterfaces', 'export default Deno.networkInterfaces()'],
  ['fetch of another port', 'export default await (await fetch("http://127.0.0.1:PORT/")).text()'],
  ['fetch by name', 'export default await (await fetch("http://localhost:PORT/")).text()'],
  ['fetch by IPv4 in IPv6', 'export default await (await fetch("http://[::ffff:127.0.0.1]:PORT/")).text()'],
  ['fetch by a number', 'export default await (await fetch("http://2130706433:PORT/")).text()'],
  ['fetch of a file', 'export default await (await fetch("file://SYSTEM")).text()'],
  [
    'fetch through a client of its own',
    'const client = Deno.createHttpClient({ proxy: { url: "http://127.0.0.1:PORT" } })\nexport default await (await fetch("http://x.example/", { client })).text()',
  ],
  ['an import from another port', 'export default (await import("http://127.0.0.1:PORT/x.js")).default'],
  ['a static import from another port', 'import s from "http://127.0.0.1:PORT/x.js"\nexport default s'],
  ['an import from elsewhere', 'export default (await import("https://esm.sh/x?secret")).default'],
  ['an import from deno.land', 'export default (await import("https://deno.land/std/version.ts")).default'],
  ['npm:', 'export default (await import("npm:is-odd@3")).default', /--no-npm is specified/],
  ['jsr:', 'export default (await import("jsr:@std/path")).default'],
  [
    'Deno.connect',
    'const c = await Deno.connect({ hostname: "127.0.0.1", port: PORT })\nexport default c.rid ?? "connected"',
  ],
  ['Deno.listen', 'export default Deno.listen({ hostname: "127.0.0.1", port: 0 }).addr'],
  ['a unix socket', 'export default await Deno.connect({ transport: "unix", path: "/tmp/x" })'],
  [
    'WebSocket',
    'export default await new Promise((done, fail) => { const s = new WebSocket("ws://127.0.0.1:PORT/"); s.onopen = () => done("open"); s.onerror = () => fail(new Error("no")) })',
  ],
  [
    'EventSource',
    'export default await new Promise((done, fail) => { const s = new EventSource("http://127.0.0.1:PORT/"); s.onmessage = () => done("open"); s.onerror = () => fail(new Error("state " + s.readyState)) })',
    /state [02]/,
  ],
  [
    'node:net',
    'import net from "node:net"\nexport default await new Promise((done, fail) => net.connect(PORT, "127.0.0.1").on("connect", () => done("open")).on("error", fail))',
  ],
  [
    'node:http',
    'import http from "node:http"\nexport default await new Promise((done, fail) => http.get("http://127.0.0.1:PORT/", () => done("open")).on("error", fail))',
  ],
  ['node:dns', 'import dns from "node:dns/promises"\nexport default await dns.lookup("localhost")', /EPERM/],
  [
    'Deno.resolveDns',
    'export default await Deno.resolveDns("localhost", "A", { nameServer: { ipAddr: "127.0.0.1", port: PORT } })',
  ],
  [
    'another run',
    'const own = Deno.env.get("TOOLSCRIPT_GATEWAY_URL")\nconst r = await fetch(own.replace(/[^/]+$/, "A".repeat(43)) + "/tools")\nif (!r.ok) throw new Error(String(r.status))\nexport default await r.text()',
    /404/,
  ],
  [
    'the gateway outside its run',
    'const { origin } = new URL(Deno.env.get("TOOLSCRIPT_GATEWAY_URL"))\nconst r = await fetch(origin + "/tools")\nif (!r.ok) throw new Error(String(r.status))\nexport default await r.text()',
    /404/,
  ],
  [
    'the gateway as a page would',
    'const r = await fetch(Deno.env.get("TOOLSCRIPT_GATEWAY_URL") + "/tools", { headers: { Origin: "http://evil.example" } })\nif (!r.ok) throw new Error(String(r.status))\nexport default await r.text()',
    /403/,
  ],
  [
    'the gateway by another name',
    'const { pathname, port } = new URL(Deno.env.get("TOOLSCRIPT_GATEWAY_URL"))\nconst c = await Deno.connect({ hostname: "127.0.0.1", port: Number(port) })\nawait c.write(new TextEncoder().encode(`GET ${pathname}/tools HTTP/1.1\\r\\nHost: evil.example\\r\\n\\r\\n`))\nconst b = new Uint8Array(500)\nconst [line] = new TextDecoder().decode(b.slice(0, await c.read(b))).split("\\r\\n")\nif (!line.includes(" 200 ")) throw new Error(line)\nexport default line',
    /403/,
  ],
  [
    'node:dgram',
    'import d from "node:dgram"\nconst s = d.createSocket("udp4")\nexport default await new Promise((done, fail) => { s.on("error", fail); s.send("x", PORT, "127.0.0.1", (e) => e ? fail(e) : done("sent")) })',
  ],
  [
    'node:tls',
    'import tls from "node:tls"\nexport default await new Promise((done, fail) => tls.connect(PORT, "127.0.0.1").on("connect", () => done("open")).on("error", fail))',
  ],
  [
    'node:http2',
    'import http2 from "node:http2"\nexport default await new Promise((done, fail) => http2.connect("http://127.0.0.1:PORT").on("connect", () => done("open")).on("error", fail))',
  ],
  ['Deno.connectTls', 'export default (await Deno.connectTls({ hostname: "127.0.0.1", port: PORT })) && "open"'],
  ['Deno.serve', 'export default Deno.serve({ port: 0 }, () => new Response("x")).addr'],
  ['a heap snapshot', 'import v8 from "node:v8"\nexport default v8.writeHeapSnapshot("/tmp/heap")'],
  [
    'the inspector',
    'import inspector from "node:inspector"\ninspector.open(0, "127.0.0.1")\nexport default inspector.url()',
  ],
  [
    'names asked of a server',
    'import dns from "node:dns"\ndns.setServers(["127.0.0.1:PORT"])\nexport default await dns.promises.resolve4("secret.example.com")',
    /Requires sys access|UNKNOWN/,
  ],
  ['Deno.kill of its parent', 'Deno.kill(1, "SIGKILL")\nexport default "killed"'],
  ['Deno.osRelease', 'export default Deno.osRelease()'],
]

const placed = (program: string) =>
  program
    .replaceAll('FILE', program.includes('FILE:') ? 'FILE' : file)
    .replaceAll('FOLDER', folder)
    .replaceAll('SYSTEM', '/usr/lib/os-release')
    .replaceAll('PORT', String(port))

describe.skipIf(withoutDeno)('a way out that leads nowhere', () => {
  const boxes = useBoxes(folder)
  const groups = Array.from({ length: Math.ceil(attempts.length / 8) }, (_, at) => {
    const group = attempts.slice(at * 8, at * 8 + 8)
    return [group.map(([name]) => name).join(', '), group] as const
  })
  test('there are more than forty', () => expect(attempts.length).toBeGreaterThan(40))

  test.each(groups)('%s', async (_, group) => {
    const results = await Promise.all(
      group.map(async ([name, program, reason = denied]) => {
        const { said, report } = await boxes.run(placed(program))
        const got = said?.how === 'value' ? said.body : undefined
        const seen = `${said?.body} ${report.stdout} ${report.stderr}`
        const why = reason.test(seen) ? 'as expected' : seen
        return { name, got, why, leaked: seen.includes(word) || /PRETTY_NAME|VERSION_ID/.test(seen) }
      }),
    )
    expect(results).toEqual(group.map(([name]) => ({ name, got: undefined, why: 'as expected', leaked: false })))
  })

  test('the same programs get out where Deno is given every permission', async () => {
    const names = [
      'a static file import as text',
      'Deno.readTextFile',
      'node:fs',
      'Deno.writeTextFile',
      'Deno.env of PATH',
    ]
    const programs = attempts.filter(([name]) => names.includes(name)).map(([, program]) => placed(program))
    expect(programs).toHaveLength(names.length)
    const deno = findDeno()
    for (const program of programs) {
      const entry = join(folder, 'granted.mjs')
      writeFileSync(
        entry,
        `${program.replaceAll('/tmp/x', join(folder, 'x')).replace('export default', 'const got =')}\nif (!got) throw 1`,
      )
      const env = { PATH: '/bin', DENO_DIR: join(folder, 'deno') }
      await promisify(execFile)(deno.ok ? deno.path : '', ['run', '-A', '--quiet', '--no-check', entry], { env })
    }
  })

  test('the listener outside was never reached', () => expect(hits).toBe(0))

  test('a worker of Node, where there is memory for one, is shut in as the script is, and ends with it', async () => {
    const inside =
      'const { parentPort } = require("node:worker_threads"); const tried = []; for (const go of [() => require("node:fs").readFileSync("/usr/lib/os-release", "utf8"), () => Deno.env.get("PATH"), () => Deno.listen({ port: 0 }).addr]) { try { tried.push(go()) } catch (e) { tried.push(e.name) } } parentPort.postMessage(tried); for (;;);'
    const code = `import { Worker } from "node:worker_threads"\nconst worker = new Worker(${JSON.stringify(inside)}, { eval: true })\nexport default await new Promise((done, fail) => worker.on("message", done).on("error", fail))`
    const { said } = await boxes.run(code, { memoryMb: 1_024 })
    expect(said).toEqual({ how: 'value', body: '["NotCapable","NotCapable","NotCapable"]' })
  })

  test('storage of one run is not there in the next', async () => {
    const code =
      'localStorage.setItem("n", String(Number(localStorage.getItem("n") ?? 0) + 1))\nexport default localStorage.getItem("n")'
    expect(await boxes.value(code)).toBe('1')
    expect(await boxes.value(code)).toBe('1')
  })

  test('a run cannot use the address of one that has ended', async () => {
    const old = await boxes.value('export default Deno.env.get("TOOLSCRIPT_GATEWAY_URL")')
    expect(await boxes.value(`export default (await fetch("${old}/health")).status`)).toBe(404)
  })

  test('what the guest sees of the machine is next to nothing', async () => {
    const { report } = await boxes.run('export default 1')
    if (report.containment !== 'namespace') return
    expect(await boxes.value('export default [Deno.pid < 10, Deno.ppid, Deno.cwd()]')).toEqual([true, 1, folder])
  })
})
