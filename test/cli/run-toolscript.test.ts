import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { gatewayScripts } from '../../src/cli/gateway-scripts.ts'
import { type RunToolscriptOptions, runToolscript, type ScriptHost } from '../../src/cli/run-toolscript.ts'
import { createWhy } from '../../src/engine/why.ts'
import { engineParts } from '../../src/gateway/engine-parts.ts'
import { createGateway, type Gateway } from '../../src/gateway/gateway.ts'
import { makePolicy } from '../../src/policy/policy.ts'
import { demoTools } from '../support/script-tools.ts'
import { type Opened, openToolscripts, type RunOptions, withoutDeno } from '../support/toolscripts.ts'

const head = 'import { tools } from "toolscript"\n'

async function command(source: string, host: ScriptHost, options: RunToolscriptOptions = {}, isTTY = false) {
  const printed = { stdout: '', stderr: '' }
  const sink = (name: 'stdout' | 'stderr') => ({ isTTY, write: (text: string) => (printed[name] += text) })
  const streams = { stdout: sink('stdout'), stderr: sink('stderr') }
  const exitCode = await runToolscript('-', source, options, host, new AbortController().signal, streams)
  return { exitCode, ...printed }
}

describe.skipIf(withoutDeno)('legwork run of a toolscript', () => {
  let opened: Opened
  let host: ScriptHost
  beforeAll(async () => {
    opened = await openToolscripts({ functions: demoTools, workspace: process.cwd() })
    host = {
      script: (text, options) => opened.run(text, options as RunOptions),
      dryScript: (text, options) => opened.toolscripts.dry(text, options),
      why: createWhy({ catalogue: opened.catalogue, policy: makePolicy({}), limits: {} }),
      on: (listener) => opened.engine.on(listener),
    }
  })
  afterAll(() => opened?.close())

  test('on a terminal the value stands on a line of its own, and nothing moves the cursor', async () => {
    const source = 'Deno.stdout.writeSync(new TextEncoder().encode("\\u001b[2Jno end"))\nreturn { a: 1 }'
    expect(await command(source, host, {}, true)).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(/^[^\u001b]*no end\n\{\n {2}"a": 1\n\}\n$/),
      stderr: '',
    })
  })

  test('--json prints the outcome and nothing else', async () => {
    const { stdout, exitCode } = await command('console.log("x")\nreturn 5', host, { json: true })
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, value: 5, process: { stdout: 'x\n' } })
    expect(exitCode).toBe(0)
  })

  test('faults go to stderr with their places, and the exit code is 2', async () => {
    const { stderr, stdout, exitCode } = await command(`${head}tools.demo.ecko({})`, host)
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toMatch(/stdin\.ts:2:12\n[\s\S]*Did you mean "tools\.demo\.echo"[\s\S]*> 2 \| tools/)
  })

  test('a script waits for whoever reads its output', async () => {
    let waiting = 0
    let most = 0
    const write = (text: string, written?: () => void) => {
      waiting += text.length
      most = Math.max(most, waiting)
      setTimeout(() => {
        waiting -= text.length
        written?.()
      }, 5)
      return false
    }
    const source =
      'const line = new Uint8Array(1_000_000).fill(120)\nfor (let at = 0; at < 20; at++) Deno.stdout.writeSync(line)'
    const streams = { stdout: { write }, stderr: { write: () => true } }
    const exitCode = await runToolscript('-', source, {}, host, new AbortController().signal, streams)
    expect({ exitCode, isBounded: most < 2_000_000 }).toEqual({ exitCode: 0, isBounded: true })
  })

  test('a script that runs too long: 124', async () => {
    expect((await command('for (;;);', host, { timeout: 300 })).exitCode).toBe(124)
  })

  test('--dry lists tools, effects and verdicts, and runs nothing', async () => {
    const before = opened.events.length
    const source = `${head}await tools.demo.echo({ message: "x" })\nawait tools.demo.destroy({})`
    const { stdout, exitCode } = await command(source, host, { dry: true })
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/demo:echo +harmless +allow .*\ndemo:destroy +destructive +ask /)
    expect(JSON.parse((await command(source, host, { dry: true, json: true })).stdout)).toMatchObject([
      { tool: 'demo:echo', verdict: 'allow' },
      { tool: 'demo:destroy', verdict: 'ask', effects: { destructive: true } },
    ])
    expect(opened.events.length).toBe(before)
    expect((await command('const x: 1 = 2', host, { dry: true })).exitCode).toBe(2)
  })

  describe('by a gateway that is running', () => {
    const folder = mkdtempSync(join(tmpdir(), 'legwork-test-'))
    let gateway: Gateway
    let remote: ScriptHost
    beforeAll(async () => {
      gateway = await createGateway(engineParts(opened.engine, opened.catalogue), { folder })
      remote = gatewayScripts(gateway.url, process.cwd(), { folder, environment: {} })
    })
    afterAll(async () => {
      await gateway?.stop()
      rmSync(folder, { recursive: true })
    })

    test('its types are checked, its tools are called, and the run is its own', async () => {
      const source = `${head}console.log("here")\nreturn [await tools.demo.echo({ message: "far" }), Deno.cwd()]`
      const { stdout, exitCode } = await command(source, remote)
      expect(stdout).toBe(`here\n${JSON.stringify([{ message: 'far' }, process.cwd()])}\n`)
      expect(exitCode).toBe(0)
      const { stdout: json } = await command(source, remote, { json: true })
      expect(JSON.parse(json)).toMatchObject({
        ok: true,
        calls: [{ tool: 'demo:echo' }],
        process: { stdout: 'here\n' },
      })
    })

    const overTheBound = `const url = Deno.env.get("TOOLSCRIPT_GATEWAY_URL") + "/tools/demo__echo"
let refused = 0
for (let at = 0; at < 1_010; at++) {
  const answer = await fetch(url, { method: "POST", body: '{"message":"x"}', headers: { "content-type": "application/json" } })
  if ((await answer.json() as { code?: string }).code === "too-busy") refused++
}
return refused`
    const inner = 'function inner(): void {\n  throw new TypeError("boom")\n}\nconsole.log("out")\ninner()'
    test.each([
      ['a value', 'return { a: [1] }', 0],
      ['an error with its lines', inner, 1],
      ['an error of a tool', `${head}await tools.demo.echo({ message: 5 } as never)`, 1],
      ['a missing approval', `${head}await tools.demo.destroy({})`, 4],
      ['a thrown text', 'throw "x"', 1],
      ['a rejection', 'Promise.reject(new RangeError("late"))\nawait new Promise((ok) => setTimeout(ok, 1_000))', 1],
      ['a value that JSON cannot hold', 'return { a: 1n }', 1],
      ['Deno.exit(0)', 'Deno.exit(0)', 0],
      ['Deno.exit(3)', 'Deno.exit(3)', 1],
      ['a promise that never settles', 'await new Promise(() => {})', 1],
      ['too many calls', overTheBound, 0],
    ])('%s is the same as without a gateway', async (_, source, exitCode) => {
      const here = await command(source, host)
      expect(here.exitCode).toBe(exitCode)
      expect(await command(source, remote)).toEqual(here)
      const [json, farJson] = await Promise.all(
        [host, remote].map(async (each) => JSON.parse((await command(source, each, { json: true })).stdout)),
      )
      const { ok, code, message, text, value } = json
      expect(farJson).toMatchObject(JSON.parse(JSON.stringify({ ok, code, message, text, value })))
      expect(farJson.calls.length).toBe(json.calls.length)
    })

    test('a script that is given up is cancelled there and here', async () => {
      const printed: string[] = []
      const streams = { stdout: { write: () => true }, stderr: { write: (text: string) => printed.push(text) } }
      for (const each of [host, remote]) {
        const controller = new AbortController()
        const running = runToolscript('-', 'for (;;);', {}, each, controller.signal, streams)
        setTimeout(() => controller.abort(), 700)
        expect(await running).toBe(130)
      }
      expect(printed).toHaveLength(2)
      expect(printed[0]).toBe(printed[1])
    })

    test('a gateway that stops in mid-run is told, and the exit code is 1', async () => {
      const own = await createGateway(engineParts(opened.engine, opened.catalogue), { folder })
      const far = gatewayScripts(own.url, process.cwd(), { folder, environment: {} })
      const before = opened.events.length
      const running = command(`${head}for (;;) await tools.demo.wait({})`, far)
      while (!opened.events.slice(before).some(({ tool }) => tool === 'demo:wait')) await sleep(10)
      await own.stop()
      const { exitCode, stderr } = await running
      expect(exitCode).toBe(1)
      expect(stderr).toMatch(/gateway/i)
    })

    test('a fault is found before the gateway is asked for a run', async () => {
      const before = opened.events.length
      expect(await command(`${head}tools.demo.nope({})`, remote)).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining('stdin.ts:2:12'),
      })
      expect(opened.events.length).toBe(before)
    })

    test.each([
      ['a throw', 'throw new Error("far away")', {}, 1, 'far away'],
      [
        'a memory that is too small',
        'const all: unknown[] = []\nfor (;;) all.push({ a: [1] })',
        { memory: 32 },
        1,
        'out of memory',
      ],
      ['no time', 'for (;;);', { timeout: 400 }, 124, 'did not end'],
    ] as const)('%s ends the run there and here', async (_, source, options, exitCode, message) => {
      expect(await command(source, remote, options)).toMatchObject({
        exitCode,
        stderr: expect.stringContaining(message),
      })
    })
  })
})

