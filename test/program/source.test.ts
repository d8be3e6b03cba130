import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readMetadata } from '../../src/doors/program.ts'
import { confinementAvailable } from '../../src/run/confinement.ts'
import { openLegwork } from '../support/legwork.ts'
import { temporaryFolder } from '../support/temporary.ts'

const harmless = { destructive: false, network: false, filesystem: { write: false } }
const described = (name: string, more: object = {}) =>
  JSON.stringify({ atip: '0.6', name, version: '1', description: 'Shows', effects: harmless, ...more })
const positional = { commands: { '': { arguments: [{ name: 'file', type: 'string' }] } } }

/** A folder with files; those without a dot in their name are programs. */
function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder()
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
    if (!name.includes('.')) chmodSync(join(folder, name), 0o755)
  }
  return folder
}

const echo = '#!/bin/sh\nprintf "%s\\n" "$@"\n'
const ids = async (legwork: Awaited<ReturnType<typeof openLegwork>>) => (await legwork.tools()).map(({ id }) => id)

test('the name in the configuration wins over the one in the metadata', async () => {
  const workspace = folderWith({ show: echo, 'other.json': described('other') })
  const legwork = await openLegwork({ workspace, programs: { mine: { metadata: 'other.json', command: './show' } } })
  expect(await ids(legwork)).toEqual(['mine'])
})

test('metadata may be a folder: by the name of the file, or by the name in it', async () => {
  const workspace = folderWith({
    'meta/one.json': described('one'),
    'meta/rest.json': described('two'),
    'meta/bad.json': '{',
    'meta/note.txt': 'nothing',
  })
  const programs = { one: { metadata: 'meta' }, two: { metadata: 'meta' }, three: { metadata: './meta' } }
  const legwork = await openLegwork({ workspace, programs })
  expect(await ids(legwork)).toEqual(['one', 'two'])
  expect(legwork.warnings.join('\n')).toMatch(/No file in this folder describes "three"\. It describes one, two\./)
  const read = await readMetadata(join(workspace, 'meta'))
  expect(read.tools.map(({ name }) => name)).toEqual(['one', 'two'])
  expect(read.faults).toEqual([expect.stringMatching(/bad\.json: This is not JSON/)])
})

test('a program whose metadata is wrong is left out with every fault, and the others are there', async () => {
  const workspace = folderWith({
    'good.json': described('good'),
    'bad.json': described('bad', { effects: { destructive: 1 }, commands: { a: 1 } }),
  })
  const programs = { bad: { metadata: 'bad.json' }, good: { metadata: 'good.json' }, gone: { metadata: 'gone.json' } }
  const legwork = await openLegwork({ workspace, programs })
  expect(await ids(legwork)).toEqual(['good'])
  expect(legwork.warnings).toEqual([
    'bad.json: effects.destructive: 1 is not true or false.',
    'bad.json: commands.a: write an object.',
    expect.stringContaining('gone.json: ENOENT'),
  ])
})

test('effects with a misspelt word in them do not pass for harmless, whoever wrote them', async () => {
  const flag = (effects: object) => [{ name: 'all', flags: ['--all'], type: 'boolean', effects }]
  const commands = {
    wipe: { effects: { destructve: true } },
    drop: { options: flag({ destructve: true }) },
    keep: { options: flag({ destructive: false, 'x-note': 1 }) },
  }
  const workspace = folderWith({ show: echo, 'show.json': described('show', { trust: 'vendor', commands }) })
  const programs = { show: { metadata: 'show.json', command: './show', trust: 'vendor' } } as const
  const legwork = await openLegwork({ workspace, programs })
  expect(legwork.warnings).toEqual([
    'show.json: commands.wipe.effects.destructve: there is no such effect. Did you mean "destructive"?',
    'show.json: commands.drop.options[0].effects.destructve: there is no such effect. Did you mean "destructive"?',
  ])
  expect(await legwork.call({ tool: 'show:wipe' })).toMatchObject({ code: 'approval-needed' })
  expect(await legwork.call({ tool: 'show:drop', input: { all: true } })).toMatchObject({ code: 'approval-needed' })
  expect(await legwork.call({ tool: 'show:keep', input: { all: true } })).toMatchObject({ ok: true })
})

test('a name that stands twice in a file is a fault with its place', async () => {
  const file = '{"name": "x", "commands": {"a": {}, "b": {},\n  "a": {"description": "again"}}}'
  const { faults } = await readMetadata(join(folderWith({ 'x.json': file }), 'x.json'))
  expect(faults).toEqual([expect.stringContaining('commands.a: this name is there twice (line 2, column 3).')])
})

