import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ApprovalRequest } from '../../src/index.ts'
import { confinementAvailable } from '../../src/run/confinement.ts'
import { openLegwork } from '../support/legwork.ts'
import { makeSkill, needs } from '../support/skill.ts'
import { temporaryFolder } from '../support/temporary.ts'

const hello = { 'scripts/hello.sh': '# Says hello.\necho hello' }

test('a script asks before it runs, with its whole command line, because nobody knows what it does', async () => {
  const { root, base } = makeSkill(hello)
  const asked: ApprovalRequest[] = []
  const approve = (request: ApprovalRequest) => {
    asked.push(request)
    return true
  }
  const legwork = await openLegwork({ workspace: temporaryFolder(), skills: [root], approve })
  const outcome = await legwork.call({ tool: 'pdf-extractor.hello', input: { args: ['--x', '1'] } })
  expect(outcome).toMatchObject({ ok: true, tool: 'pdfExtractor:hello', value: 'hello' })
  expect(asked[0]).toMatchObject({
    tool: 'pdfExtractor:hello',
    argv: ['bash', join(base, 'scripts/hello.sh'), '--x', '1'],
    trust: 'community',
  })
})

test('without anybody to ask it does not run; trust, or a rule, answers the question', async () => {
  const { root } = makeSkill(hello)
  const workspace = temporaryFolder()
  const call = { tool: 'tools.pdfExtractor.hello' }
  const plain = await openLegwork({ workspace, skills: [root] })
  expect(await plain.call(call)).toMatchObject({ ok: false, code: 'approval-needed' })
  const trusted = await openLegwork({ workspace, skills: [{ path: root, trust: 'org' }] })
  expect(await trusted.call(call)).toMatchObject({ ok: true })
  const ruled = await openLegwork({ workspace, skills: [root], policy: { allow: ['kind:skill'] } })
  expect(await ruled.call(call)).toMatchObject({ ok: true })
  const denied = await openLegwork({
    workspace,
    skills: [{ path: root, trust: 'org' }],
    policy: { deny: ['Bash(bash:*)'] },
  })
  expect(await denied.call(call)).toMatchObject({ ok: false, code: 'denied' })
})

test('a script that was deleted meanwhile is not there, and nobody is asked about it', async () => {
  const { root, base } = makeSkill(hello)
  const asked: ApprovalRequest[] = []
  const approve = (request: ApprovalRequest) => asked.push(request) > 0
  const legwork = await openLegwork({ workspace: temporaryFolder(), skills: [root], approve })
  await legwork.tools()
  rmSync(join(base, 'scripts/hello.sh'))
  expect(await legwork.call({ tool: 'pdfExtractor:hello' })).toMatchObject({
    ok: false,
    code: 'not-runnable',
    reason: 'not-found',
    message: expect.stringContaining('has no script "scripts/hello.sh"'),
  })
  expect(asked).toEqual([])
})

test('to a model, a script that declares no arguments takes parameters of any name; anything else fits too', async () => {
  const { root } = makeSkill({ 'scripts/show.sh': '# Shows its input.\ncat' })
  const legwork = await openLegwork({ workspace: temporaryFolder(), skills: [{ path: root, trust: 'org' }] })
  const [shown] = (await legwork.tools('anthropic')).filter((tool) => 'name' in tool && tool.name.endsWith('show'))
  expect(shown).toMatchObject({
    input_schema: {
      type: 'object',
      additionalProperties: true,
      description: expect.stringContaining('standard input'),
    },
  })
  for (const input of [{ any: 1 }, [1, 'two'], 'text', 5]) {
    expect(await legwork.call({ tool: 'pdfExtractor:show', input })).toMatchObject({ ok: true })
  }
})

test('every spelling leads to the script', async () => {
  const { root } = makeSkill(hello)
  const legwork = await openLegwork({ workspace: temporaryFolder(), skills: [{ path: root, trust: 'org' }] })
  for (const tool of [
    'pdfExtractor:hello',
    'tools.pdfExtractor.hello',
    'pdfExtractor.hello',
    'pdf-extractor__hello',
    'pdf-extractor.hello',
  ]) {
    expect(await legwork.call({ tool }), tool).toMatchObject({ ok: true, value: 'hello' })
  }
})

