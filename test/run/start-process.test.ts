import { spawn } from 'node:child_process'
import { once } from 'node:events'
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
