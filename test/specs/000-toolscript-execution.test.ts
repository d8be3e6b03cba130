import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runToolscript, type ScriptHost } from '../../src/cli/run-toolscript.ts'
import { mcpSource } from '../../src/mcp/source.ts'
import { exitCodeOf, type Outcome } from '../../src/model/outcome.ts'
import { startBox } from '../../src/sandbox/deno-box.ts'
import { findDeno } from '../../src/sandbox/deno-find.ts'
import { denoFlags, importMap } from '../../src/sandbox/deno-flags.ts'
import { demoTools } from '../support/script-tools.ts'
import { type Opened, openToolscripts, type RunOptions, withoutDeno } from '../support/toolscripts.ts'

const packages = join(import.meta.dirname, '../../node_modules/@modelcontextprotocol')

/** A real server from npm. Its effects are unknown, and its owner trusts it. */
const server = (name: string, folder: string, workspace: string, ...more: string[]) =>
  mcpSource(name, {
    command: process.execPath,
    args: [join(packages, folder, 'dist/index.js'), ...more],
    env: { MEMORY_FILE_PATH: join(workspace, 'memory.jsonl') },
    trust: 'org',
    workspace,
  })

describe.skipIf(withoutDeno)('toolscript execution', () => {
  let opened: Opened
  const run = (source: string, options?: RunOptions) => opened.run(source, options)
  const value = async (source: string, options?: RunOptions) => {
    const outcome = await run(source, options)
    return outcome.ok ? outcome.value : outcome.message
  }

  const workspace = mkdtempSync(join(tmpdir(), 'legwork-test-'))
  beforeAll(async () => {
    const everything = server('everything', 'server-everything', workspace, 'stdio')
    const sources = [everything, server('knowledge', 'server-memory', workspace)]
    opened = await openToolscripts({ functions: demoTools, sources, workspace })
  })
  afterAll(async () => {
    await opened?.close()
    rmSync(workspace, { recursive: true })
  })

  test('000/Isolated execution: the code runs in a separate Deno process with restricted permissions', async () => {
    const outcome = await run(
      'const { state } = await Deno.permissions.query({ name: "run" })\nreturn [state, Deno.version.deno]',
    )
    expect(outcome).toMatchObject({ ok: true, value: ['prompt', expect.stringMatching(/^2\./)] })
    expect(outcome.process?.argv[0]).toBe('deno')
  })

  test('000/Network restrictions: only connections to the gateway are allowed', async () => {
    let hits = 0
    const other = createServer((_, answer) => {
      hits++
      answer.end('secret')
    }).listen(0, '127.0.0.1')
    await new Promise((listening) => other.once('listening', listening))
    const { port } = other.address() as AddressInfo
    const source = `const own = await fetch(Deno.env.get("TOOLSCRIPT_GATEWAY_URL") + "/health")
      return [own.status, await fetch("http://127.0.0.1:${port}").then(() => "reached", (e: Error) => e.name)]`
    expect(await value(source)).toEqual([200, 'NotCapable'])
    expect(hits).toBe(0)
    other.close()
  })

  test('000/Filesystem restrictions: read and write are denied, and neither permission is given', async () => {
    const source = `const no = (work: Promise<unknown>) => work.then(() => "done", (e: Error) => e.name)
      return [await no(Deno.readTextFile("/proc/version")), await no(Deno.writeTextFile("/tmp/x", "x"))]`
    expect(await value(source)).toEqual(['NotCapable', 'NotCapable'])
    expect(denoFlags({ host: '127.0.0.1:1', memoryMb: 512 }, '/m').join(' ')).not.toMatch(
      /allow-(read|write|all|run|ffi|sys)/,
    )
  })

  test('000/Environment variable restrictions: TOOLSCRIPT_GATEWAY_URL is the only variable', async () => {
    const source = `const get = (name: string) => { try { return typeof Deno.env.get(name) } catch (e) { return (e as Error).name } }
      return ["TOOLSCRIPT_GATEWAY_URL", "PATH", "HOME", "DENO_DIR"].map(get)`
    expect(await value(source)).toEqual(['string', 'NotCapable', 'NotCapable', 'NotCapable'])
  })

  test('000/TypeScript compilation: TypeScript syntax compiles and runs', async () => {
    const source = `interface Point { readonly x: number; y?: number }
      enum Colour { Red = 3 }
      class Named<T extends Point> { constructor(public readonly point: T) {} get sum(): number { return this.point.x + (this.point.y ?? 0) } }
      const point = { x: 1, y: 2 } satisfies Point
      export default [new Named(point).sum, Colour.Red, Colour[3]] as const`
    expect(await value(source)).toEqual([3, 3, 'Red'])
  })

  test('000/Type checking: type errors are reported before execution', async () => {
    const outcome = await run('console.log("ran")\nconst n: number = "text"\nexport default n')
    expect(outcome).toMatchObject({
      ok: false,
      code: 'invalid-input',
      issues: [{ path: 'script.ts:2:7', code: 'INVALID_TYPE' }],
    })
    expect(outcome.process).toBeUndefined()
    expect(exitCodeOf(outcome)).toBe(2)
  })

  test('000/ES modules: imports and exports are resolved', async () => {
    mkdirSync(join(workspace, 'lib'))
    const half =
      'import data from "./data.json" with { type: "json" }\nexport const half = (n: number) => n / data.two\n'
    writeFileSync(join(workspace, 'lib/half.ts'), half)
    writeFileSync(join(workspace, 'lib/data.json'), '{"two": 2}')
    const source = 'import { half } from "./lib/half.ts"\nexport const four = half(8)\nexport default four'
    expect(await run(source, { name: 'main.ts' })).toMatchObject({ ok: true, value: 4 })
  })

  test('000/Top-level await: asynchronous code needs no wrapper function', async () => {
    expect(
      await value('const a = await Promise.resolve(1)\nfor await (const b of [2]) console.log(b)\nexport default a'),
    ).toBe(1)
  })

  test('000/Promise handling: a returned promise is awaited', async () => {
    expect(await value('return new Promise<string>((done) => setTimeout(() => done("later"), 20))')).toBe('later')
    expect(await value('export default Promise.resolve({ then: undefined, x: 1 })')).toEqual({ x: 1 })
  })

  test('000/Generate import map JSON: "toolscript" is mapped to the gateway of TOOLSCRIPT_GATEWAY_URL', () => {
    const { imports } = JSON.parse(importMap('http://127.0.0.1:1/run/x', 7))
    expect(Object.keys(imports)).toEqual(['toolscript'])
    expect(imports.toolscript).toMatch(/^http:\/\/127\.0\.0\.1:1\/run\/x\//)
  })

  test('000/Import map structure with cache busting: ${TOOLSCRIPT_GATEWAY_URL}/runtime/tools.ts?_t=${timestamp}', () => {
    expect(JSON.parse(importMap('http://g', 1234))).toEqual({
      imports: { toolscript: 'http://g/runtime/tools.ts?_t=1234' },
    })
  })

  test('000/Cache busting timestamp: _t is the current time', async () => {
    const before = Date.now()
    const seen = await withBox(({ importMapFile }) => readFileSync(importMapFile, 'utf8'), before)
    expect(Number(/_t=(\d+)/.exec(seen)?.[1])).toBe(before)
  })

  test('000/Ensure fresh types on gateway restart: a tool that appears later is there in the next script', async () => {
    const own = await openToolscripts({ functions: demoTools.slice(0, 1) })
    const source = 'import { tools } from "toolscript"\nreturn await tools.demo.wait({})'
    expect(await own.run(source)).toMatchObject({ ok: false, code: 'invalid-input' })
    const { functionSource } = await import('../../src/function/source.ts')
    await own.catalogue.add(functionSource('more', demoTools.slice(3)))
    expect(await own.run(source)).toMatchObject({ ok: true, value: 'waited' })
    await own.close()
  })

  test('000/Write import map to temp file: only its owner can read it, and it goes once it was read', async () => {
    const mode = await withBox(({ importMapFile }) => statSync(importMapFile).mode & 0o777, 1)
    expect(mode).toBe(0o600)
  })

  test('000/Launch Deno with import map flag: --import-map points to the file', async () => {
    expect(await withBox(({ argv }) => argv, 1)).toContainEqual(expect.stringMatching(/^--import-map=.+imports\.json$/))
  })

  test('000/Clean import syntax: import { tools } from "toolscript" comes over HTTP from the gateway', async () => {
    const source =
      'import { tools, ToolError } from "toolscript"\nreturn [typeof tools.demo.echo, import.meta.resolve("toolscript").startsWith(Deno.env.get("TOOLSCRIPT_GATEWAY_URL")!), ToolError.name]'
    expect(await value(source)).toEqual(['function', true, 'ToolError'])
  })

  test('000/TOOLSCRIPT_GATEWAY_URL environment variable: it is set to an address of this run', async () => {
    const first = await value('return Deno.env.get("TOOLSCRIPT_GATEWAY_URL")')
    expect(first).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/run\/[\w-]{43}$/)
    expect(await value('return Deno.env.get("TOOLSCRIPT_GATEWAY_URL")')).not.toBe(first)
  })

  test('000/Type-safe HTTP imports: every tool of every server is checked', async () => {
    const outcome = await run(
      'import { tools } from "toolscript"\nawait tools.everything.echo({ message: 1 })\nawait tools.everything.ecco({ message: "x" })',
    )
    expect(outcome).toMatchObject({
      issues: [
        { path: 'script.ts:2:31', message: expect.stringContaining('tools.everything.echo(input') },
        { path: 'script.ts:3:24', message: expect.stringContaining('Did you mean "tools.everything.echo"') },
      ],
    })
  })

  test('000/Multiple servers via clean import: all servers hang on one object', async () => {
    const source =
      'import { tools } from "toolscript"\nreturn [typeof tools.everything.echo, typeof tools.knowledge.readGraph]'
    expect(await value(source)).toEqual(['function', 'function'])
  })

  test('000/Server namespacing with camelCase: read_graph of a server is tools.server.readGraph', async () => {
    expect(await value('import { tools } from "toolscript"\nreturn await tools.knowledge.readGraph({})')).toMatchObject(
      { entities: [] },
    )
  })

  test('000/Return value to stdout: as JSON', async () => {
    const { printed, exitCode } = await command('console.log("working")\nreturn { done: [1, "two"] }')
    expect(printed.stdout).toBe('working\n{"done":[1,"two"]}\n')
    expect(exitCode).toBe(0)
  })

  test('000/Console.log to stdout: as it happens', async () => {
    const outcome = await run('console.log("one", { two: 2 })\nconsole.info("three")')
    expect(outcome.process).toMatchObject({ stdout: 'one { two: 2 }\nthree\n', stderr: '' })
    expect((await command('console.log("shown")')).printed.stdout).toBe('shown\n')
  })

  test('000/Console.error to stderr: and not to stdout', async () => {
    expect((await run('console.error("bad")')).process).toMatchObject({ stdout: '', stderr: 'bad\n' })
    expect((await command('console.error("bad")')).printed).toEqual({ stdout: '', stderr: 'bad\n' })
  })

  test("000/Runtime error: the error and its stack, with the user's own lines, and exit code 1", async () => {
    const source = 'type Unused = { a: 1 }\n\nfunction inner(): void {\n  throw new TypeError("boom")\n}\n\ninner()'
    const outcome = await run(source)
    expect(outcome).toMatchObject({ ok: false, code: 'tool-failed', process: { exitCode: 1 } })
    expect(outcome.text).toMatch(/TypeError: boom[\s\S]*at inner \(script\.ts:4:9\)\n\s+at script\.ts:7:1/)
    expect(exitCodeOf(outcome)).toBe(1)
  })

  test('000/Syntax error: reported without executing', async () => {
    const outcome = await run('console.log("ran")\nconst x = {\n')
    expect(outcome).toMatchObject({ ok: false, code: 'invalid-input', issues: [{ code: 'INVALID_FORMAT' }] })
    expect(outcome.process).toBeUndefined()
  })

  test('000/Type error: with place, code frame and signature', async () => {
    const outcome = await run('import { tools } from "toolscript"\nawait tools.demo.echo({ mesage: "x" })')
    const [issue] = !outcome.ok && outcome.code === 'invalid-input' ? outcome.issues : []
    expect(issue).toMatchObject({ path: 'script.ts:2:25', code: 'UNKNOWN_PARAMETER' })
    expect(issue?.message).toMatch(/Did you mean "message"\?[\s\S]*tools\.demo\.echo\(input[\s\S]*> 2 \| await/)
  })

  test('000/Uncaught promise rejection: reported as an error', async () => {
    const outcome = await run('Promise.reject(new Error("late"))\nexport default 1')
    expect(outcome).toMatchObject({ ok: false, code: 'tool-failed', message: expect.stringContaining('Error: late') })
  })

  test('000/Tool invocation with camelCase syntax: the gateway gets the double-underscore name', async () => {
    const before = opened.events.length
    await value('import { tools } from "toolscript"\nreturn await tools.knowledge.readGraph({})')
    const called = opened.events.slice(before).find(({ type, tool }) => type === 'started' && tool !== 'toolscript')
    expect(called?.tool).toBe('knowledge:readGraph')
    const tool = await opened.catalogue.resolve('knowledge__read_graph')
    expect(tool?.id).toBe('knowledge:readGraph')
  })

  test('000/Multiple servers with camelCase namespacing: one script calls several', async () => {
    const source = `import { tools } from "toolscript"
      const said = await tools.everything.echo({ message: "hi" })
      await tools.knowledge.createEntities({ entities: [{ name: "a", entityType: "b", observations: [] }] })
      const { nodes } = { nodes: await tools.knowledge.searchNodes({ query: "a" }) }
      return [said, nodes]`
    expect(await value(source)).toEqual([
      expect.stringContaining('hi'),
      expect.objectContaining({ entities: [expect.objectContaining({ name: 'a' })] }),
    ])
  })

  test('000/Response parsing: the result comes back as a value', async () => {
    expect(
      await value(
        'import { tools } from "toolscript"\nconst { message } = await tools.demo.echo({ message: "é\\u2028" }) as { message: string }\nreturn message',
      ),
    ).toBe('é\u2028')
  })

  test('000/Error propagation: an exception with tool, code and message', async () => {
    const source = `import { tools, ToolError } from "toolscript"
      try { await tools.demo.fail({}) } catch (error) {
        if (error instanceof ToolError) return [error.tool, error.code, error.message]
      }`
    expect(await value(source)).toEqual(['demo:fail', 'tool-failed', 'it broke'])
  })

  test('000/Multiple tool calls: in order, each with its result', async () => {
    const source = `import { tools } from "toolscript"
      const results: unknown[] = []
      for (const message of ["a", "b", "c"]) results.push(await tools.demo.echo({ message }))
      return results`
    const outcome = await run(source)
    expect(outcome).toMatchObject({ ok: true, value: [{ message: 'a' }, { message: 'b' }, { message: 'c' }] })
    expect(outcome.calls?.map(({ tool, ok }) => [tool, ok])).toEqual(
      Array.from({ length: 3 }, () => ['demo:echo', true]),
    )
  })

  test('000/Gateway URL access: the script can build addresses from it', async () => {
    expect(
      await value(
        'const all = await (await fetch(Deno.env.get("TOOLSCRIPT_GATEWAY_URL") + "/runtime/tools.d.ts")).text()\nreturn all.includes("Says it back")',
      ),
    ).toBe(true)
  })

  test('000/Working directory: the one that the script was invoked from', async () => {
    expect(await value('return Deno.cwd()', { cwd: import.meta.dirname })).toBe(import.meta.dirname)
  })

  test('000/No metadata injection: no globals, arguments or variables beyond those of Deno', async () => {
    const source =
      'return [Deno.args, Object.keys(globalThis).filter((name) => /legwork|toolscript|gateway/i.test(name)), Object.keys(import.meta).includes("legwork")]'
    expect(await value(source)).toEqual([[], [], false])
  })

  async function command(source: string) {
    const printed = { stdout: '', stderr: '' }
    const sink = (name: 'stdout' | 'stderr') => ({ write: (text: string) => (printed[name] += text) })
    const host: ScriptHost = {
      script: (text, options) => run(text, options as RunOptions) as Promise<Outcome>,
      dryScript: (text, options) => opened.toolscripts.dry(text, options),
      why: () => Promise.reject(new Error('Not asked here.')),
      on: (listener) => opened.engine.on(listener),
    }
    const streams = { stdout: sink('stdout'), stderr: sink('stderr') }
    const exitCode = await runToolscript('-', source, {}, host, new AbortController().signal, streams)
    return { printed, exitCode }
  }
})

/** A box that has been started and whose gateway never answers. */
async function withBox<T>(look: (box: Awaited<ReturnType<typeof startBox>>) => T, stamp: number): Promise<T> {
  const deno = findDeno()
  if (!deno.ok) throw new Error(deno.message)
  const box = await startBox({
    deno: deno.path,
    url: 'http://127.0.0.1:9/run/x',
    host: '127.0.0.1:9',
    cwd: '/',
    memoryMb: 512,
    maxOutputBytes: 1_000,
    stamp,
  })
  try {
    return look(box)
  } finally {
    box.kill()
    await box.ended
  }
}
