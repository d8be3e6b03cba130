// The one path against the bare thing: a program against its spawn, a function against calling it, the command against Node.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLegwork, defineTool, type Legwork } from 'legwork'
import { bareSpawn } from './bare-spawn.ts'
import { type Measurement, p50, sideBySide } from './measure.ts'

const cli = new URL('../dist/cli/main.js', import.meta.url).pathname

export async function benchPath(): Promise<readonly Measurement[]> {
  const folder = mkdtempSync(join(tmpdir(), 'legwork-bench-'))
  writeFileSync(
    join(folder, 'true.json'),
    JSON.stringify({ atip: '0.6', name: 'true', commands: { '': { description: 'Nothing' } }, effects: harmless }),
  )
  const legwork = await createLegwork({
    workspace: folder,
    functions: [add],
    programs: { true: { metadata: './true.json', trust: 'vendor', confine: 'off' } },
    journal: { path: join(folder, 'legwork.db') },
  })
  try {
    return [...(await programs(legwork)), ...(await functions(legwork)), ...(await command()), ...(await resolving())]
  } finally {
    await legwork.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const harmless = { destructive: false, network: false, filesystem: { write: false } } as const

const add = defineTool({
  name: 'bench:add',
  description: 'Adds',
  input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
  effects: harmless,
  run: ({ a, b }) => Number(a) + Number(b),
})

async function programs(legwork: Legwork): Promise<Measurement[]> {
  const timings = await sideBySide({ bare: bareSpawn, legwork: () => legwork.call({ tool: 'true' }) }, { rounds: 300 })
  return [
    { name: 'a bare spawn of true, p50', value: p50(timings.bare), unit: 'ms' },
    {
      name: 'execute of a program against a bare spawn, p50',
      value: p50(timings.legwork) / p50(timings.bare),
      unit: '×',
      goal: '≤ 1.15',
    },
  ]
}

async function functions(legwork: Legwork): Promise<Measurement[]> {
  const bare = async () => add.run({ a: 1, b: 2 }, undefined as never)
  const timings = await sideBySide(
    { bare, legwork: () => legwork.call({ tool: 'bench:add', input: { a: 1, b: 2 } }) },
    { rounds: 5_000 },
  )
  const added = (p50(timings.legwork) - p50(timings.bare)) * 1_000
  return [{ name: 'execute of a function beyond calling it, journal on, p50', value: added, unit: 'µs', goal: '≤ 90' }]
}

async function command(): Promise<Measurement[]> {
  const bare = () => spawnSync(process.execPath, ['-e', '0'])
  const version = () => spawnSync(process.execPath, [cli, '--version'])
  const help = () => spawnSync(process.execPath, [cli, '--help'])
  const timings = await sideBySide({ bare, version, help }, { rounds: 40 })
  return [
    { name: 'node -e 0, p50', value: p50(timings.bare), unit: 'ms' },
    {
      name: 'legwork --version against node -e 0, p50',
      value: p50(timings.version) / p50(timings.bare),
      unit: '×',
      goal: '≤ 1.5',
    },
    { name: 'legwork --help against node -e 0, p50', value: p50(timings.help) / p50(timings.bare), unit: '×' },
  ]
}

async function resolving(): Promise<Measurement[]> {
  const few = await many(10)
  const lots = await many(100_000)
  const lookups = (catalogue: Legwork, amount: number) => {
    const names = Array.from({ length: 1_000 }, (_, at) => `bench:tool${(at * 7_919) % amount}`)
    return async () => {
      for (const name of names) await catalogue.tool(name)
    }
  }
  const contestants = { few: lookups(few, 10), hot: lookups(lots, 10), spread: lookups(lots, 100_000) }
  const timings = await sideBySide(contestants, { rounds: 100 })
  await Promise.all([few.close(), lots.close()])
  const against = (name: 'hot' | 'spread') => p50(timings[name]) / p50(timings.few)
  const among = 'resolve among 100,000 tools against among 10, p50'
  return [
    { name: `${among}, the same ten names`, value: against('hot'), unit: '×', goal: '≤ 1.2' },
    { name: `${among}, names all over`, value: against('spread'), unit: '×', goal: '≤ 1.2' },
  ]
}

function many(amount: number): Promise<Legwork> {
  const functions = Array.from({ length: amount }, (_, at) => {
    return defineTool({ name: `bench:tool${at}`, description: `Number ${at}`, effects: harmless, run: () => at })
  })
  return createLegwork({ functions, journal: { path: ':memory:' } })
}
