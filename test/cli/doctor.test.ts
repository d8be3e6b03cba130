import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
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
