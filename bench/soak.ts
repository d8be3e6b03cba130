// `npm run soak [N]`: minutes of what tests try for seconds. Timeouts of trees that will not go, and hosts that are killed.

import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createLegwork } from 'legwork'
import { openJournal } from '../src/journal/open.ts'
import { closePipes } from '../src/run/pipes.ts'
import { type Measurement, percentile, printTable } from './measure.ts'

const timeouts = Number(process.argv[2] ?? 10_000)
const kills = Number(process.argv[3] ?? Math.ceil(timeouts / 10))
const effects = { destructive: false, network: false, filesystem: { write: false } }
const words = ['file', 'mark'].map((name) => ({ name, type: 'string', description: name }))
const metadata = { name: 'sh', trust: 'vendor', effects, commands: { '': { description: 'Runs', arguments: words } } }
const mark = `soak${process.pid}x`

const folder = mkdtempSync(join(tmpdir(), 'legwork-soak-'))
writeFileSync(join(folder, 'sh.json'), JSON.stringify(metadata))
writeFileSync(
  join(folder, 'tree.sh'),
  `echo begun\nsetsid sh -c 'trap "" TERM; sleep 60; : '"$1" & trap "" TERM; sleep 60; : "$1"\n`,
)
try {
  printTable(`${timeouts} timeouts of a tree with setsid and children that ignore TERM`, await soakTimeouts())
  printTable(`${kills} hosts killed with kill -9 in mid-call`, await soakKills())
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function soakTimeouts(): Promise<Measurement[]> {
  const legwork = await createLegwork({
    workspace: folder,
    programs: { sh: { metadata: './sh.json' } },
    journal: { path: join(folder, 'timeouts.db') },
  })
  const call = () => legwork.call({ tool: 'sh', input: { file: 'tree.sh', mark }, timeoutMs: 250 })
  await call()
  await closePipes()
  const descriptors = readdirSync('/proc/self/fd').length
  const files = readdirSync(tmpdir()).length
  const took: number[] = []
  let begun = 0
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      while (begun++ < timeouts) {
        const started = performance.now()
        await call()
        took.push(performance.now() - started)
      }
    }),
  )
  const left = marked().length
  const chain = legwork.journal.verify()
  await legwork.close()
  await closePipes()
  return [
    { name: 'processes left', value: left, unit: '', goal: '≤ 0' },
    { name: 'descriptors left', value: readdirSync('/proc/self/fd').length - descriptors, unit: '', goal: '≤ 0' },
    { name: 'temporary files left', value: readdirSync(tmpdir()).length - files, unit: '', goal: '≤ 0' },
    {
      name: 'within ±100 ms',
      value: (100 * took.filter((ms) => ms < 350).length) / took.length,
      unit: '%',
      goal: '≥ 99',
    },
    { name: 'p50', value: percentile(took, 0.5), unit: 'ms' },
    { name: 'p99', value: percentile(took, 0.99), unit: 'ms' },
    { name: 'journal entries, all of them in a whole chain', value: chain.ok ? chain.entries : -1, unit: '' },
  ]
}

async function soakKills(): Promise<Measurement[]> {
  let lost = 0
  let broken = 0
  let orphans = 0
  let seen = 0
  for (let round = 0; round < kills; round++) {
    const told = await killHost()
    seen += told.size
    await sleep(20)
    for (let waited = 0; marked().length && waited < 1_000; waited += 50) await sleep(50)
    orphans += marked().length
    if (round % 20 && round !== kills - 1) continue
    const journal = openJournal({ path: join(folder, 'legwork.db') })
    if (!journal.verify().ok) broken++
    for (const callId of told) if (journal.read({ callId, phase: 'start' }).length !== 1) lost++
    journal.close()
  }
  return [
    { name: 'calls that had begun', value: seen, unit: '' },
    { name: 'of those looked up, without their entry', value: lost, unit: '', goal: '≤ 0' },
    { name: 'chains that do not verify', value: broken, unit: '', goal: '≤ 0' },
    { name: 'processes left a second later', value: orphans, unit: '', goal: '≤ 0' },
  ]
}

/** Starts a host and kills it at some moment; the ids of the calls whose program had begun. */
async function killHost(): Promise<Set<string>> {
  const host = spawn(process.execPath, [join(import.meta.dirname, 'soak-host.ts'), folder, mark], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const told = new Set<string>()
  const ended = new Promise((resolve) => host.on('close', resolve))
  let text = ''
  host.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  while (!text) await sleep(5)
  await sleep(Math.random() * 100)
  host.kill('SIGKILL')
  await ended
  for (const id of text.split('\n').slice(0, -1)) told.add(id)
  return told
}

function marked(): string[] {
  return readdirSync('/proc').filter((entry) => {
    if (!/^\d+$/.test(entry) || Number(entry) === process.pid) return false
    try {
      return readFileSync(`/proc/${entry}/cmdline`, 'utf8').includes(mark)
    } catch {
      return false
    }
  })
}
