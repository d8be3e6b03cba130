import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { runLegwork } from '../support/command.ts'
import { exampleConfiguration, makeProject } from '../support/project.ts'
import { temporaryFolder } from '../support/temporary.ts'

const json = (text: string) => JSON.parse(text)
const packageVersion = json(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')).version

test('--version prints the number alone', async () => {
  expect(await runLegwork(['--version'], { cwd: temporaryFolder() })).toEqual({
    exitCode: 0,
    stdout: `${packageVersion}\n`,
    stderr: '',
  })
})

test.each([[['--help']], [['call', '--help']], [['audit', '--help']], [['policy', 'why', '--help']]])(
  '%j shows an example',
  async (words) => {
    const { exitCode, stdout } = await runLegwork(words, { cwd: temporaryFolder() })
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/Examples?:\n {2}\$ legwork/)
  },
)

test('tools lists all, searches by words, describes one', async () => {
  const cwd = makeProject()
  const all = await runLegwork(['tools'], { cwd })
  expect(all.stdout).toMatch(/^demo:echo +function +harmless +Says it back$/m)
  const found = await runLegwork(['tools', 'destroys'], { cwd })
  expect(found.stdout).toContain('demo:destroy')
  expect(found.stdout).not.toContain('demo:echo')
  const one = await runLegwork(['tools', 'demo.echo'], { cwd })
  expect(one.stdout).toContain('tools.demo.echo')
  expect(one.stdout).toContain('"message"')
})

test('tools --json is an array with id, kind, description, effects, spellings', async () => {
  const { stdout } = await runLegwork(['tools', '--json', '--kind', 'program'], { cwd: makeProject() })
  expect(json(stdout)).toMatchObject([
    {
      id: 'sh',
      kind: 'program',
      description: 'Runs a file',
      effects: { destructive: false },
      spellings: { wire: 'sh', provider: 'sh', script: 'tools.sh' },
    },
  ])
  const wrong = await runLegwork(['tools', '--kind', 'progam'], { cwd: makeProject() })
  expect(wrong).toMatchObject({ exitCode: 2 })
  expect(wrong.stderr).toContain('Did you mean "program"?')
})

test('audit shows, filters, verifies and exports', async () => {
  const cwd = makeProject()
  expect((await runLegwork(['audit'], { cwd })).stdout).toContain('There is no journal')
  await runLegwork(['call', 'demo:echo', '{"message": "one"}'], { cwd })
  await runLegwork(['call', 'demo:fail'], { cwd })
  const shown = await runLegwork(['audit'], { cwd })
  expect(shown.stdout.trim().split('\n')).toHaveLength(4)
  const filtered = await runLegwork(['audit', '--json', '--level', 'error'], { cwd })
  expect(json(filtered.stdout)).toMatchObject([
    { tool: 'demo:fail', code: 'denied', phase: 'end', caller: 'command-line' },
  ])
  expect(
    json((await runLegwork(['audit', '--json', '--tool', 'demo:echo', '--limit', '1'], { cwd })).stdout),
  ).toHaveLength(1)
  const exported = await runLegwork(['audit', 'export'], { cwd })
  const lines = exported.stdout.trim().split('\n').map(json)
  expect(lines.map(({ seq }) => seq)).toEqual([1, 2, 3, 4])
  const head = lines.at(-1).hash
  expect(exported.stderr).toBe(`head ${head}\n`)
  expect(await runLegwork(['audit', 'verify', '--head', head], { cwd })).toMatchObject({ exitCode: 0 })
})

test('audit prune removes the oldest, and what is left verifies', async () => {
  const cwd = makeProject()
  for (const message of ['one', 'two', 'three'])
    await runLegwork(['call', 'demo:echo', JSON.stringify({ message })], { cwd })
  const head = json((await runLegwork(['audit', 'export', '--json'], { cwd })).stdout).head.hash
  expect((await runLegwork(['audit', 'prune'], { cwd })).exitCode).toBe(2)
  expect((await runLegwork(['audit', 'prune', '--before', '7d'], { cwd })).stdout).toBe('Removed 0 entries.\n')
  const { stdout } = await runLegwork(['audit', 'prune', '--keep', '2'], { cwd })
  const newer = /^Removed 4 entries\. Head ([\da-f]{64})\n$/.exec(stdout)?.[1] ?? ''
  expect(json((await runLegwork(['audit', '--json'], { cwd })).stdout).map(({ seq }: { seq: number }) => seq)).toEqual([
    7, 6, 5,
  ])
  expect((await runLegwork(['audit', 'verify'], { cwd })).exitCode).toBe(0)
  expect((await runLegwork(['audit', 'verify', '--head', newer], { cwd })).exitCode).toBe(0)
  const since = await runLegwork(['audit', 'verify', '--head', head], { cwd })
  expect(since.exitCode).toBe(1)
  expect(since.stdout).toContain('was removed by a pruning that entry 7 tells of, later than the head that was named')
})

