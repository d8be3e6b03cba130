import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandFile, runLegwork } from '../support/command.ts'
import { exampleConfiguration, makeProject } from '../support/project.ts'

const json = (text: string) => JSON.parse(text)

async function ask(cwd: string, input = '{"what": "it"}') {
  const { stdout, exitCode } = await runLegwork(['call', 'demo:destroy', input, '--json'], { cwd })
  return { exitCode, ...json(stdout) }
}

test('a call without a terminal waits; approve lists it, shows it and says yes; the same call then runs, once', async () => {
  const cwd = makeProject()
  const first = await ask(cwd)
  expect(first).toMatchObject({ exitCode: 4, code: 'approval-needed', approval: { id: expect.any(String) } })
  const { id } = first.approval
  const listed = await runLegwork(['approve'], { cwd })
  expect(listed.stdout).toMatch(new RegExp(`^${id} +demo:destroy +command-line +\\d+ (s|min) left +.*destructive`, 'm'))
  const answered = await runLegwork(['approve', id, '--yes', '--reason', 'go on'], { cwd })
  expect(answered).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^Approved\./) })
  expect(answered.stderr).toContain('"what": "it"')
  expect(await ask(cwd, '{"what": "more"}')).toMatchObject({ exitCode: 4 })
  expect(await ask(cwd)).toMatchObject({ exitCode: 0, value: 'gone' })
  expect(await ask(cwd)).toMatchObject({ exitCode: 4, approval: { id: expect.not.stringMatching(id) } })
})

test('--no refuses; the call is denied with the reason', async () => {
  const cwd = makeProject()
  const { approval } = await ask(cwd)
  expect(await runLegwork(['approve', approval.id, '--no', '--reason', 'not today'], { cwd })).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^Refused\./),
  })
  const denied = await ask(cwd)
  expect(denied).toMatchObject({ exitCode: 3, code: 'denied', message: expect.stringContaining('not today') })
})

test('--json gives one value for a list and for an answer', async () => {
  const cwd = makeProject()
  expect(json((await runLegwork(['approve', '--json'], { cwd })).stdout)).toEqual([])
  const { approval } = await ask(cwd)
  const listed = await runLegwork(['approve', '--json'], { cwd })
  expect(json(listed.stdout)).toMatchObject([
    { id: approval.id, state: 'waiting', tool: 'demo:destroy', input: { what: 'it' }, until: approval.until },
  ])
  expect((await runLegwork(['approve', approval.id, '--json'], { cwd })).exitCode).toBe(2)
  const answered = await runLegwork(['approve', approval.id, '--yes', '--json'], { cwd })
  expect(json(answered.stdout)).toMatchObject({ ok: true, id: approval.id, state: 'approved' })
  const twice = await runLegwork(['approve', approval.id, '--no', '--json'], { cwd })
  expect(twice.exitCode).toBe(1)
  expect(json(twice.stdout)).toMatchObject({ ok: false, code: 'answered' })
})

test('an answer after the deadline says so, and nothing runs', async () => {
  const cwd = makeProject({}, { ...exampleConfiguration, policy: { approvalTimeoutMs: 1 } })
  const { approval } = await ask(cwd)
  const late = await runLegwork(['approve', approval.id], { cwd })
  expect(late).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('no answer was a no') })
  expect(await ask(cwd)).toMatchObject({ exitCode: 4 })
})

test.each([[['nothing1']], [['nothing1', '--json']], [['x', '--yes', '--no']]])(
  'approve %j is bad usage',
  async (words) => {
    const cwd = makeProject()
    await ask(cwd)
    expect((await runLegwork(['approve', ...words], { cwd })).exitCode).toBe(2)
  },
)

test('looking for questions where there is no journal makes none', async () => {
  const cwd = makeProject()
  expect(await runLegwork(['approve'], { cwd })).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('No question waits'),
  })
  expect(existsSync(join(cwd, 'journal'))).toBe(false)
})

const missing =
  spawnSync('script', ['--version']).status !== 0 && !process.env.CI && 'script (util-linux) is not installed'

/** The command on a pseudo-terminal, with keys for its question. */
function onTerminal(cwd: string, words: readonly string[], keys: string): Promise<number | null> {
  const line = [process.execPath, commandFile, ...words].map((word) => `'${word}'`).join(' ')
  return new Promise((resolve, reject) => {
    const child = spawn('script', ['-qec', line, '/dev/null'], { cwd, env: { PATH: process.env.PATH, HOME: cwd } })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const asked = output.includes('Run it?')
      output += text
      if (!asked && output.includes('Run it?')) child.stdin.write(keys)
    })
    child.on('error', reject)
    child.on('close', resolve)
  })
}

test.skipIf(missing).each([
  ['y\r', 0, 'approved'],
  ['n\r', 0, 'refused'],
  ['\r', 4, 'waiting'],
] as const)(
  'at a terminal it shows the question first; %j leaves it with exit code %i, %s',
  async (keys, exitCode, state) => {
    const cwd = makeProject()
    const { approval } = await ask(cwd)
    expect(await onTerminal(cwd, ['approve', approval.id], keys)).toBe(exitCode)
    const outcome = await ask(cwd)
    expect(outcome.exitCode).toBe({ approved: 0, refused: 3, waiting: 4 }[state])
  },
)
