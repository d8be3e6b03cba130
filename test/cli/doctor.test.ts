import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { howToConfineHere } from '../../src/cli/doctor/confinement.ts'
import { runLegwork } from '../support/command.ts'
import { makeProject } from '../support/project.ts'
import { temporaryFolder } from '../support/temporary.ts'

interface Finding {
  readonly name: string
  readonly status: string
  readonly message: string
}

/** A machine with nothing on its path but a package manager. */
async function doctorWith(manager: string, cwd = temporaryFolder()) {
  const bin = join(temporaryFolder(), 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, manager), '#!/bin/sh\n')
  chmodSync(join(bin, manager), 0o755)
  const { stdout, exitCode } = await runLegwork(['doctor', '--json'], { cwd, env: { PATH: bin } })
  const { ok, findings }: { ok: boolean; findings: Finding[] } = JSON.parse(stdout)
  return { ok, exitCode, of: (name: string) => findings.find((finding) => finding.name === name) }
}

test('a fresh machine is green: nothing is configured, and what is missing comes with the command that installs it', async () => {
  const { ok, exitCode, of } = await doctorWith('apt-get')
  expect({ ok, exitCode }).toEqual({ ok: true, exitCode: 0 })
  expect(of('ruby')).toMatchObject({
    status: 'missing',
    message: expect.stringContaining('"sudo apt-get install ruby"'),
  })
  expect(of('packages')).toMatchObject({ status: 'ok' })
  expect(of('configuration')).toMatchObject({ status: 'missing', message: expect.stringContaining('"legwork init"') })
})

test.each([
  ['dnf', 'python3', 'sudo dnf install python3'],
  ['pacman', 'python3', 'sudo pacman -S python'],
  ['brew', 'git', 'brew install git'],
  ['apk', 'perl', 'sudo apk add perl'],
])('with %s, %s is got by "%s"', async (manager, name, command) => {
  expect((await doctorWith(manager)).of(name)?.message).toContain(`"${command}"`)
})

test('a model whose package is not installed is a fault that says what to install', async () => {
  const { exitCode, of } = await doctorWith('brew', makeProject({}, { model: 'cohere:command' }))
  expect(exitCode).toBe(1)
  expect(of('model')).toMatchObject({
    status: 'fault',
    message: expect.stringContaining('npm install ai @ai-sdk/cohere'),
  })
})

test('for people it ends with one sentence', async () => {
  const fine = await runLegwork(['doctor'], { cwd: makeProject() })
  expect(fine.stdout).toMatch(/\nEverything that is configured works\..*\n$/)
  const broken = await runLegwork(['doctor'], { cwd: makeProject({}, { programs: { nosuch: {} } }) })
  expect(broken.stdout).toMatch(/\n1 fault: program nosuch\.\n$/)
})

async function findingsOf(cwd: string) {
  const { stdout, exitCode } = await runLegwork(['doctor', '--json'], { cwd })
  const { findings }: { findings: Finding[] } = JSON.parse(stdout)
  return { exitCode, of: (name: string) => findings.filter((finding) => finding.name === name) }
}