test('audit verify finds an entry that was edited by hand, and one that was cut off', async () => {
  const cwd = makeProject()
  await runLegwork(['call', 'demo:echo', '{"message": "one"}'], { cwd })
  const head = json((await runLegwork(['audit', 'export', '--json'], { cwd })).stdout).head.hash
  const edit = (sql: string) => {
    const database = new DatabaseSync(join(cwd, 'journal/legwork.db'))
    database.exec(sql)
    database.close()
  }
  const table = 'entries'
  edit(`DELETE FROM ${table} WHERE seq = 2`)
  expect((await runLegwork(['audit', 'verify', '--head', head], { cwd })).exitCode).toBe(1)
  edit(`UPDATE ${table} SET tool = 'demo:other' WHERE seq = 1`)
  const verified = await runLegwork(['audit', 'verify', '--json'], { cwd })
  expect(verified.exitCode).toBe(1)
  expect(json(verified.stdout)).toMatchObject({ ok: false, faults: [{ seq: 1 }] })
})

test('policy why names the decision, the rule, and shows where it stands', async () => {
  const cwd = makeProject()
  const denied = await runLegwork(['policy', 'why', 'demo:fail'], { cwd })
  expect(denied.exitCode).toBe(0)
  expect(denied.stdout).toContain('deny "demo:fail*"')
  expect(denied.stdout).toMatch(/legwork\.jsonc:\d+:\d+\n/)
  expect(denied.stdout).toMatch(/> +\d+ \| +"demo:fail\*"\n +\| +\^/)
  const asked = await runLegwork(['policy', 'why', 'demo:destroy', '--json'], { cwd })
  expect(json(asked.stdout)).toMatchObject({
    ok: true,
    tool: 'demo:destroy',
    decision: { verdict: 'ask', rule: 'allowDestructive' },
  })
  const program = await runLegwork(['policy', 'why', 'sh', '{"file": "hello.sh"}'], { cwd })
  expect(program.stdout).toContain('sh hello.sh')
  expect((await runLegwork(['policy', 'why', 'nobody'], { cwd })).exitCode).toBe(2)
  expect((await runLegwork(['audit', '--json'], { cwd })).stdout).toBe('[]\n')
})

test('looking at tools, policy and health leaves no journal behind', async () => {
  const cwd = makeProject()
  for (const words of [['tools'], ['policy', 'why', 'demo:echo'], ['doctor'], ['audit']])
    await runLegwork(words, { cwd })
  expect(existsSync(join(cwd, 'journal'))).toBe(false)
})

test('doctor says what works, and exits 1 for what does not', async () => {
  const cwd = makeProject()
  const healthy = await runLegwork(['doctor'], { cwd })
  expect(healthy.exitCode).toBe(0)
  expect(healthy.stdout).toContain('legwork.jsonc')
  const broken = makeProject({}, { ...exampleConfiguration, programs: { nosuch: { metadata: './sh.json' } } })
  const { exitCode, stdout } = await runLegwork(['doctor', '--json'], { cwd: broken })
  expect(exitCode).toBe(1)
  expect(json(stdout).findings.filter(({ status }: { status: string }) => status === 'fault')).toMatchObject([
    { name: 'program nosuch' },
  ])
})

