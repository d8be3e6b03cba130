import { chmodSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkMetadata } from '../../src/program/check-metadata.ts'
import { confinementAvailable } from '../../src/run/confinement.ts'
import { openLegwork } from '../support/legwork.ts'
import { temporaryFolder } from '../support/temporary.ts'

const harmless = { destructive: false, network: false, filesystem: { write: false } }

/** A program that prints its arguments as JSON, described by the given metadata. */
async function openProgram(metadata: object, program: object = {}, script = 'printf "%s\\n" "$@"') {
  const workspace = temporaryFolder()
  writeFileSync(join(workspace, 'show'), `#!/bin/sh\n${script}\n`)
  chmodSync(join(workspace, 'show'), 0o755)
  writeFileSync(
    join(workspace, 'show.json'),
    JSON.stringify({ atip: '0.6', name: 'show', effects: harmless, trust: { source: 'vendor' }, ...metadata }),
  )
  return openLegwork({ workspace, programs: { show: { metadata: './show.json', command: './show', ...program } } })
}

const parameters = {
  arguments: [
    { name: 'file', type: 'file', description: 'A file' },
    { name: 'more', type: 'string', description: 'More', required: false, variadic: true },
  ],
  options: [
    { name: 'all', flags: ['-a', '--all'], type: 'boolean', description: 'All' },
    { name: 'depth', flags: ['-d', '--depth'], type: 'integer', description: 'Depth' },
    { name: 'tag', flags: ['-t'], type: 'string', description: 'Tag', variadic: true },
  ],
}

test('every command is a tool, nested ones and the program itself included', async () => {
  const legwork = await openProgram({
    commands: {
      '': { description: 'Root' },
      pr: { description: 'Pulls', commands: { create: { description: 'Opens one' } } },
    },
  })
  expect((await legwork.tools()).map(({ id }) => id)).toEqual(['show', 'show:prCreate'])
  const outcome = await legwork.call({ tool: 'show_pr_create' })
  expect(outcome).toMatchObject({ ok: true, value: 'pr\ncreate' })
})

test('options come before positional arguments, long flags first, values in the same word', async () => {
  const legwork = await openProgram({ commands: { '': { description: '', ...parameters } } })
  const outcome = await legwork.call({
    tool: 'show',
    input: { file: 'a', more: ['b', 'c'], all: true, depth: '3', tag: ['x', 'y'] },
  })
  expect(outcome).toMatchObject({ ok: true, value: '--all\n--depth=3\n-tx\n-ty\na\nb\nc' })
})

test.each(['--output=/etc/passwd', '-rf', '--'])(
  '%s as a positional argument is refused, since it would be read as an option',
  async (file) => {
    const legwork = await openProgram({ commands: { '': { description: '', ...parameters } } })
    expect(await legwork.call({ tool: 'show', input: { file } })).toMatchObject({
      ok: false,
      code: 'invalid-input',
      issues: [{ path: 'file' }],
    })
  },
)

test('a program that understands "--" gets it before its positional arguments', async () => {
  const legwork = await openProgram({ 'x-endOfOptions': true, commands: { '': { description: '', ...parameters } } })
  expect(await legwork.call({ tool: 'show', input: { file: '-rf' } })).toMatchObject({ ok: true, value: '--\n-rf' })
})

test.each(['$(touch pwned)', '`id`', '; rm -rf /', '| cat', '\n', '\'"', '*', '~'])(
  '%j reaches the program as it is: there is no shell',
  async (file) => {
    const legwork = await openProgram({ commands: { '': { description: '', ...parameters } } }, {}, 'printf "%s" "$1"')
    expect(await legwork.call({ tool: 'show', input: { file } })).toMatchObject({ ok: true, process: { stdout: file } })
  },
)

test('NUL is refused', async () => {
  const legwork = await openProgram({ commands: { '': { description: '', ...parameters } } })
  expect(await legwork.call({ tool: 'show', input: { file: 'a\0b' } })).toMatchObject({
    ok: false,
    code: 'invalid-input',
  })
})

test('stdout that is a JSON object or array is the value, parsed', async () => {
  const legwork = await openProgram({ commands: { '': { description: '' } } }, {}, 'echo \'{"a": [1]}\'')
  expect(await legwork.call({ tool: 'show' })).toMatchObject({ ok: true, value: { a: [1] } })
})

test('an exit code is a failure with everything the program said', async () => {
  const legwork = await openProgram({ commands: { '': { description: '' } } }, {}, 'echo out; echo err >&2; exit 3')
  const outcome = await legwork.call({ tool: 'show' })
  expect(outcome).toMatchObject({
    ok: false,
    code: 'tool-failed',
    process: { exitCode: 3, stdout: 'out\n', stderr: 'err\n' },
  })
  expect(outcome.text).toBe('err\nout\n[Exit code: 3]')
})

