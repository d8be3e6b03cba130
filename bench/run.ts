// The runner: a program through the whole path against bubblewrap alone, from a small host and from a large one, and a flood of output.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLegwork, type Legwork } from 'legwork'
import { prepareCommand } from '../src/run/command.ts'
import { confinementAvailable } from '../src/run/confinement.ts'
import { type Measurement, p50, sideBySide } from './measure.ts'

const kinds = ['off', 'processes', 'full'] as const
const effects = { destructive: false, network: false, filesystem: { write: false } }

export async function benchRun(): Promise<readonly Measurement[]> {
  const { available } = await confinementAvailable()
  const folder = mkdtempSync(join(tmpdir(), 'legwork-bench-'))
  const legwork = await openPrograms(folder)
  try {
    return [
      ...(available ? await againstBubblewrap(legwork, folder) : []),
      ...(await flood(legwork)),
      ...(await largeHost(legwork)),
    ]
  } finally {
    await legwork.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The same small programs under each kind of confinement. */
async function openPrograms(folder: string): Promise<Legwork> {
  const programs: Record<string, object> = {}
  for (const confine of kinds) {
    const nothing = { name: confine, trust: 'vendor', effects, commands: { '': { description: 'Nothing' } } }
    writeFileSync(join(folder, `${confine}.json`), JSON.stringify(nothing))
    programs[confine] = { metadata: `./${confine}.json`, command: '/bin/true', confine }
  }
  const argument = { name: 'path', type: 'file', description: 'A file' }
  const reading = {
    name: 'cat',
    trust: 'vendor',
    effects,
    commands: { '': { description: 'Reads', arguments: [argument] } },
  }
  const taking = {
    name: 'head',
    trust: 'vendor',
    effects,
    commands: {
      '': {
        description: 'Takes',
        arguments: [argument],
        options: [{ name: 'bytes', flags: ['--bytes'], type: 'integer', description: 'How many' }],
      },
    },
  }
  writeFileSync(join(folder, 'cat.json'), JSON.stringify(reading))
  writeFileSync(join(folder, 'head.json'), JSON.stringify(taking))
  return createLegwork({
    workspace: folder,
    programs: { ...programs, cat: { metadata: './cat.json' }, head: { metadata: './head.json' } },
    journal: { path: join(folder, 'legwork.db') },
  })
}

async function againstBubblewrap(legwork: Legwork, folder: string): Promise<Measurement[]> {
  const measurements: Measurement[] = []
  for (const kind of ['processes', 'full'] as const) {
    const flags = await bubblewrapFlags(kind, folder)
    const bare = async () => {
      await once(
        spawn(flags.file, flags.args, { cwd: '/' }).on('error', () => {}),
        'close',
      )
    }
    const timings = await sideBySide({ bare, legwork: () => legwork.call({ tool: kind }) }, { rounds: 150 })
    const value = p50(timings.legwork) / p50(timings.bare)
    measurements.push({
      name: `execute with "${kind}" against bubblewrap alone, p50`,
      value,
      unit: '×',
      goal: '≤ 1.15',
    })
  }
  return measurements
}

/** What the runner would start, without the descriptor that only it reads. */
async function bubblewrapFlags(
  confine: 'processes' | 'full',
  folder: string,
): Promise<{ file: string; args: string[] }> {
  const profile = { readable: [folder], workspace: folder }
  const command = await prepareCommand({ argv: ['/bin/true'], cwd: folder, confine, profile })
  if (!command.ok) throw new Error(command.message)
  const at = command.args.indexOf('--json-status-fd')
  return { file: command.file, args: [...command.args.slice(0, at), ...command.args.slice(at + 2)] }
}

async function flood(legwork: Legwork): Promise<Measurement[]> {
  const before = process.memoryUsage.rss()
  let most = before
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss())
  }, 20)
  const outcome = await legwork.call({
    tool: 'head',
    input: { path: '/dev/zero', bytes: 10_000_000_000 },
    timeoutMs: 120_000,
  })
  clearInterval(watch)
  const grown = (most - before) / 1_048_576
  return [
    { name: 'bytes of a flood that were counted', value: (outcome.process?.stdoutBytes ?? 0) / 1e9, unit: 'GB' },
    { name: '10 GB of output: growth of resident memory', value: grown, unit: 'MB', goal: '≤ 64' },
  ]
}

/** Buffers make a host large in the way that costs a fork most. */
async function largeHost(legwork: Legwork): Promise<Measurement[]> {
  const call = () => legwork.call({ tool: 'off' })
  const small = p50((await sideBySide({ call }, { rounds: 60 })).call)
  const weight = Array.from({ length: 20 }, () => Buffer.alloc(100 * 1_048_576, 1))
  const large = p50((await sideBySide({ call }, { rounds: 60, warmUp: 10 })).call)
  const name = `execute from a host of ${weight.length / 10} GB against a small one, p50`
  return [{ name, value: large / small, unit: '×', goal: '≤ 1.5' }]
}
