import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Confinement } from '../../src/run/confinement.ts'
import { startProcess } from '../../src/run/start-process.ts'
import { kinds, openDescriptors, processesWith, soon, uniqueSeconds } from '../fixtures/run/support.ts'

const startFile = new URL('../../src/run/start-process.ts', import.meta.url).href

/** A process that is expected to start, with all that it has printed. */
async function start(argv: readonly string[], confine: Confinement = 'off') {
  const printed = { stdout: '', stderr: '' }
  const onOutput = (stream: 'stdout' | 'stderr', text: string) => {
    printed[stream] += text
  }
  const started = await startProcess({ argv, confine, cwd: tmpdir(), onOutput })
  if (!started.started) throw new Error(JSON.stringify(started.ended))
  onTestFinished(() => started.end())
  return { ...started, printed }
}

describe.each(kinds)('confine: %s', (confine) => {
  test('a process that stays is written to and listened to, and leaves when its input is closed', async () => {
    const { write, printed, end, ended } = await start(['sh', '-c', 'echo aside >&2; cat; echo bye'], confine)
    write('one\n')
    expect(await soon(() => printed.stdout === 'one\n')).toBe(true)
    write('two\n')
    expect(await soon(() => printed.stdout === 'one\ntwo\n')).toBe(true)
    await end()
    expect(printed).toEqual({ stdout: 'one\ntwo\nbye\n', stderr: 'aside\n' })
    expect(await ended).toMatchObject({ started: true, report: { exitCode: 0 } })
  })

  test('one that does not leave is ended with its whole tree', async () => {
    const seconds = uniqueSeconds()
    const script = `trap "" TERM; sleep ${seconds} & sleep ${seconds}; sleep ${seconds}`
    const { end } = await start(['sh', '-c', script], confine)
    expect(await soon(() => processesWith(seconds).length >= 2)).toBe(true)
    const before = performance.now()
    await Promise.all([end(), end()])
    expect(performance.now() - before).toBeLessThan(2_000)
    expect(await soon(() => processesWith(seconds).length === 0)).toBe(true)
  })

  test('one that ends by itself says how, and takes what it left with it', async () => {
    const seconds = uniqueSeconds()
    const { ended, write } = await start(['sh', '-c', `sleep ${seconds} & exit 7`], confine)
    expect(await ended).toMatchObject({ started: true, report: { exitCode: 7 } })
    expect(await soon(() => processesWith(seconds).length === 0)).toBe(true)
    write('nobody reads this')
  })

  test('a program that is not there is told as such', async () => {
    const started = await startProcess({ argv: ['no-such-4711'], confine, cwd: tmpdir(), onOutput: () => {} })
    const end = started.started ? await started.ended : started.ended
    expect(end).toMatchObject({ started: false, reason: 'not-found' })
  })
})

test('a megabyte passes in both directions', async () => {
  const { write, printed, end } = await start(['cat'])
  const line = `${'x'.repeat(1_048_576)}\n`
  write(line)
  expect(await soon(() => printed.stdout.length === line.length)).toBe(true)
  await end()
})

test('no descriptor is left', async () => {
  await (await start(['cat'])).end()
  const before = openDescriptors()
  for (let round = 0; round < 10; round++) await (await start(['cat'])).end()
  expect(await soon(() => openDescriptors() <= before)).toBe(true)
})

test('a host that leaves without a word takes it along', async () => {
  const seconds = uniqueSeconds()
  const host = `
    const { startProcess } = await import('${startFile}')
    await startProcess({ argv: ['sh', '-c', 'sleep ${seconds}'], confine: 'off', cwd: '/', onOutput: () => {} })
    process.stdout.write('up')
    process.stdin.once('data', () => process.exit())`
  const child = spawn(process.execPath, ['--input-type=module', '-e', host], { stdio: ['pipe', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  child.stdin.write('go')
  await once(child, 'exit')
  expect(await soon(() => processesWith(`sleep ${seconds}`).length === 0)).toBe(true)
})

test('a host that is killed takes a process along that heeds neither the end of its input nor a signal, and what that has started', async () => {
  const seconds = uniqueSeconds()
  const stubborn = `trap "" TERM HUP INT; (trap "" TERM; sleep ${seconds}; sleep ${seconds}) & sleep ${seconds}; sleep ${seconds}`
  const host = `
      const { startProcess } = await import('${startFile}')
      await startProcess({ argv: ['sh', '-c', '${stubborn}'], confine: 'off', cwd: '/', onOutput: () => {} })
      const done = await startProcess({ argv: ['sh', '-c', 'exit 0'], confine: 'off', cwd: '/', onOutput: () => {} })
      await done.ended
      process.stdout.write('up')
      setInterval(() => {}, 1_000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', host], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  expect(await soon(() => processesWith(`sleep ${seconds}`).length >= 3)).toBe(true)
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(await soon(() => processesWith(seconds).length === 0)).toBe(true)
})

test('a host whose processes have gone ends by itself, and nothing of its own stays', async () => {
  const host = `
    const { startProcess } = await import('${startFile}')
    const { end, pid } = await startProcess({ argv: ['cat'], confine: 'off', cwd: '/', onOutput: () => {} })
    await end()
    const { readFileSync } = await import('node:fs')
    console.log(readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8').trim())`
  const child = spawn(process.execPath, ['--input-type=module', '-e', host], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [printed] = await Promise.all([once(child.stdout, 'data'), once(child, 'exit')])
  const watchers = String(printed).trim().split(' ').filter(Boolean).map(Number)
  expect(await soon(() => watchers.every((pid) => !isRunning(pid)))).toBe(true)
})

function isRunning(pid: number): boolean {
  try {
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

test('what a process does not read is held up to a bound', async () => {
  const { write, end } = await start(['sleep', uniqueSeconds()])
  const text = 'x'.repeat(8_388_608)
  let written = 0
  while (write(text) && written < 100) written++
  expect(written).toBeGreaterThan(6)
  expect(written).toBeLessThan(10)
  await end()
})
