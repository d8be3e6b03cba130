import { execFile } from 'node:child_process'
import { readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { findSystemProgram } from '../../src/run/lookup.ts'
import { temporaryFolder, withoutBubblewrap } from '../fixtures/run/support.ts'

type SystemProgram = Parameters<typeof findSystemProgram>[0]

const script = join(import.meta.dirname, '../fixtures/run/without-bubblewrap.ts')

/** Runs every kind of confinement in a host on whose machine a file covers one of these programs; /dev/null cannot be run. */
async function inHost(
  covered: readonly (readonly [name: SystemProgram, by: string])[],
  PATH = process.env.PATH,
): Promise<Record<string, unknown>> {
  const host = [process.execPath, script]
  const covers = covered.flatMap(([name, by]) => {
    const path = findSystemProgram(name)
    return path === undefined ? [] : ['--ro-bind', by, path]
  })
  const [file = '', ...args] = covers.length ? ['bwrap', '--dev-bind', '/', '/', ...covers, ...host] : host
  const { stdout } = await promisify(execFile)(file, args, { env: { PATH } })
  return JSON.parse(stdout)
}

/** A program that says something on standard error and fails, and leaves a trace. */
function failing(folder: string, name: string, complaint: string): string {
  const path = join(folder, name)
  writeFileSync(path, `#!/bin/sh\n: > "${path}.ran"\necho "${complaint}" >&2\nexit 1\n`, { mode: 0o755 })
  return path
}

test('full is refused with how to get it; the others fall back, and say what held', async () => {
  const seen = await inHost([['bwrap', '/dev/null']])
  expect(seen.available).toMatchObject({ available: false, reason: expect.stringContaining('not installed') })
  expect(seen.full).toMatchObject({
    started: false,
    reason: 'confinement',
    message: expect.stringContaining('apt install'),
  })
  for (const kind of ['auto', 'processes', 'off']) {
    expect(seen[kind]).toMatchObject({ started: true, report: { stdout: 'hello\n', containment: 'group' } })
  }
  expect(seen.auto).toMatchObject({
    notes: [expect.stringContaining('not shut in. Bubblewrap (bwrap) is not installed')],
  })
  expect(seen.off).toMatchObject({ notes: [] })
})

describe.skipIf(withoutBubblewrap)('where bubblewrap works', () => {
  test('an installed bubblewrap that does not work counts as none, with its own words', async () => {
    const complaint = 'bwrap: Creating new namespace failed: nesting depth exceeded'
    const seen = await inHost([['bwrap', failing(temporaryFolder(), 'bwrap', complaint)]])
    expect(seen.available).toMatchObject({ available: false, reason: expect.stringContaining(complaint) })
    expect(seen.auto).toMatchObject({ started: true, report: { containment: 'group' } })
  })

  test("what is on the host's PATH takes no confinement away", async () => {
    const folder = temporaryFolder()
    symlinkSync('/bin/sh', join(folder, 'sh'))
    const seen = await inHost([], folder)
    expect(seen.available).toMatchObject({ available: true })
    for (const kind of ['full', 'auto']) {
      expect(seen[kind]).toMatchObject({ started: true, report: { containment: 'namespace' }, notes: [] })
    }
  })

  test('without mkfifo there are no real pipes, and everything else is as before', async () => {
    const seen = await inHost([['mkfifo', '/dev/null']])
    for (const kind of ['auto', 'processes', 'off']) {
      expect(seen[kind]).toMatchObject({ started: true, report: { stdout: 'hello\n', exitCode: 3 } })
    }
    expect(seen.killed).toMatchObject({ report: { signal: 'SIGKILL' } })
    expect(seen.missing).toMatchObject({ started: false, reason: 'not-found' })
  })

  test('without prlimit the program runs, and the notes say which limits do not hold', async () => {
    const seen = await inHost([['prlimit', '/dev/null']])
    for (const kind of ['limitedFull', 'limitedProcesses', 'limitedOff']) {
      expect(seen[kind]).toMatchObject({
        started: true,
        report: { exitCode: 3 },
        notes: [expect.stringMatching(/--data=\d+ --cpu=5:6 do not hold: "prlimit"/)],
      })
    }
  })

  test('what the PATH offers in their place is never run', async () => {
    const folder = temporaryFolder()
    for (const name of ['bwrap', 'mkfifo', 'prlimit']) failing(folder, name, 'planted')
    const seen = await inHost([], `${folder}:${process.env.PATH}`)
    expect(readdirSync(folder).filter((name) => name.endsWith('.ran'))).toEqual([])
    for (const kind of ['full', 'auto', 'processes']) {
      expect(seen[kind]).toMatchObject({ started: true, report: { containment: 'namespace', exitCode: 3 } })
    }
    expect(seen.limitedOff).toMatchObject({ started: true, report: { exitCode: 3 }, notes: [] })
  })
})
