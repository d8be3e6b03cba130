// Skills: finding them and their scripts, what a run costs beside its interpreter, how punctual timeouts are, a flood of
// output, and a script that is exchanged for a link while it starts.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { SkillManager } from 'legwork/skill'
import { confinementAvailable } from '../src/run/confinement.ts'
import { detectScripts } from '../src/skill/detect.ts'
import { readSkill } from '../src/skill/skill.ts'
import { type Measurement, p50, percentile, sideBySide } from './measure.ts'

export async function benchSkill(): Promise<readonly Measurement[]> {
  const folder = mkdtempSync(join(tmpdir(), 'legwork-bench-'))
  try {
    return [
      ...detection(join(folder, 'detection')),
      ...discovery(join(folder, 'discovery')),
      ...(await overhead(join(folder, 'overhead'))),
      ...(await timeouts(join(folder, 'timeouts'))),
      ...(await flood(join(folder, 'flood'))),
      ...(await races(join(folder, 'races'))),
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const python = `#!/usr/bin/env python3
"""Takes a page apart."""

import argparse
import sys


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file", help="The file")
    parser.add_argument("--page", type=int, default=1, help="Which page")
    arguments = parser.parse_args()
    sys.stdout.write(arguments.file)


if __name__ == "__main__":
    main()
`

function write(base: string, files: Readonly<Record<string, string>>): string {
  const name = base.replace(/^.*\//, '')
  const all = {
    'SKILL.md': `---\nname: ${name}\ndescription: Does things when they are wanted.\n---\nDo it.\n`,
    ...files,
  }
  mkdirSync(join(base, 'scripts'), { recursive: true })
  for (const [file, text] of Object.entries(all)) writeFileSync(join(base, file), text)
  return base
}

function detection(folder: string): Measurement[] {
  const scripts = Array.from({ length: 50 }, (_, at) => [`scripts/s${at}.py`, python])
  const skill = readSkill(write(join(folder, 'many'), Object.fromEntries(scripts)))
  if (!skill) throw new Error('The skill is missing.')
  const took = Array.from({ length: 200 }, () => timed(() => detectScripts(skill)))
  return [{ name: 'detection of 50 scripts, p95', value: percentile(took, 0.95), unit: 'ms', goal: '≤ 3' }]
}

function discovery(folder: string): Measurement[] {
  for (let at = 0; at < 2_000; at++) write(join(folder, `skill-${at}`), {})
  const took = Array.from({ length: 5 }, () => timed(() => new SkillManager({ skills: [folder] }).listSkills()))
  return [{ name: '2,000 skills discovered, p50', value: p50(took), unit: 'ms', goal: '≤ 300' }]
}

function timed(work: () => unknown): number {
  const started = performance.now()
  work()
  return performance.now() - started
}

async function overhead(folder: string): Promise<Measurement[]> {
  const base = write(join(folder, 'nothing'), { 'scripts/nothing.py': 'import sys\nsys.exit(0)\n' })
  const script = join(base, 'scripts/nothing.py')
  const bare = async () => void (await once(spawn('python3', [script], { cwd: base }), 'close'))
  const measurements: Measurement[] = []
  const goals = { off: '≤ 1.2', auto: '≤ 1.6' } as const
  const { available } = await confinementAvailable()
  for (const confine of available ? (['off', 'auto'] as const) : (['off'] as const)) {
    const manager = new SkillManager({ skills: [folder], workspace: folder, confine })
    const ours = () => manager.executeSkillScript('nothing', 'nothing')
    const { bare: alone, ours: whole } = await sideBySide({ bare, ours }, { rounds: 100 })
    const added = whole.map((ms, at) => ms - (alone[at] ?? 0))
    const how = confine === 'off' ? 'unconfined' : 'confined'
    measurements.push(
      {
        name: `a Python script ${how} against a bare spawn, p50`,
        value: p50(whole) / p50(alone),
        unit: '×',
        goal: goals[confine],
      },
      { name: `the same, added, p95`, value: percentile(added, 0.95), unit: 'ms', goal: '≤ 50' },
    )
    await manager.close()
  }
  return measurements
}

async function timeouts(folder: string): Promise<Measurement[]> {
  write(join(folder, 'slow'), { 'scripts/slow.sh': 'trap "" TERM\nwhile true; do sleep 0.05; done\n' })
  const manager = new SkillManager({ skills: [folder], workspace: folder, timeout: 1 })
  const off: number[] = []
  for (let batch = 0; batch < 50; batch++) {
    const runs = Array.from({ length: 4 }, () => manager.executeSkillScript('slow', 'slow'))
    for (const { execution_time_ms } of await Promise.all(runs)) off.push(Math.abs(execution_time_ms - 1_000))
  }
  await manager.close()
  return [{ name: '200 timeouts of 1 s: distance, p99', value: percentile(off, 0.99), unit: 'ms', goal: '≤ 100' }]
}

async function flood(folder: string): Promise<Measurement[]> {
  write(join(folder, 'flood'), { 'scripts/flood.sh': 'yes | head -c 300000000\n', 'scripts/nothing.sh': ':\n' })
  const manager = new SkillManager({ skills: [folder], workspace: folder })
  await manager.executeSkillScript('flood', 'nothing')
  const before = process.memoryUsage.rss()
  let most = before
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss())
  }, 10)
  await manager.executeSkillScript('flood', 'flood')
  clearInterval(watch)
  await manager.close()
  const value = (most - before) / 1_048_576
  return [{ name: '300 MB of output: growth of resident memory', value, unit: 'MB', goal: '≤ 64' }]
}

async function races(folder: string): Promise<Measurement[]> {
  const base = write(join(folder, 'raced'), { 'good.sh': 'echo good\n' })
  const script = join(base, 'script.sh')
  const evil = join(folder, 'evil.sh')
  writeFileSync(evil, 'echo evil\n')
  symlinkSync('good.sh', script)
  const measurements: Measurement[] = []
  for (const how of ['link', 'file'] as const) {
    const workerData = { script, good: 'good.sh', evil, how }
    const worker = new Worker(new URL('../test/fixtures/skill/swap.ts', import.meta.url), { workerData })
    const manager = new SkillManager({ skills: [folder], workspace: folder })
    const amount = how === 'link' ? 10_000 : 500
    let lost = 0
    for (let race = 0; race < amount; race++) {
      const output = await manager.executeSkillScript('raced', 'script.sh').then(({ stdout }) => stdout, String)
      if (output.includes('evil\n')) lost++
    }
    await worker.terminate()
    await manager.close()
    measurements.push({ name: `${amount} races against an exchanged ${how}: lost`, value: lost, unit: '', goal: '≤ 0' })
  }
  return measurements
}
