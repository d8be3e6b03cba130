import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { gatewayScripts } from '../../src/cli/gateway-scripts.ts'
import { type RunToolscriptOptions, runToolscript, type ScriptHost } from '../../src/cli/run-toolscript.ts'
import { createWhy } from '../../src/engine/why.ts'
import { engineParts } from '../../src/gateway/engine-parts.ts'
import { createGateway, type Gateway } from '../../src/gateway/gateway.ts'
import { gatewayToken } from '../../src/gateway/token-file.ts'
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
    opened = await openToolscripts({ functions: demoTools })
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
      remote = gatewayScripts(gateway.url, folder, gatewayToken(gateway.url, { folder }))
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
