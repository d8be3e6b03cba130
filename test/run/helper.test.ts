import { execFile, spawn } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { processesWith, soon, uniqueSeconds, withoutBubblewrap } from '../fixtures/run/support.ts'

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