test('the configuration may say that a program takes "--"', async () => {
  const workspace = folderWith({ show: echo, 'show.json': described('show', positional) })
  const program = { metadata: 'show.json', command: './show' }
  const strict = await openLegwork({ workspace, programs: { show: program } })
  expect(await strict.call({ tool: 'show', input: { file: '-x' } })).toMatchObject({ code: 'invalid-input' })
  const open = await openLegwork({
    workspace,
    programs: { show: { ...program, endOfOptions: true } },
    policy: { allow: ['show'] },
  })
  expect(await open.call({ tool: 'show', input: { file: '-x' } })).toMatchObject({ ok: true, value: '--\n-x' })
})

test('{} takes the metadata that Legwork ships', async () => {
  const workspace = folderWith({ 'here.txt': 'x' })
  const legwork = await openLegwork({ workspace, programs: { ls: {} } })
  expect(legwork.warnings).toEqual([])
  expect(await legwork.call({ tool: 'ls' })).toMatchObject({ ok: true, value: 'here.txt' })
})

test.each(['../package', 'a/b', '.', '..'])('%j never leads out of the shipped metadata', async (name) => {
  const legwork = await openLegwork({ workspace: temporaryFolder(), programs: { [name]: {} } })
  expect(await ids(legwork)).toEqual([])
})

const confined = await confinementAvailable()

describe.skipIf(!confined.available && !process.env.CI)('a program that describes itself', () => {
  const metadata = described('hello', { trust: { source: 'native' } })
  const program = (help: string, agent: string) =>
    `#!/bin/sh\ncase "$1" in\n--help) ${help};;\n--agent) ${agent};;\n*) echo hello "$@";;\nesac\n`

  async function open(script: string) {
    const workspace = folderWith({ hello: script })
    const legwork = await openLegwork({ workspace, programs: { hello: { command: './hello' } } })
    return { workspace, legwork }
  }

  test('is asked with --agent where its help mentions that', async () => {
    const { legwork } = await open(program('echo "  --agent  describes itself"', `echo '${metadata}'`))
    expect(legwork.warnings).toEqual([])
    expect(await legwork.call({ tool: 'hello' })).toMatchObject({ ok: true, value: 'hello' })
    expect((await legwork.tool('hello'))?.trust).toBe('native')
  })

  test.each([
    ['its help does not mention it', 'echo "--agents"', 'touch ran', /does not mention --agent/],
    ['it fails', 'echo "[--agent]"', 'exit 3', /did not end well within 2 s \(exit code 3\)/],
    ['it prints no JSON', 'echo "--agent"', 'echo hi', /hello --agent: This is not JSON/],
    ['it prints bad metadata', 'echo "--agent"', `echo '{"name": 5}'`, /hello --agent: name: write the name/],
    ['it does not end', 'echo "--agent"', 'sleep 20', /did not end well within 2 s/],
  ])('gives a warning that says what to do when %s', async (_case, help, agent, warning) => {
    const { legwork, workspace } = await open(program(help, agent))
    expect(await ids(legwork)).toEqual([])
    expect(legwork.warnings[0]).toContain('add "metadata": "./hello.json"')
    expect(legwork.warnings.join('\n')).toMatch(warning)
    expect(existsSync(join(workspace, 'ran'))).toBe(false)
  })

  test('is shut in meanwhile: it can change nothing', async () => {
    const script = program('touch help-ran; echo "--agent"', `touch agent-ran; echo '${metadata}'`)
    const { legwork, workspace } = await open(script)
    expect(await ids(legwork)).toEqual(['hello'])
    expect(existsSync(join(workspace, 'help-ran')) || existsSync(join(workspace, 'agent-ran'))).toBe(false)
  })
})

describe('partial metadata', () => {
  const partial = (omitted: object | undefined) =>
    described('show', { partial: true, omitted, effects: {}, trust: { source: 'native' }, commands: { go: {} } })

  test.each([
    [undefined, 'ask'],
    [{ safetyAssumption: 'unknown' }, 'ask'],
    [{ safetyAssumption: 'known-unsafe' }, 'ask'],
    [{ safetyAssumption: 'known-safe' }, 'allow'],
    [{ safetyAssumption: 'same-as-included' }, 'allow'],
  ])('that says %j of what it leaves out: a command without effects is %s', async (omitted, verdict) => {
    const workspace = folderWith({ 'show.json': partial(omitted) })
    const legwork = await openLegwork({ workspace, programs: { show: { metadata: 'show.json' } } })
    expect(await legwork.why({ tool: 'show:go', input: {} })).toMatchObject({ decision: { verdict } })
  })
})

