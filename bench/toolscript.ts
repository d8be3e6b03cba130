// Toolscripts: a script with one tool call, warm and cold, side by side with Deno itself; and what a hundred of them leave behind.

import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { defineTool, type FunctionTool } from '../src/function/define-tool.ts'
import { describeTool } from '../src/model/tool.ts'
import { closePipes } from '../src/run/pipes.ts'
import { findDeno } from '../src/sandbox/deno-find.ts'
import { clientModule } from '../src/toolscript/client.ts'
import { declarations } from '../src/toolscript/declarations.ts'
import { openToolscripts } from '../test/support/toolscripts.ts'
import { type Measurement, p50, percentile } from './measure.ts'

const run = promisify(execFile)

export async function benchToolscript(): Promise<readonly Measurement[]> {
  const lookup = findDeno()
  if (!lookup.ok) throw new Error(lookup.message)
  const folder = mkdtempSync(join(tmpdir(), 'legwork-bench-'))
  try {
    return [
      ...(await warm(lookup.path, folder)),
      ...(await cold(lookup.path, folder, 50)),
      ...(await cold(lookup.path, folder, 1_000)),
      ...(await leftovers()),
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** As many tools, each with three parameters. */
function toolsOf(amount: number): FunctionTool[] {
  return Array.from({ length: amount }, (_, at) =>
    defineTool({
      name: `server${at % 20}:doThing${at}`,
      description: `Does the thing number ${at}, and says so`,
      input: {
        type: 'object',
        properties: {
          title: { type: 'string' },
          count: { type: 'integer' },
          labels: { type: 'array', items: { type: 'string' } },
        },
        required: ['title'],
      },
      effects: { destructive: false, network: false, filesystem: { write: false } },
      run: ({ title }) => ({ title }),
    }),
  )
}

/** Never the same twice, so that nothing can be kept of it. */
const scriptOf = (mark: number) =>
  `import { tools } from "toolscript"\nconst answer${mark}: unknown = await tools.server0.doThing0({ title: "t${mark}" })\nexport default answer${mark}\n`

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

/** The pool is full and at rest when a script comes: what is measured is one script now and then, not a flood of them. */
async function warm(deno: string, folder: string): Promise<Measurement[]> {
  const few = await warmTimes(deno, folder, 50)
  const many = await warmTimes(deno, folder, 1_000)
  const against = { few: p50(few.script) / p50(few.bare), many: p50(many.script) / p50(many.bare) }
  const check = percentile(many.check, 0.95)
  return [
    {
      name: 'warm, 50 tools, source to value, against a bare deno run of hello-world, p50',
      value: against.few,
      unit: '×',
      goal: '≤ 1.0',
    },
    { name: 'the same with 1,000 tools', value: against.many, unit: '×', goal: '≤ 1.0' },
    {
      name: 'warm, 1,000 tools against 50, each against its bare run',
      value: against.many / against.few,
      unit: '×',
      goal: '≤ 1.3',
    },
    { name: 'type check of a new script at 1,000 tools, p95', value: check, unit: 'ms', goal: '≤ 15' },
    {
      name: 'warm, 50 tools, source to process gone, against the same',
      value: p50(few.gone) / p50(few.bare),
      unit: '×',
    },
    { name: 'bare deno run of hello-world, p50', value: p50([...few.bare, ...many.bare]), unit: 'ms' },
  ]
}

async function warmTimes(deno: string, folder: string, amount: number) {
  const hello = join(folder, 'hello.ts')
  writeFileSync(hello, 'console.log("hello")\n')
  const opened = await openToolscripts({ functions: toolsOf(amount), workspace: folder })
  const times = { bare: [] as number[], script: [] as number[], gone: [] as number[], check: [] as number[] }
  for (let round = 0; round < 33; round++) {
    const settled = () => opened.toolscripts.warm().then(() => sleep(10))
    await settled()
    times.bare.push(await timed(() => run(deno, ['run', '--no-config', '--no-lock', hello])))
    await settled()
    const started = performance.now()
    const outcome = await opened.run(scriptOf(round))
    if (!outcome.ok) throw new Error(outcome.message)
    times.gone.push(performance.now() - started)
    times.script.push(Math.max(...opened.doors.map(({ endedAt = 0 }) => endedAt)) - started)
  }
  for (let round = 0; round < 100; round++) {
    times.check.push(await timed(() => opened.toolscripts.dry(scriptOf(1_000 + round))))
  }
  await opened.close()
  // The first rounds load what is loaded once.
  for (const list of Object.values(times)) list.splice(0, 3)
  return times
}

/** `legwork run` of a new script against `deno run --check` of the same script and types, both from nothing. */
async function cold(deno: string, root: string, amount: number): Promise<Measurement[]> {
  const folder = join(root, `cold-${amount}`)
  mkdirSync(join(folder, 'node_modules'), { recursive: true })
  symlinkSync(join(import.meta.dirname, '..'), join(folder, 'node_modules/legwork'))
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
  writeFileSync(
    join(folder, 'legwork.jsonc'),
    JSON.stringify({ functions: ['./tools.js'], journal: { path: './journal.db' } }),
  )
  writeFileSync(join(folder, 'tools.js'), toolsModule(amount))

  const opened = await openToolscripts({ functions: toolsOf(amount), workspace: folder })
  const door = await opened.openDoor()
  const tools = opened.catalogue.listLoaded().map(describeTool)
  writeFileSync(
    join(folder, 'client.js'),
    `/* @ts-self-types="./client.d.ts" */\n${clientModule(tools, { gateway: door.url })}`,
  )
  writeFileSync(join(folder, 'client.d.ts'), declarations(tools))
  writeFileSync(join(folder, 'imports.json'), JSON.stringify({ imports: { toolscript: './client.js' } }))
  const times = { legwork: [] as number[], deno: [] as number[] }
  for (let round = -1; round < 6; round++) {
    const script = join(folder, `script-${round}.ts`)
    writeFileSync(script, scriptOf(round + 10))
    const cache = mkdtempSync(join(folder, 'cache-'))
    const flags = [
      'run',
      '--check',
      '--no-config',
      '--no-lock',
      '--allow-net',
      '--allow-env',
      `--import-map=${folder}/imports.json`,
    ]
    const took = {
      deno: await timed(() => run(deno, [...flags, script], { cwd: folder, env: { ...process.env, DENO_DIR: cache } })),
      legwork: await timed(() =>
        run(process.execPath, [join(import.meta.dirname, '../dist/cli/main.js'), 'run', script], { cwd: folder }),
      ),
    }
    if (round < 0) continue
    times.deno.push(took.deno)
    times.legwork.push(took.legwork)
  }
  door.close()
  await opened.close()
  const name = `cold legwork run against deno run --check, ${amount.toLocaleString('en-GB')} tools, p50`
  return [
    { name, value: p50(times.legwork) / p50(times.deno), unit: '×', goal: '≤ 0.4' },
    { name: `cold legwork run, ${amount.toLocaleString('en-GB')} tools, p50`, value: p50(times.legwork), unit: 'ms' },
  ]
}

function toolsModule(amount: number): string {
  return `import { defineTool } from 'legwork'
const input = { type: 'object', properties: { title: { type: 'string' }, count: { type: 'integer' }, labels: { type: 'array', items: { type: 'string' } } }, required: ['title'] }
const effects = { destructive: false, network: false, filesystem: { write: false } }
export const tools = Array.from({ length: ${amount} }, (_, at) => defineTool({
  name: \`server\${at % 20}:doThing\${at}\`, description: \`Does the thing number \${at}, and says so\`, input, effects, run: ({ title }) => ({ title }) }))
`
}

async function leftovers(): Promise<Measurement[]> {
  const opened = await openToolscripts({ functions: toolsOf(50) })
  await opened.run(scriptOf(0))
  // The stock of pipes is kept, and is larger at one time than at another.
  await closePipes()
  const before = readdirSync('/proc/self/fd').length
  const boxes = () => readdirSync(tmpdir()).filter((name) => name.startsWith('legwork-box-'))
  const others = new Set(boxes())
  for (let at = 1; at <= 100; at++) await opened.run(scriptOf(at))
  const urls = opened.doors.map(({ url }) => url)
  await opened.toolscripts.close()
  await closePipes()
  const descriptors = Math.max(0, readdirSync('/proc/self/fd').length - before)
  const files = boxes().filter((name) => !others.has(name)).length
  const processes = processesWith(urls)
  await opened.close()
  return [
    {
      name: '100 scripts in a row: processes, files and descriptors left',
      value: processes + files + descriptors,
      unit: '',
      goal: '≤ 0',
    },
  ]
}

function processesWith(urls: readonly string[]): number {
  const mine = new Set(urls)
  return readdirSync('/proc').filter(
    (name) => /^\d+$/.test(name) && [...mine].some((url) => environmentOf(name).includes(url)),
  ).length
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8')
  } catch {
    return ''
  }
}
