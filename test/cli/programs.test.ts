import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { confinementAvailable } from '../../src/run/confinement.ts'
import { runLegwork } from '../support/command.ts'
import { makeProject } from '../support/project.ts'

const json = (text: string) => JSON.parse(text)
const described = (more: object) =>
  JSON.stringify({
    atip: '0.6',
    name: 'sh',
    version: '2',
    trust: 'org',
    effects: { destructive: false, network: false, filesystem: { write: false } },
    ...more,
  })
const shell = described({
  commands: { '': { arguments: [{ name: 'file', type: 'file' }] }, run: { description: 'Runs' }, stop: {} },
})

test('doctor tells of each program where it is, where its metadata came from, and what is missing', async () => {
  const programs = {
    sh: { metadata: './sh.json' },
    ls: {},
    'no-such-program-anywhere': {},
    bad: { metadata: './bad.json', command: 'sh' },
  }
  const cwd = makeProject({ 'sh.json': shell, 'bad.json': described({ commands: 5 }) }, { programs })
  const { exitCode, stdout } = await runLegwork(['doctor', '--json'], { cwd })
  expect(exitCode).toBe(1)
  const findings: { name: string; status: string; message: string }[] = json(stdout).findings
  const about = (name: string) => findings.filter((finding) => finding.name === `program ${name}`)
  expect(about('sh')).toMatchObject([
    {
      status: 'ok',
      message: expect.stringMatching(/\/sh, metadata from \.\/sh\.json, written for version 2, trust org, 3 tools$/),
    },
  ])
  expect(about('ls')).toMatchObject([{ status: 'ok', message: expect.stringContaining('metadata from Legwork') }])
  expect(about('bad')[0]).toMatchObject({
    status: 'fault',
    message: expect.stringContaining('commands: write an object'),
  })
  const [missing] = about('no-such-program-anywhere')
  expect(missing?.message).toContain('was not found on the PATH')
  expect(missing?.message).toContain('add "metadata": "./no-such-program-anywhere.json"')
})

test('tools --types prints the signatures of one tool, of a program, of what was searched', async () => {
  const cwd = makeProject({ 'sh.json': shell })
  const all = await runLegwork(['tools', 'sh', '--types'], { cwd })
  expect(all.stdout).toContain('tools.sh(input: {\n  file: string\n}): Promise<Json>')
  expect(all.stdout).toContain('/** Runs */\ntools.sh.run(input?: Record<string, unknown>): Promise<Json>')
  const one = await runLegwork(['tools', 'demo:echo', '--types', '--json'], { cwd })
  expect(json(one.stdout)).toEqual([{ id: 'demo:echo', types: expect.stringContaining('tools.demo.echo(input: {') }])
  const none = await runLegwork(['tools', 'zzzz', '--types'], { cwd })
  expect(none).toMatchObject({ exitCode: 0, stdout: 'No tool fits.\n' })
})

test('call takes the spelling of scripts, and the id with JSON', async () => {
  const cwd = makeProject({}, { programs: { git: {} } })
  const log = await runLegwork(['call', 'git.log({maxCount: 3})', '--json'], { cwd })
  expect(json(log.stdout)).toMatchObject({
    tool: 'git:log',
    process: { argv: expect.arrayContaining(['--max-count=3']) },
  })
  const status = await runLegwork(['call', 'git:status', '{"short": true}', '--json'], { cwd })
  expect(json(status.stdout)).toMatchObject({
    tool: 'git:status',
    process: { argv: expect.arrayContaining(['--short']) },
  })
})

test.skipIf(!(await confinementAvailable()).available && !process.env.CI)(
  'a program that is shut in and may write cannot change its own policy, nor move the journal aside',
  async () => {
    const metadata = {
      name: 'sh',
      trust: 'vendor',
      effects: { destructive: false, filesystem: { write: true } },
      commands: { '': { description: '', arguments: [{ name: 'file', type: 'file', description: '' }] } },
    }
    const attack =
      'echo "{}" > legwork.jsonc; mv legwork.jsonc old; rm -f legwork.jsonc; mv .legwork old; ls -A .legwork; touch made; echo done'
    const configuration = { programs: { sh: { metadata: './sh.json', confine: 'full' } } }
    const cwd = makeProject({ 'sh.json': JSON.stringify(metadata), 'attack.sh': attack }, configuration)
    const before = readFileSync(join(cwd, 'legwork.jsonc'), 'utf8')
    const { stdout } = await runLegwork(['call', 'sh', '{"file": "attack.sh"}'], { cwd })
    expect(stdout).toBe('done\n')
    expect(readFileSync(join(cwd, 'legwork.jsonc'), 'utf8')).toBe(before)
    expect(readdirSync(cwd)).toEqual(expect.arrayContaining(['.legwork', 'made']))
    expect(readdirSync(cwd)).not.toContain('old')
    expect((await runLegwork(['audit', '--json'], { cwd })).stdout).toContain('"phase":"start"')
  },
)