describe('on the one path', () => {
  async function open(command: object, more: object = {}, script = echo) {
    const workspace = folderWith({
      show: script,
      'show.json': described('show', { commands: { go: command }, ...more }),
    })
    const programs = { show: { metadata: 'show.json', command: './show', trust: 'vendor' as const } }
    return openLegwork({ workspace, programs, approve: () => true })
  }

  test('global options come first, and rules look past them', async () => {
    const globalOptions = [{ name: 'config', flags: ['-c'], type: 'string' }]
    const legwork = await open({ arguments: [{ name: 'x', type: 'string' }] }, { globalOptions })
    expect(await legwork.call({ tool: 'show:go', input: { x: 'y', config: 'a=b' } })).toMatchObject({
      value: '-ca=b\ngo\ny',
    })
  })

  test('formats are checked', async () => {
    const legwork = await open({ options: [{ name: 'page', flags: ['--page'], type: 'url' }] })
    expect(await legwork.call({ tool: 'show:go', input: { page: 'nowhere' } })).toMatchObject({
      code: 'invalid-input',
      issues: [{ path: 'page', code: 'INVALID_FORMAT' }],
    })
  })

  test('what is deprecated and used is a warning', async () => {
    const options = [{ name: 'old', flags: ['--old'], type: 'boolean', deprecated: true }]
    const legwork = await open({ options, deprecated: true })
    const { warnings } = await legwork.call({ tool: 'show:go', input: { old: true } })
    expect(warnings).toEqual(['"show go" is deprecated.', 'The parameter "old" is deprecated.'])
    expect((await legwork.call({ tool: 'show:go', input: {} })).warnings).toHaveLength(1)
  })

  test('the timeout is what the effects say, at most ten minutes', async () => {
    const limits = async (timeout: string) =>
      (await (await open({ effects: { duration: { timeout } } })).tool('show:go'))?.limits
    expect(await limits('2s')).toEqual({ timeoutMs: 2_000 })
    expect(await limits('5m')).toEqual({ timeoutMs: 300_000 })
    expect(await limits('1h')).toEqual({ timeoutMs: 600_000 })
  })

  test('a program that asks is given its own flag for yes, after a person was asked', async () => {
    const effects = { interactive: { prompts: true } }
    const yes = { name: 'yes', flags: ['-y', '--yes'], type: 'boolean' }
    const legwork = await open({ effects, options: [yes] })
    expect(await legwork.why({ tool: 'show:go', input: {} })).toMatchObject({
      argv: [expect.stringMatching(/show$/), 'go', '--yes'],
      decision: { verdict: 'ask' },
    })
    expect(await legwork.call({ tool: 'show:go', input: {} })).toMatchObject({ ok: true, value: 'go\n--yes' })
    const without = await open({ effects })
    expect(await without.call({ tool: 'show:go', input: {} })).toMatchObject({ code: 'denied' })
    const terminal = await open({ effects: { interactive: { prompts: true, tty: true } }, options: [yes] })
    expect(await terminal.call({ tool: 'show:go', input: {} })).toMatchObject({ code: 'denied' })
  })

  test('10,000 commands are tools', async () => {
    const commands = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`c${at}`, {}]))
    const legwork = await open({}, { commands })
    expect(await legwork.call({ tool: 'show:c9999' })).toMatchObject({ ok: true, value: 'c9999' })
  })

  test.each([
    ['writes only to stderr', 'echo aside >&2', { ok: true, value: '', process: { stderr: 'aside\n' } }],
    ['exits with 255', 'exit 255', { code: 'tool-failed', process: { exitCode: 255, signal: null } }],
    ['dies by a signal', 'kill -SEGV $$', { code: 'tool-failed', process: { signal: 'SIGSEGV' } }],
    ['prints what is no text', 'printf "\\377\\376\\000x"', { ok: true, process: { stdout: '\ufffd\ufffd\0x' } }],
  ])('a program that %s', async (_case, script, expected) => {
    const legwork = await open({}, {}, `#!/bin/sh\n${script}\n`)
    expect(await legwork.call({ tool: 'show:go' })).toMatchObject(expected)
  })

  test('a megabyte as one argument is more than the system takes, and says so', async () => {
    const legwork = await open({ arguments: [{ name: 'x', type: 'string' }] })
    expect(await legwork.call({ tool: 'show:go', input: { x: 'y'.repeat(1_048_576) } })).toMatchObject({
      code: 'not-runnable',
      reason: 'too-large',
    })
  })
})
