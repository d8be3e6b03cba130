import { execFile } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { findProgram } from '../../src/run/lookup.ts'
import { temporaryFolder, withoutBubblewrap } from '../fixtures/run/support.ts'

const script = join(import.meta.dirname, '../fixtures/run/without-bubblewrap.ts')

/** Runs every kind of confinement in a host whose PATH has these programs alone. */
async function inHostWith(programs: readonly string[], folder = temporaryFolder()): Promise<Record<string, unknown>> {
  for (const name of programs) {
    const found = findProgram(name, '/', process.env.PATH)
    if (found.ok) symlinkSync(found.path, join(folder, name))
  }
  const { stdout } = await promisify(execFile)(process.execPath, [script], { env: { PATH: folder } })
  return JSON.parse(stdout)
}

test('full is refused with how to get it; the others fall back, and say what held', async () => {
  const seen = await inHostWith(['sh', 'mkfifo', 'true'])
  expect(seen.available).toMatchObject({ available: false, reason: expect.stringContaining('not installed') })
  expect(seen.full).toMatchObject({
    started: false,
    reason: 'confinement',
    message: expect.stringContaining('apt install'),
  })
  for (const kind of ['auto', 'processes', 'off']) {
    expect(seen[kind]).toMatchObject({ started: true, report: { stdout: 'hello\n', containment: 'group' } })
  }
})

test('an installed bubblewrap that does not work counts as none, with its own words', async () => {
  const folder = temporaryFolder()
  const complaint = 'bwrap: Creating new namespace failed: nesting depth exceeded'
  writeFileSync(join(folder, 'bwrap'), `#!/bin/sh\necho "${complaint}" >&2\nexit 1\n`, { mode: 0o755 })
  const seen = await inHostWith(['sh', 'mkfifo'], folder)
  expect(seen.available).toMatchObject({ available: false, reason: expect.stringContaining(complaint) })
  expect(seen.auto).toMatchObject({ started: true, report: { containment: 'group' } })
})

test.skipIf(withoutBubblewrap)('without mkfifo there are no real pipes, and everything else is as before', async () => {
  const seen = await inHostWith(['sh', 'bwrap', 'cat'])
  for (const kind of ['auto', 'processes', 'off']) {
    expect(seen[kind]).toMatchObject({ started: true, report: { stdout: 'hello\n', exitCode: 3 } })
  }
  expect(seen.killed).toMatchObject({ report: { signal: 'SIGKILL' } })
  expect(seen.missing).toMatchObject({ started: false, reason: 'not-found' })
})
