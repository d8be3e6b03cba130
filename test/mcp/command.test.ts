import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { processesWith, soon } from '../fixtures/run/support.ts'
import { runLegwork } from '../support/command.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { serverFile } from './support.ts'

function project(): string {
  const cwd = temporaryFolder()
  const server = (mode: string) => ({ command: process.execPath, args: [serverFile, mode, join(cwd, mode)] })
  const mcpServers = { good: server('plain'), bad: server('exit'), missing: { command: 'no-such-program-4711' } }
  const policy = { allow: ['good:*'] }
  writeFileSync(join(cwd, 'legwork.jsonc'), JSON.stringify({ mcpServers, policy, journal: { path: './journal.db' } }))
  return cwd
}

const licence = 'server bad: It ended with exit code 3. It said: first line | The licence has run out.'
const absent = 'server missing: The program "no-such-program-4711" was not found on the PATH.'

test('tools lists the servers that work, says why the others do not, and leaves no process', async () => {
  const cwd = project()
  const listed = await runLegwork(['tools'], { cwd })
  expect(listed.exitCode).toBe(0)
  expect(listed.stdout).toContain('good:echo')
  expect(listed.stderr).toContain(licence)
  expect(listed.stderr).toContain(absent)
  expect(await soon(() => processesWith(cwd).length === 0)).toBe(true)
})

test('doctor says which servers work and why the others do not', async () => {
  const cwd = project()
  const { exitCode, stdout } = await runLegwork(['doctor', '--json'], { cwd })
  const findings = JSON.parse(stdout).findings as { name: string; status: string; message: string }[]
  const servers = Object.fromEntries(findings.map(({ name, status, message }) => [name, `${status} ${message}`]))
  expect(exitCode).toBe(1)
  expect(servers['server good']).toMatch(/^ok \d+ tools/)
  // Its name stands in front already.
  expect(servers['server bad']).toBe(`fault ${licence.replace('server bad: ', '')}`)
  expect(servers['server missing']).toContain(`fault ${absent.replace('server missing: ', '')}`)
})

test('a call to one server starts that one and leaves no process', async () => {
  const cwd = project()
  const called = await runLegwork(['call', 'good.json'], { cwd })
  expect(called).toMatchObject({ exitCode: 0, stderr: '' })
  expect(JSON.parse(called.stdout)).toEqual({ a: [1, 2] })
  expect(await soon(() => processesWith(cwd).length === 0)).toBe(true)
})