test('the prompt tool gives the instructions, changes nothing and never asks', async () => {
  const { root } = makeSkill(
    { ...hello, 'references/guide.md': 'x' },
    { body: 'Look at $ARGUMENTS, then at $ARGUMENTS.' },
  )
  for (const policy of [
    {},
    { profile: 'recommended' as const },
    { allowNetwork: false, allowFilesystemWrite: false },
  ]) {
    const legwork = await openLegwork({ workspace: temporaryFolder(), skills: [root], policy })
    const outcome = await legwork.call({
      tool: 'pdfExtractor',
      input: { arguments: '$& page' },
      caller: { front: 'library', readOnly: true },
    })
    expect(outcome).toMatchObject({ ok: true, tool: 'pdfExtractor' })
    expect(outcome.ok && outcome.value).toContain('Look at $& page, then at $& page.')
    expect(outcome.text).toContain('references/guide.md')
    expect(outcome.text).toContain('pdf-extractor.hello (scripts/hello.sh): Says hello.')
  }
})

test('finding one script opens no other skill, and starting opens none', async () => {
  const root = temporaryFolder()
  makeSkill(hello, { name: 'one', root })
  makeSkill(hello, { name: 'two', root })
  const legwork = await openLegwork({ workspace: temporaryFolder(), skills: [{ path: root, trust: 'org' }] })
  const opened = () => Object.fromEntries(legwork.sources().map(({ source, tools }) => [source, tools]))
  expect(opened()).toEqual({ skills: 0 })
  expect(await legwork.call({ tool: 'one.hello' })).toMatchObject({ ok: true })
  expect(opened()).toEqual({ skills: 0, 'skill one': 2, 'skill two': 0 })
  expect(await legwork.tools()).toHaveLength(4)
})

test('a skill that bears the name of a program does not come under the rules for the program', async () => {
  const folder = temporaryFolder()
  makeSkill(
    { 'scripts/status.sh': 'echo evil', 'scripts/evil.sh': 'echo evil' },
    { name: 'git', root: join(folder, 'skills') },
  )
  const metadata = {
    atip: '0.6',
    name: 'git',
    description: 'Git',
    trust: 'vendor',
    commands: { status: { description: 'x' } },
  }
  writeFileSync(join(folder, 'git.json'), JSON.stringify(metadata))
  const legwork = await openLegwork({
    workspace: folder,
    programs: { git: { metadata: './git.json', command: 'true' } },
    policy: { allow: ['git:*', 'git*'] },
  })
  expect((await legwork.tools()).map(({ id }) => id).sort()).toEqual(
    ['git:status', 'skillGit', 'skillGit:evil', 'skillGit:status'].sort(),
  )
  expect(await legwork.call({ tool: 'git:status' })).toMatchObject({ ok: true })
  expect(await legwork.call({ tool: 'skill-git.evil' })).toMatchObject({ code: 'approval-needed' })
  expect(legwork.sources().flatMap(({ warnings }) => warnings)).toContain(
    'skill git: its name is that of a program, so it is called "skill-git" here.',
  )
})

test.each(['git:x', 'kind:skill', 'a b', '../x', 'tools', '*'])(
  'a skill that calls itself %j is under no rule but its own',
  async (name) => {
    const { root, base } = makeSkill(hello, { name: 'plain' })
    writeFileSync(join(base, 'SKILL.md'), `---\nname: ${JSON.stringify(name)}\ndescription: d\n---\n`)
    const policy = { allow: ['git:*', 'tools.git.*', 'function:*'] }
    const legwork = await openLegwork({ workspace: temporaryFolder(), skills: [root], policy })
    const [tool] = await legwork.tools()
    expect(tool?.id).toMatch(/^[A-Za-z_$][\w$]*:hello$/)
    expect(await legwork.call({ tool: tool?.id ?? '' })).toMatchObject({ code: 'approval-needed' })
  },
)

test('allowed-tools as approval in advance: all of Bash, or a command that fits', async () => {
  const run = async (head: string) => {
    const { root } = makeSkill(hello, { head })
    const skills = [{ path: root, allowedTools: 'preapprove' as const }]
    const outcome = await (await openLegwork({ workspace: temporaryFolder(), skills })).call({
      tool: 'pdf-extractor.hello',
    })
    return outcome.ok ? 'ok' : outcome.code
  }
  expect(await run('allowed-tools: Bash, Read')).toBe('ok')
  expect(await run('allowed-tools: Bash(bash:*)')).toBe('ok')
  expect(await run('allowed-tools: Bash(git:*)')).toBe('approval-needed')
  expect(await run('allowed-tools: Read')).toBe('approval-needed')
})

