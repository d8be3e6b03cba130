import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { defineTool } from '../../src/function/define-tool.ts'
import { functionSource } from '../../src/function/source.ts'
import { exitCodeOf } from '../../src/model/outcome.ts'
import { demoTools, harmless } from '../support/script-tools.ts'
import { type Opened, openToolscripts, type RunOptions, withoutDeno } from '../support/toolscripts.ts'

const head = 'import { tools } from "toolscript"\n'

describe.skipIf(withoutDeno)('toolscripts', () => {
  let opened: Opened
  let asked = 0
  const inFlight = { now: 0, most: 0 }
  const counted = defineTool({
    name: 'demo:counted',
    description: 'Counts how many run at once',
    effects: harmless,
    run: async () => {
      inFlight.most = Math.max(inFlight.most, ++inFlight.now)
      await sleep(5)
      inFlight.now--
    },
  })
  const unknown = defineTool({ name: 'demo:unknown', description: 'Nobody knows', run: () => 'ran' })
  beforeAll(async () => {
    const approve = async () => {
      asked++
      await sleep(600)
      return true
    }
    opened = await openToolscripts({ functions: [...demoTools, counted, unknown], approve })
  })
  afterAll(() => opened?.close())
  const run = (source: string, options?: RunOptions) => opened.run(source, options)

  test('a script whose imports are not used, or are types, returns its value', async () => {
    expect(await run(`${head}return 1`)).toMatchObject({ ok: true, value: 1 })
    const types = 'import type { Json } from "toolscript"\nconst a: Json = 2\nreturn a'
    expect(await run(types)).toMatchObject({ ok: true, value: 2 })
  })

  test('each call takes the one path, and its entries are linked to those of the script', async () => {
    const outcome = await run(`${head}return await tools.demo.echo({ message: "hi" })`, { name: 'greet.ts' })
    const entries = opened.journal.read({ limit: 20 })
    const call = entries.find(({ tool, parentId }) => tool === 'demo:echo' && parentId === outcome.callId)
    expect(call).toMatchObject({ caller: 'toolscript' })
    expect(entries.find(({ callId }) => callId === outcome.callId)).toMatchObject({
      kind: 'toolscript',
      script: 'greet.ts',
    })
    expect(outcome.calls).toMatchObject([{ tool: 'demo:echo', ok: true, callId: call?.callId }])
  })

  test('a read-only script may call only what is known to change nothing', async () => {
    const source = `${head}const codes: string[] = []
      for (const tool of [tools.demo.destroy, tools.demo.unknown]) await tool({}).catch((e) => codes.push(e.code))
      return [codes, await tools.demo.echo({ message: "fine" })]`
    const before = asked
    expect(await run(source, { readOnly: true })).toMatchObject({
      ok: true,
      value: [['denied', 'denied'], { message: 'fine' }],
    })
    expect(asked).toBe(before)
  })

  test('the clock of a script stands still while a person is asked about a call', async () => {
    const outcome = await run(`${head}return await tools.demo.destroy({})`, { timeoutMs: 450 })
    expect(outcome).toMatchObject({ ok: true, value: 'gone' })
    expect(asked).toBeGreaterThan(0)
  })

  test('calls run side by side, sixteen at once', async () => {
    const source = `${head}await Promise.all(Array.from({ length: 60 }, () => tools.demo.counted({})))\nreturn "done"`
    expect(await run(source)).toMatchObject({ ok: true, value: 'done' })
    expect(inFlight.most).toBeGreaterThan(1)
    expect(inFlight.most).toBeLessThanOrEqual(16)
  })

  test('of ten thousand parallel calls a thousand are made, and the rest refused', async () => {
    const source = `${head}const all = await Promise.allSettled(Array.from({ length: 10_000 }, () => tools.demo.echo({ message: "x" })))
      return all.filter(({ status }) => status === "fulfilled").length`
    expect(await run(source)).toMatchObject({ ok: true, value: 1_000 })
  })

  test('a script that goes round the client is bounded as well', async () => {
    const source = `const url = Deno.env.get("TOOLSCRIPT_GATEWAY_URL") + "/tools/demo__echo"
      let refused = 0
      for (let at = 0; at < 1_010; at++) {
        const answer = await fetch(url, { method: "POST", body: '{"message":"x"}', headers: { "content-type": "application/json" } })
        if ((await answer.json() as { code?: string }).code === "too-busy") refused++
      }
      return refused`
    expect(await run(source)).toMatchObject({ ok: true, value: 10 })
  })

  test('calls that nobody awaits are awaited', async () => {
    const outcome = await run(`${head}for (let at = 0; at < 30; at++) void tools.demo.counted({})\nreturn 1`)
    expect(outcome).toMatchObject({ ok: true, value: 1 })
    expect(outcome.calls).toHaveLength(30)
  })

  test('a call that nobody awaits and that fails is an unhandled rejection', async () => {
    const outcome = await run(`${head}void tools.demo.fail({})\nreturn 1`)
    expect(outcome).toMatchObject({ ok: false, message: expect.stringContaining('nothing handled it') })
  })

  test('the text for a model has the output, and then the value or the error', async () => {
    expect((await run('console.log("out")\nreturn { a: 1 }')).text).toBe('out\n{"a":1}')
    expect((await run('console.log("out")\nthrow new Error("boom")')).text).toMatch(/^out\nError: boom/)
  })

  test('dry: the tools that a script can call, without a run', async () => {
    const ids = async (source: string) => {
      const dry = await opened.toolscripts.dry(source)
      return dry.ok ? dry.tools.map(({ id }) => id) : dry.issues
    }
    expect(await ids(`${head}await tools.demo.echo({ message: "x" })`)).toEqual(['demo:echo'])
    expect(await ids(`${head}const { fail, "destroy": d } = tools.demo\nvoid [fail, d]`)).toEqual([
      'demo:fail',
      'demo:destroy',
    ])
    expect(await ids(`${head}const d = tools.demo\nvoid d.echo`)).toHaveLength(6)
    expect(await ids(`${head}console.log(tools)`)).toHaveLength(6)
    expect(await ids('console.log({ tools: 1 })')).toEqual([])
    expect(await ids(`${head}tools.demo.nope({})`)).toMatchObject([{ path: 'script.ts:2:12' }])
  })

  test.each([
    ['memoryMb', { memoryMb: 5_000 }],
    ['memoryMb', { memoryMb: 1 }],
    ['memoryMb', { memoryMb: 100.5 }],
    ['timeoutMs', { timeoutMs: 600_001 }],
  ])('%s out of its range is an error', async (limit, options) => {
    await expect(async () => run('return 1', options)).rejects.toThrow(`The limit "${limit}"`)
  })

  test('two scripts at once do not see each other', async () => {
    const source = (mark: string) =>
      `localStorage.setItem("mark", "${mark}"); await new Promise((ok) => setTimeout(ok, 50)); return [localStorage.getItem("mark"), Deno.env.get("TOOLSCRIPT_GATEWAY_URL")]`
    const outcomes = await Promise.all(['a', 'b', 'c'].map((mark) => run(source(mark))))
    const values = outcomes.map((outcome) => (outcome.ok ? (outcome.value as string[]) : []))
    expect(values.map(([mark]) => mark)).toEqual(['a', 'b', 'c'])
    expect(new Set(values.map(([, url]) => url)).size).toBe(3)
  })

  test('a lazy source is asked only when a script names it', async () => {
    const asks: string[] = []
    const lazy = (module: string) => ({
      ...functionSource(module, [
        defineTool({ name: `${module}:go`, description: 'Goes', effects: harmless, run: () => module }),
      ]),
      lazy: true,
      mayHave: (spelling: string) => spelling.startsWith(`tools.${module}.`) || spelling.startsWith(`${module}__`),
    })
    const watched = ['alpha', 'beta'].map((module) => {
      const source = lazy(module)
      const load = () => {
        asks.push(module)
        return source.load()
      }
      return { ...source, load }
    })
    const own = await openToolscripts({ sources: watched })
    expect(await own.run('return 1')).toMatchObject({ ok: true })
    expect(asks).toEqual([])
    expect(await own.run(`${head}return await tools.beta.go({})`)).toMatchObject({ ok: true, value: 'beta' })
    expect(asks).toEqual(['beta'])
    await own.close()
  })

  test('an approval that nobody can give is told to the script, and ends it in that way unless it is caught', async () => {
    const own = await openToolscripts({ functions: demoTools })
    const outcome = await own.run(`${head}await tools.demo.destroy({})`)
    expect(outcome).toMatchObject({
      ok: false,
      code: 'approval-needed',
      message: expect.stringContaining("needs a person's approval"),
      value: { tool: 'demo:destroy', code: 'approval-needed' },
    })
    expect(exitCodeOf(outcome)).toBe(4)
    const forged = `throw Object.assign(new Error('It waits.'), { name: 'ToolError', code: 'approval-needed' })`
    expect(await own.run(`${head}await tools.demo.destroy({}).catch(() => {})\n${forged}`)).toMatchObject({
      ok: false,
      code: 'tool-failed',
    })
    await own.close()
  })

  test('without Deno there is one sentence, and how to get it', async () => {
    const own = await openToolscripts({ findDeno: () => ({ ok: false, message: 'Get it with "npm install deno".' }) })
    expect(await own.run('return 1')).toMatchObject({
      ok: false,
      code: 'not-runnable',
      reason: 'dependency-missing',
      message: expect.stringContaining('npm install deno'),
    })
    await own.close()
  })
})
