import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { findSystemProgram } from '../../src/run/lookup.ts'
import { withoutBubblewrap } from '../fixtures/run/support.ts'
import { withoutDeno } from '../support/toolscripts.ts'

const host = join(import.meta.dirname, '../fixtures/sandbox/host.ts')

/** Runs the host on a machine where these programs cannot be run, with a folder of its own for temporary files. */
async function without(...names: readonly ('bwrap' | 'prlimit')[]) {
  const folder = mkdtempSync(join(tmpdir(), 'legwork-test-'))
  const covers = names.flatMap((name) => ['--ro-bind', '/dev/null', findSystemProgram(name) ?? '/dev/null'])
  const args = ['--dev-bind', '/', '/', ...covers, process.execPath, host]
  try {
    const { stdout } = await promisify(execFile)('bwrap', args, { env: { PATH: process.env.PATH, TMPDIR: folder } })
    return { seen: JSON.parse(stdout), left: readdirSync(folder), folder }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test.skipIf(withoutBubblewrap || withoutDeno).each([
  ['bubblewrap', ['bwrap'], 'group', ['Bubblewrap does not work here']],
  ['bubblewrap and prlimit', ['bwrap', 'prlimit'], 'group', ['Bubblewrap', 'The limit of 512 MB does not hold']],
  ['prlimit', ['prlimit'], 'namespace', ['The limit of 512 MB does not hold']],
] as const)(
  'without %s scripts run, Deno keeps them in, and the outcome says what does not hold',
  async (_, names, containment, warnings) => {
    const { seen, left, folder } = await without(...names)
    expect(seen).toMatchObject({
      call: [{ message: 'x' }, folder],
      read: 'NotCapable',
      // In the box of bubblewrap there is nobody to ask.
      dns: containment === 'group' ? 'NotCapable' : 'Error',
      import: expect.not.stringMatching(/^read$/),
      store: '1',
      storeAgain: '1',
      endless: 'timed-out',
      containment,
      warnings: warnings.map((warning) => expect.stringContaining(warning)),
    })
    expect(left).toEqual([])
  },
)
