import { execFile, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { connectHelper } from '../../src/run/helper-connection.ts'
import {
  endProcessesWith,
  processesWith,
  soon,
  temporaryFolder,
  uniqueSeconds,
  withoutBubblewrap,
} from '../fixtures/run/support.ts'

const folder = join(import.meta.dirname, '../fixtures/run')

describe.skipIf(withoutBubblewrap)('a large host', () => {
  let seen: Record<string, unknown> = {}
  beforeAll(async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'large-host.ts')])
    seen = JSON.parse(stdout)
  })

  test('has its programs started by the helper', () => {
    expect(seen.parentOfChild).toBe(seen.helperPid)
  })

  test.each([
    ['plain', { exitCode: 3, stdout: 'out\n', stderr: 'err\n', containment: 'group' }],
    ['confined', { exitCode: 3, stdout: 'out\n', containment: 'namespace' }],
    ['smallInput', { exitCode: 0, stdout: 'small' }],
    ['largeInput', { exitCode: 0, stdout: '5000000\n' }],
    ['signalled', { exitCode: null, signal: 'SIGSEGV' }],
    ['timedOut', { exitCode: null, signal: 'SIGKILL' }],
    ['afterwards', { exitCode: 0, stdout: 'still works\n' }],
  ])('gets the same report as any other: %s', (name, expected) => {
    expect(seen[name]).toMatchObject(expected)
  })

  test('gets the same refusals as any other', () => {
    const { missing, missingConfined, tooLarge } = seen
    expect({ missing, missingConfined, tooLarge }).toEqual({
      missing: 'not-found',
      missingConfined: 'not-found',
      tooLarge: 'too-large',
    })
  })

  test('keeps many at once apart', () => {
    expect(seen.many).toMatchObject(Array.from({ length: 20 }, (_, at) => ({ stdout: `${at}\n` })))
  })

  test('leaves no descriptor open', () => {
    expect(seen.descriptorsLeft).toBe(0)
  })

  test('goes on when the helper is killed', () => {
    expect(seen.helperKilled).toMatchObject({ signal: 'SIGKILL', stdout: 'up\n' })
  })

  test.each(['off', 'processes', 'full'])('that is killed leaves nothing behind, with confine: %s', async (confine) => {
    const seconds = uniqueSeconds()
    const arguments_ = [join(folder, 'host.ts'), confine, seconds, 'large']
    const host = spawn(process.execPath, arguments_, { stdio: ['ignore', 'pipe', 'ignore'] })
    let output = ''
    host.stdout.on('data', (chunk) => {
      output += chunk
    })
    const gone = new Promise((settle) => host.on('exit', settle))
    expect(await soon(() => output.split('up').length > 3)).toBe(true)
    host.kill('SIGKILL')
    await gone
    expect(await soon(() => processesWith(seconds).length === 0)).toBe(true)
  })
})

describe('a helper that is stopped', () => {
  let seen: Record<string, { tookMs: number; report: object }> = {}
  let about: Record<string, unknown> = {}
  beforeAll(async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'stopped-helper.ts')])
    seen = JSON.parse(stdout)
    about = JSON.parse(stdout)
  })

  test.each(['toStart', 'withoutPipes'])('holds up nobody beyond their deadline: %s', (name) => {
    expect(seen[name]?.report).toMatchObject({ exitCode: null, stdout: '' })
    expect(seen[name]?.tookMs).toBeGreaterThan(290)
    expect(seen[name]?.tookMs).toBeLessThan(900)
  })

  test('does not hold up the end of what it has started', () => {
    expect(seen.running?.report).toMatchObject({ exitCode: null, stdout: 'up\n' })
    expect(seen.running?.tookMs).toBeLessThan(1_200)
  })

  test('is given up, and the host starts programs itself', () => {
    expect(about.givenUp).toBe(true)
    expect(seen.startedHere?.report).toMatchObject({ exitCode: 0, stdout: `${about.hostPid}\n` })
    expect(seen.startedHere?.tookMs).toBeLessThan(2_000)
    expect(seen.refilled?.report).toMatchObject({ exitCode: 0, stdout: 'ran\n' })
    expect(seen.refilled?.tookMs).toBeLessThan(2_500)
  })
})

describe('a helper with a fault', () => {
  /** Asks a faulty helper to start a program that leaves a line in a file and stays. */
  const launchWith = async (fault: string) => {
    const seconds = uniqueSeconds()
    const file = join(temporaryFolder(), 'lines')
    const child = fork(join(folder, 'faulty-helper.ts'), [fault], { execArgv: [], detached: true })
    onTestFinished(() => {
      child.kill('SIGKILL')
      endProcessesWith(seconds)
    })
    await once(child, 'message')
    const output = openSync(join(temporaryFolder(), 'output'), 'w')
    onTestFinished(() => closeSync(output))
    const launched = await connectHelper(child, () => {}).launch({
      file: 'sh',
      args: ['-c', `echo line >> ${file}; setsid sleep ${seconds} & sleep ${seconds}`],
      cwd: '/',
      environment: { PATH: '/usr/bin:/bin' },
      stdio: ['ignore', output, output],
    })
    return { launched, lines: existsSync(file) ? readFileSync(file, 'utf8') : '', left: () => processesWith(seconds) }
  }

  test.each(['dies at once', 'says nothing'])('%s: nothing was started, and the host is to do it', async (fault) => {
    const { launched, lines } = await launchWith(fault)
    expect(launched).toBe(undefined)
    expect(lines).toBe('')
  })

  test.each(['dies after the start', 'is silent after the start'])(
    '%s: the program is ended and not started again',
    async (fault) => {
      const { launched, lines, left } = await launchWith(fault)
      expect(launched).toBe('cut-short')
      expect(lines).toBe('line\n')
      expect(await soon(() => left().length === 0)).toBe(true)
    },
  )
})

test('a helper whose host has been killed starts nothing more', async () => {
  const file = join(temporaryFolder(), 'made')
  const host = spawn(process.execPath, [join(folder, 'dying-host.ts'), file], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  host.stdout.on('data', (chunk) => {
    output += chunk
  })
  await once(host, 'exit')
  expect(await soon(() => output.endsWith('\n'))).toBe(true)
  process.kill(Number(output), 'SIGCONT')
  expect(await soon(() => processesWith('helper-main').every((pid) => pid !== Number(output)))).toBe(true)
  expect(existsSync(file)).toBe(false)
})