describe.skipIf(withoutDeno)('the command itself', () => {
  const main = join(import.meta.dirname, '../../src/cli/main.ts')

  test.each([
    ['a syntax error', 'const x = {', '{}', {}, [], 2],
    ['a type error', 'const x: 1 = 2', '{}', {}, [], 2],
    ['a configuration that is wrong', 'return 1', '{ "nope": 1 }', {}, [], 2],
    ['a memory that is out of range', 'return 1', '{}', {}, ['--memory', '1'], 2],
    ['a gateway that is not there', 'return 1', '{}', { TOOLSCRIPT_GATEWAY_URL: 'http://127.0.0.1:9' }, [], 2],
    ['a script that runs', 'return 1', '{}', {}, [], 0],
  ])('%s leaves no process', async (_, source, configuration, variables, more, code) => {
    const folder = mkdtempSync(join(tmpdir(), 'legwork-test-'))
    writeFileSync(join(folder, 'script.ts'), source)
    writeFileSync(join(folder, 'legwork.jsonc'), configuration)
    const mark = `legwork-test-${process.pid}-${folder}`
    const env = { PATH: process.env.PATH, HOME: folder, MARK: mark, ...variables }
    const args = [main, 'run', 'script.ts', ...more]
    const exitCode = await new Promise((resolve) => {
      const child = execFile(process.execPath, args, { cwd: folder, env }, () => resolve(child.exitCode))
    })
    expect(exitCode).toBe(code)
    for (let tries = 0; tries < 50 && marked(mark).length; tries++) await sleep(10)
    expect(marked(mark)).toEqual([])
    rmSync(folder, { recursive: true })
  })
})

/** The commands of the processes that have this in their environment. */
function marked(mark: string): string[] {
  return readdirSync('/proc').flatMap((name) => {
    try {
      const environment = /^\d+$/.test(name) ? readFileSync(`/proc/${name}/environ`, 'utf8') : ''
      return environment.includes(mark) ? [readFileSync(`/proc/${name}/cmdline`, 'utf8')] : []
    } catch {
      return []
    }
  })
}