test('a bad configuration is an error with a frame, all faults at once, exit code 2', async () => {
  const cwd = makeProject({
    'legwork.jsonc':
      '{\n  "polcy": {},\n  "limits": { "timeoutMs": "soon" },\n  "redact": { "values": ["${NO_SUCH_THING}"] }\n}\n',
  })
  const { exitCode, stderr } = await runLegwork(['tools'], { cwd })
  expect(exitCode).toBe(2)
  expect(stderr).toContain('Did you mean "policy"?')
  expect(stderr).toContain('limits.timeoutMs')
  expect(stderr).toContain('NO_SUCH_THING')
  expect(stderr).toMatch(/> 2 \| {3}"polcy"/)
  const machine = await runLegwork(['tools', '--json'], { cwd })
  expect(json(machine.stdout)).toMatchObject({ ok: false, code: 'invalid-configuration' })
})

test('a bad rule, a bad limit and a bad pattern are told at once, each in its place', async () => {
  const text =
    '{\n"policy": {"deny": ["effect:nope"]},\n"limits": {"timeoutMs": 99999999},\n"redact": {"patterns": ["(?=x)y"]}\n}'
  const { exitCode, stderr } = await runLegwork(['tools'], { cwd: makeProject({ 'legwork.jsonc': text }) })
  expect(exitCode).toBe(2)
  for (const place of ['legwork.jsonc:2:', 'legwork.jsonc:3:', 'legwork.jsonc:4:']) expect(stderr).toContain(place)
})

test('a rule that matches no tool, and metadata that is broken, are warnings; the rest works', async () => {
  const cwd = makeProject({ 'sh.json': '{"name": 7}' }, { ...exampleConfiguration, policy: { deny: ['nobody:*'] } })
  const { exitCode, stderr } = await runLegwork(['call', 'demo:echo', '{"message": "x"}'], { cwd })
  expect(exitCode).toBe(0)
  expect(stderr).toContain('The rule deny "nobody:*" matches no tool.')
  expect(stderr).toContain('sh.json: name: write the name of the program.')
})

test('audit verify with a head finds that the whole journal is gone', async () => {
  const { exitCode, stderr } = await runLegwork(['audit', 'verify', '--head', 'a'.repeat(64)], { cwd: makeProject() })
  expect(exitCode).toBe(1)
  expect(stderr).toContain('was moved or removed')
})

test('a misspelt verb of audit is named', async () => {
  const { exitCode, stderr } = await runLegwork(['audit', 'verfy'], { cwd: makeProject() })
  expect(exitCode).toBe(2)
  expect(stderr).toContain('Did you mean "verify"?')
})

test.each([
  ['is not there', {}, 'gone.ts'],
  ['throws', { 'tools.ts': 'throw new Error("cannot start")' }, 'cannot start'],
  ['exports no tool', { 'tools.ts': 'export const x = 1' }, 'exports no tool'],
])('a module of functions that %s is a warning, and a fault for doctor', async (_, files, sentence) => {
  const named = Object.keys(files).length ? './tools.ts' : './gone.ts'
  const cwd = makeProject(files, { functions: [named], journal: { path: 'j.db' } })
  const { exitCode, stderr } = await runLegwork(['tools'], { cwd })
  expect(exitCode).toBe(0)
  expect(stderr).toContain(sentence)
  expect((await runLegwork(['doctor'], { cwd })).exitCode).toBe(1)
})

test('a journal that cannot be written stops the call, with its path', async () => {
  const cwd = makeProject({ 'journal/legwork.db': 'this is no database, whatever its name says. '.repeat(40) })
  const { exitCode, stdout, stderr } = await runLegwork(['call', 'demo:echo', '{"message": "x"}'], { cwd })
  expect(exitCode).not.toBe(0)
  expect(stdout).toBe('')
  expect(stderr).toContain('legwork.db')
  writeFileSync(join(cwd, 'journal/legwork.db'), '')
})

test('what a caller writes cannot add lines to what audit and tools show', async () => {
  const cwd = makeProject()
  const forged = 'nope\n99  2026-11-15 09:00:00  end    deploy:prod  command-line  ok 3 ms'
  for (const name of [
    forged,
    forged.replace('\n', '\u2028'),
    forged.replace('\n', '\r'),
    forged.replace('\n', '\u0085'),
  ]) {
    await runLegwork(['call', name], { cwd })
  }
  const { stdout } = await runLegwork(['audit'], { cwd })
  expect(stdout.split(/[\n\r\u2028\u0085]/).filter((line) => line.startsWith('99'))).toEqual([])
  expect(stdout.trim().split('\n')).toHaveLength(8)
})