describe('a journal that no call could write to is a fault', () => {
  const isRoot = process.geteuid?.() === 0

  test('its folder is no folder', async () => {
    const { exitCode, of } = await findingsOf(makeProject({}, { journal: { path: 'tools.ts/deep/legwork.db' } }))
    expect(exitCode).toBe(1)
    expect(of('journal')).toMatchObject([{ status: 'fault', message: expect.stringContaining('is no folder') }])
  })

  test.skipIf(isRoot && 'the superuser may write anywhere')('its folder may not be written to', async () => {
    const cwd = makeProject({ 'kept/there': '' }, { journal: { path: 'kept/legwork.db' } })
    chmodSync(join(cwd, 'kept'), 0o555)
    const { exitCode, of } = await findingsOf(cwd)
    chmodSync(join(cwd, 'kept'), 0o755)
    expect(exitCode).toBe(1)
    expect(of('journal')).toMatchObject([{ status: 'fault', message: expect.stringContaining('you may not write') }])
  })

  test('anybody may write in its folder', async () => {
    const cwd = makeProject({ 'open/there': '' }, { journal: { path: 'open/legwork.db' } })
    chmodSync(join(cwd, 'open'), 0o777)
    expect((await findingsOf(cwd)).of('journal')).toMatchObject([
      { status: 'fault', message: expect.stringContaining('anybody may write in its folder') },
    ])
  })

  test.skipIf(!isRoot && 'only the superuser can give a file away')("it is another user's", async () => {
    const cwd = makeProject()
    await runLegwork(['call', 'demo:echo', '{"message": "hi"}'], { cwd })
    chownSync(join(cwd, 'journal/legwork.db'), 65_534, 65_534)
    const { exitCode, of } = await findingsOf(cwd)
    expect(exitCode).toBe(1)
    expect(of('journal')).toMatchObject([{ status: 'fault', message: expect.stringContaining('another user') }])
  })
})

test('a rule that matches no tool is a warning, also where servers have to be asked first', async () => {
  const server = { command: process.execPath, args: [join(import.meta.dirname, 'none.mjs')] }
  const cwd = makeProject({}, { functions: ['./tools.ts'], policy: { allow: ['zzz:*'], deny: ['demo:*'] } })
  const { exitCode, of } = await findingsOf(cwd)
  expect(exitCode).toBe(0)
  expect(of('policy')).toEqual([
    { name: 'policy', status: 'warning', message: 'some rules do nothing\nThe rule allow "zzz:*" matches no tool.' },
  ])
  const told = await runLegwork(['doctor'], { cwd })
  expect(told.stdout).toContain('Everything that is configured works. Look at the warnings: policy.')
  // While a source does not work nobody can say whether a rule is for its tools.
  const broken = makeProject({}, { mcpServers: { zzz: server }, policy: { allow: ['zzz:*'] } })
  expect((await findingsOf(broken)).of('policy')).toEqual([])
})

test('everything is told once, and of a server that crashed the error', async () => {
  const node = (...args: readonly string[]) => ({ command: process.execPath, args })
  const cwd = makeProject(
    {},
    {
      programs: { nosuch: {}, there: { command: './bin/there' } },
      mcpServers: { dead: node('-e', "throw new Error('The key is missing.')"), shy: node('-e', 'process.exit(3)') },
    },
  )
  const { stdout } = await runLegwork(['doctor'], { cwd })
  expect(stdout).toContain('fault   server dead It ended with exit code 1. It said: Error: The key is missing.\n')
  expect(stdout).toContain('fault   server shy It ended with exit code 3.\n')
  expect(stdout.split('"nosuch" was not found')).toHaveLength(2)
  expect(stdout).toContain(`fault   program there There is no program "${join(cwd, 'bin/there')}". Check the path.\n`)
  expect(stdout.split('bin/there')).toHaveLength(2)
})

test.each<[string, Readonly<Record<string, string>>, string]>([
  ['no user namespaces', { '/proc/sys/user/max_user_namespaces': '0' }, 'sysctl user.max_user_namespaces='],
  [
    'those of Debian',
    { '/proc/sys/kernel/unprivileged_userns_clone': '0' },
    'sysctl kernel.unprivileged_userns_clone=1',
  ],
  [
    'those of Ubuntu',
    { '/proc/sys/kernel/apparmor_restrict_unprivileged_userns': '1' },
    'sysctl kernel.apparmor_restrict_unprivileged_userns=0',
  ],
  ['a container', { '/.dockerenv': '' }, '--security-opt'],
  ['nothing that can be seen', {}, 'bwrap --ro-bind'],
])('where bubblewrap is installed and does not work because of %s, it is said what to change', (_, files, advice) => {
  expect(howToConfineHere((file) => files[file])).toContain(advice)
})