test('in the text for a model, paths of a failure tell nothing about the machine; the outcome itself has them whole', async () => {
  const script = 'echo "cannot open $PWD/notes/a.txt, $HOME/b.txt or /opt/secret-project/c.txt" >&2; exit 1'
  const legwork = await openProgram({ commands: { '': { description: '' } } }, {}, script)
  const outcome = await legwork.call({ tool: 'show' })
  expect(outcome.text).toBe('cannot open notes/a.txt, ~/b.txt or c.txt\n[Exit code: 1]')
  expect(outcome.process?.stderr).toContain('/opt/secret-project/c.txt')
})

test('a timeout keeps what was printed', async () => {
  const legwork = await openProgram({ commands: { '': { description: '' } } }, {}, 'echo begun; sleep 20')
  const outcome = await legwork.call({ tool: 'show', timeoutMs: 400 })
  expect(outcome).toMatchObject({ ok: false, code: 'timed-out', process: { stdout: 'begun\n' } })
  expect(outcome.text).toBe('"show" did not end within 400 ms and was stopped.\nbegun\n[TIMEOUT after 0.4s]')
})

test('the text of a call that was cancelled says so, and then what was printed', async () => {
  const legwork = await openProgram({ commands: { '': { description: '' } } }, {}, 'echo begun; sleep 20')
  const controller = new AbortController()
  const stop = legwork.on((event) => {
    if (event.type === 'output') controller.abort()
  })
  const outcome = await legwork.call({ tool: 'show', signal: controller.signal })
  stop()
  expect(outcome).toMatchObject({ ok: false, code: 'cancelled' })
  expect(outcome.text).toMatch(/^"show" was cancelled\.\nbegun\n\[/)
})

test('output beyond the limit is counted and marked', async () => {
  const legwork = await openProgram(
    { commands: { '': { description: '' } } },
    {},
    'head -c 2000000 /dev/zero | tr "\\0" x',
  )
  const outcome = await legwork.call({ tool: 'show' })
  expect(outcome).toMatchObject({ ok: true, process: { stdoutBytes: 2_000_000, truncated: true } })
  expect(outcome.process?.stdout.length).toBe(1_048_576)
  expect(legwork.journal.read()[0]).toMatchObject({ level: 'warning', process: { stdoutBytes: 2_000_000 } })
})

test('a program gets a short list of variables and those its owner names', async () => {
  process.env.LEGWORK_TEST_SECRET = 'not-for-children'
  process.env.LEGWORK_TEST_NAMED = 'for-this-child'
  const legwork = await openProgram({ commands: { '': { description: '' } } }, { env: ['LEGWORK_TEST_NAMED'] }, 'env')
  const outcome = await legwork.call({ tool: 'show' })
  expect(outcome.process?.stdout).not.toContain('LEGWORK_TEST_SECRET')
  expect(outcome.process?.stdout).toContain('LEGWORK_TEST_NAMED=')
  expect(outcome.process?.stdout).toContain('PATH=')
})

test('a missing program is not runnable, with the reason', async () => {
  const legwork = await openProgram({ commands: { '': { description: '' } } }, { command: 'no-such-program-anywhere' })
  expect(await legwork.call({ tool: 'show' })).toMatchObject({ ok: false, code: 'not-runnable', reason: 'not-found' })
})

test('effects merge from the program down to the option that was given', async () => {
  const legwork = await openProgram({
    commands: {
      push: {
        description: 'Pushes',
        effects: { network: true },
        options: [
          { name: 'force', flags: ['--force'], type: 'boolean', description: '', effects: { destructive: true } },
        ],
      },
    },
  })
  expect(await legwork.why({ tool: 'show:push', input: {} })).toMatchObject({ decision: { verdict: 'allow' } })
  expect(await legwork.why({ tool: 'show:push', input: { force: true } })).toMatchObject({
    decision: { verdict: 'ask' },
  })
})

test('trust that nobody states is inferred, and unknown effects then ask', async () => {
  const legwork = await openProgram({ trust: undefined, effects: undefined, commands: { '': { description: '' } } })
  expect(await legwork.call({ tool: 'show' })).toMatchObject({ ok: false, code: 'approval-needed' })
})

test('rules on commands look at the command line', async () => {
  const workspace = temporaryFolder()
  writeFileSync(
    join(workspace, 'git.json'),
    JSON.stringify({
      name: 'git',
      effects: harmless,
      trust: { source: 'vendor' },
      commands: {
        diff: { description: '', options: [{ name: 'stat', flags: ['--stat'], type: 'boolean', description: '' }] },
        difftool: { description: '' },
      },
    }),
  )
  const legwork = await openLegwork({
    workspace,
    programs: { git: { metadata: 'git.json' } },
    policy: { deny: ['Bash(git diff:*)'] },
  })
  expect(await legwork.why({ tool: 'git:diff', input: { stat: true } })).toMatchObject({
    decision: { verdict: 'deny', rule: 'deny "Bash(git diff:*)"' },
  })
  expect(await legwork.why({ tool: 'git:difftool', input: {} })).toMatchObject({ decision: { verdict: 'allow' } })
})

test('every fault of bad metadata is named with its path', () => {
  const check = checkMetadata({
    trust: 'high',
    effects: 1,
    commands: {
      a: { arguments: [{ type: 'text' }], options: [{ name: 'x', type: 'string', flags: ['x'] }], commands: [] },
      b: 1,
    },
  })
  expect(check).toEqual({
    ok: false,
    faults: [
      'name: write the name of the program.',
      'trust.source: "high" is none of inferred, user, community, org, vendor, native.',
      'effects: write an object.',
      'commands.a.arguments[0].name: write a name.',
      'commands.a.arguments[0].type: "text" is none of string, integer, number, boolean, file, directory, url, enum, array.',
      'commands.a.options[0].flags: write a list such as ["--all"].',
      'commands.a.commands: write an object of commands by name.',
      'commands.b: write an object.',
    ],
  })
})

const confined = await confinementAvailable()
const reason = !confined.available && !process.env.CI

describe.skipIf(reason)('a program that is shut in', () => {
  const workspaceEffects = (effects: object) => ({
    effects: { destructive: false, ...effects },
    commands: { '': { description: '' } },
  })
  const full = { confine: 'full' }

  test('writes to the workspace when it says that it writes, and not otherwise', async () => {
    const script = 'touch made && echo written'
    const writing = await openProgram(workspaceEffects({ filesystem: { write: true } }), full, script)
    expect(await writing.call({ tool: 'show' })).toMatchObject({
      ok: true,
      value: 'written',
      process: { containment: 'namespace' },
    })
    const reading = await openProgram(workspaceEffects({ filesystem: { write: false } }), full, script)
    expect(await reading.call({ tool: 'show' })).toMatchObject({
      ok: false,
      process: { stderr: expect.stringContaining('Read-only') },
    })
  })

  test('has the network when it says that it uses it, and not otherwise', async () => {
    const script = 'ls /sys/class/net 2>/dev/null; cat /proc/net/dev | grep -c :'
    const without = await openProgram(workspaceEffects({}), full, script)
    const interfaces = await without.call({ tool: 'show' })
    expect(interfaces.process?.stdout.trim().split('\n').at(-1)).toBe('1')
  })

  test('cannot read the journal, nor .env files', async () => {
    const workspace = temporaryFolder()
    writeFileSync(join(workspace, '.env'), 'SECRET=canary')
    writeFileSync(
      join(workspace, 'cat.json'),
      JSON.stringify({
        name: 'cat',
        trust: 'vendor',
        effects: harmless,
        commands: { '': { description: '', arguments: [{ name: 'file', type: 'file', description: '' }] } },
      }),
    )
    const legwork = await openLegwork({
      workspace,
      programs: { cat: { metadata: 'cat.json', confine: 'full' } },
      journal: { path: 'legwork.db' },
    })
    for (const file of ['legwork.db', 'legwork.db-wal', '.env', '/etc/shadow', join(homedir(), '.ssh/id_rsa')]) {
      const outcome = await legwork.call({ tool: 'cat', input: { file } })
      expect(outcome.process?.stdout, file).toBe('')
    }
    expect(await legwork.call({ tool: 'cat', input: { file: 'cat.json' } })).toMatchObject({ ok: true })
  })

  test('is held to the bounds that its owner sets: processes, processor time, memory', async () => {
    const resources = { maxProcesses: 12, cpuSeconds: 1, memoryBytes: 67_108_864 }
    const bound = { confine: 'processes', resources }
    const open = (script: string) => openProgram({ commands: { '': { description: '' } } }, bound, script)
    const forking = await open('i=0; while [ $i -lt 40 ]; do sleep 5 & i=$((i+1)); done; echo all')
    expect(await forking.call({ tool: 'show', timeoutMs: 20_000 })).toMatchObject({
      ok: false,
      process: { stdout: '' },
    })
    const busy = await open('while :; do :; done')
    expect(await busy.call({ tool: 'show', timeoutMs: 20_000 })).toMatchObject({ ok: false, code: 'tool-failed' })
    const large = await open('exec perl -e \'my $x = "a" x 500_000_000; print length $x\'')
    expect(await large.call({ tool: 'show', timeoutMs: 20_000 })).toMatchObject({ ok: false, process: { stdout: '' } })
  })
})