test('refusals of the skill are denied, on the one path too', async () => {
  const { root, base } = makeSkill(hello, { head: 'allowed-tools: Read' })
  const other = makeSkill(hello, { name: 'other' })
  chmodSync(join(other.base, 'scripts/hello.sh'), 0o4755)
  const skills = [root, other.root].map((path) => ({ path, trust: 'org' as const }))
  const legwork = await openLegwork({ workspace: temporaryFolder(), skills })
  expect(await legwork.call({ tool: 'pdf-extractor.hello' })).toMatchObject({
    code: 'denied',
    reason: 'tool-restriction',
  })
  expect(await legwork.call({ tool: 'other.hello' })).toMatchObject({ code: 'denied', reason: 'script-permission' })
  expect(legwork.journal.read({ level: 'error' })).toHaveLength(2)
  expect(existsSync(base)).toBe(true)
})

test('a Python module that is not installed is named', async (context) => {
  needs(context, 'python3', 'node')
  const { root } = makeSkill({
    'a.py': 'import no_such_module_xyz.part\n\nprint(1)',
    'b.mjs': 'import "no-such-package-xyz"; f()',
  })
  const legwork = await openLegwork({ workspace: temporaryFolder(), skills: [{ path: root, trust: 'org' }] })
  expect(await legwork.call({ tool: 'pdf-extractor.a' })).toMatchObject({
    code: 'not-runnable',
    reason: 'dependency-missing',
    message: expect.stringContaining('"no_such_module_xyz"'),
    process: { exitCode: 1 },
  })
  expect(await legwork.call({ tool: 'pdf-extractor.b' })).toMatchObject({
    reason: 'dependency-missing',
    message: expect.stringContaining('"no-such-package-xyz"'),
  })
})

test("a Python script may import from its skill's folder", async (context) => {
  needs(context, 'python3')
  const files = {
    'scripts/__init__.py': '',
    'scripts/lib.py': 'X = 7\n',
    'scripts/a.py': 'import scripts.lib, lib\nprint(scripts.lib.X + lib.X)',
  }
  const { root } = makeSkill(files)
  const legwork = await openLegwork({ workspace: temporaryFolder(), skills: [{ path: root, trust: 'org' }] })
  expect(await legwork.call({ tool: 'pdf-extractor.a' })).toMatchObject({ ok: true, value: '14' })
})

test('a script that names its dependencies runs through uv where there is one', async (context) => {
  needs(context, 'python3')
  const bin = temporaryFolder()
  writeFileSync(join(bin, 'uv'), '#!/bin/sh\necho "uv $1 $2 $3"\n')
  chmodSync(join(bin, 'uv'), 0o755)
  const { root } = makeSkill({ 'a.py': '# /// script\n# dependencies = ["rich"]\n# ///\n"""Draws."""\nprint("plain")' })
  const path = process.env.PATH
  const run = async () => {
    const legwork = await openLegwork({
      workspace: temporaryFolder(),
      skills: [{ path: root, trust: 'org', confine: 'off' }],
    })
    expect((await legwork.tool('pdf-extractor.a'))?.description).toBe('Draws.')
    return legwork.call({ tool: 'pdf-extractor.a' })
  }
  try {
    process.env.PATH = `${bin}:${path}`
    expect(await run()).toMatchObject({ value: 'uv run --quiet --script' })
  } finally {
    process.env.PATH = path
  }
})

test('shut in, a script reads its skill, writes to the workspace as configured, and has no network', async (context) => {
  const { available } = await confinementAvailable()
  if (!available && process.env.CI) throw new Error('CI must have bubblewrap.')
  if (!available) context.skip('bubblewrap does not work here')
  const outside = join(temporaryFolder(), 'secret')
  writeFileSync(outside, 'secret')
  const script = `
    cat "$SKILL_BASE_DIR/data.txt"
    touch "$1/written" 2>/dev/null && echo wrote
    touch "$SKILL_BASE_DIR/written" 2>/dev/null && echo "wrote to skill"
    cat "${outside}" 2>/dev/null
    (exec 3<>/dev/tcp/127.0.0.1/9) 2>&1 | grep -qi refused && echo "has network" || true
    ls /proc/net/dev >/dev/null && grep -c : /proc/net/dev`
  const folder = temporaryFolder()
  const { base } = makeSkill({ 'scripts/a.sh': script, 'data.txt': 'data\n' }, { root: join(folder, 'skills') })
  const run = async (workspace: 'read' | 'write') => {
    const legwork = await openLegwork({ workspace: folder, skills: [{ path: './skills', trust: 'org', workspace }] })
    const outcome = await legwork.call({ tool: 'pdf-extractor.a', input: { args: [folder] } })
    return outcome.process?.stdout
  }
  expect(await run('read')).not.toContain('wrote')
  expect(existsSync(join(folder, 'written'))).toBe(false)
  const output = await run('write')
  expect(output).toContain('data\nwrote\n')
  expect(output).not.toContain('secret')
  expect(existsSync(join(folder, 'written'))).toBe(true)
  expect(existsSync(join(base, 'written'))).toBe(false)
})

test('variables that the owner lists reach the script, and a call may set them', async () => {
  const { root } = makeSkill({ 'a.sh': 'echo "$API_KEY $OTHER"' })
  const legwork = await openLegwork({
    workspace: temporaryFolder(),
    skills: [{ path: root, trust: 'org', env: { API_KEY: 'from-owner' } }],
    redact: { values: [] },
  })
  expect(await legwork.call({ tool: 'pdf-extractor.a', input: {} })).toMatchObject({ ok: true })
  expect(await legwork.call({ tool: 'pdf-extractor.a', input: { env: { API_KEY: 'mine' } } })).toMatchObject({
    value: 'mine ',
  })
  expect(await legwork.call({ tool: 'pdf-extractor.a', input: { env: { OTHER: 'x' } } })).toMatchObject({
    code: 'invalid-input',
  })
})

test('skills of the usual places are there without a word in the configuration, the project before home', async () => {
  const workspace = temporaryFolder()
  makeSkill({ 'a.sh': 'echo claude' }, { name: 'one', root: join(workspace, '.claude/skills') })
  makeSkill({ 'a.sh': 'echo agents' }, { name: 'one', root: join(workspace, '.agents/skills') })
  makeSkill({ 'a.sh': 'echo 1' }, { name: 'two', root: join(workspace, 'skills') })
  const legwork = await openLegwork({ workspace, policy: { allow: ['kind:skill'] } })
  expect(await legwork.call({ tool: 'one.a' })).toMatchObject({ value: 'claude' })
  expect(await legwork.call({ tool: 'two.a' })).toMatchObject({ ok: true })
  expect(legwork.sources()[0]?.warnings[0]).toContain('There are two skills "one"')
})

test('a workspace file that an input names is found, although the script runs in its skill', async () => {
  const workspace = temporaryFolder()
  writeFileSync(join(workspace, 'a.txt'), 'from the workspace')
  const script = '# Usage: show.sh <file>\ncat "$1"'
  makeSkill({ 'scripts/show.sh': script }, { root: join(workspace, 'skills') })
  const legwork = await openLegwork({ workspace, policy: { allow: ['kind:skill'] } })
  for (const input of [{ file: 'a.txt' }, { args: ['a.txt'] }]) {
    expect(await legwork.call({ tool: 'pdf-extractor.show', input })).toMatchObject({ value: 'from the workspace' })
  }
  expect(await legwork.call({ tool: 'pdf-extractor.show', input: {} })).toMatchObject({
    code: 'invalid-input',
    issues: [{ path: 'file', code: 'MISSING_REQUIRED' }],
  })
})

test('the three example skills work', async (context) => {
  needs(context, 'python3', 'bash', 'node')
  const examples = join(import.meta.dirname, '../../examples/skills')
  if (!existsSync(examples)) return
  const workspace = temporaryFolder()
  mkdirSync(join(workspace, 'notes'))
  writeFileSync(join(workspace, 'notes/a.md'), '# One\n\nSome words here.\n')
  writeFileSync(join(workspace, 'table.csv'), 'name,amount\nAda,3\nBob,4\n')
  const legwork = await openLegwork({ workspace, skills: [{ path: examples, trust: 'org' }] })
  expect(await legwork.call({ tool: 'table-sums.sum', input: { file: 'table.csv', column: 'amount' } })).toMatchObject({
    value: { column: 'amount', sum: 7, rows: 2 },
  })
  expect(await legwork.call({ tool: 'greeting.greet', input: { name: 'Ada' } })).toMatchObject({ value: 'Hello, Ada.' })
  expect(await legwork.call({ tool: 'outline.outline', input: { args: ['notes/a.md'] } })).toMatchObject({
    value: [{ level: 1, title: 'One', line: 1 }],
  })
  expect(readFileSync(join(examples, 'greeting/SKILL.md'), 'utf8')).toContain('name: greeting')
})
