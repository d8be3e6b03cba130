import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { langChainTools, ScriptToolError } from '../../src/adapters/langchain-skill.ts'
import {
  InterpreterNotFoundError,
  PathSecurityError,
  ScriptNotStartedError,
  ScriptPermissionError,
  ToolRestrictionError,
} from '../../src/doors/skill.ts'
import { lastEntries, makeSkill, needs, openManager, quickestDetectionMs } from '../support/skill.ts'
import { temporaryFolder } from '../support/temporary.ts'

test('004/FR-001 scripts run with the skill folder as their working directory', async () => {
  const skill = makeSkill({ 'scripts/where.sh': 'pwd', 'here.sh': 'pwd' })
  const manager = openManager(skill)
  for (const script of ['where', 'here']) {
    expect((await manager.executeSkillScript('pdf-extractor', script)).stdout).toBe(`${skill.base}\n`)
  }
})

test('004/FR-002 output, exit code and time are captured; 10 MB a stream, then cut with a warning; signals are negative', async () => {
  const files = {
    'scripts/both.sh': 'echo out; echo err >&2; exit 4',
    'scripts/flood.sh': 'head -c 11000000 /dev/zero | tr "\\0" x',
    'scripts/killed.sh': 'echo late >&2; kill -KILL $$',
  }
  const manager = openManager(makeSkill(files))
  const both = await manager.executeSkillScript('pdf-extractor', 'both')
  expect(both).toMatchObject({ stdout: 'out\n', stderr: 'err\n', exit_code: 4, stdout_truncated: false })
  expect(both.execution_time_ms).toBeGreaterThan(0)

  const flood = await manager.executeSkillScript('pdf-extractor', 'flood')
  expect(flood).toMatchObject({ exit_code: 0, stdout_truncated: true, stderr_truncated: false })
  expect(flood.stdout).toHaveLength(10 * 1_048_576)
  expect(lastEntries(manager)[0]).toMatchObject({ level: 'warning', process: { stdoutBytes: 11_000_000 } })

  const killed = await manager.executeSkillScript('pdf-extractor', 'killed')
  expect(killed).toMatchObject({ exit_code: -9, stderr: 'late\nSignal: SIGKILL', signal: 'SIGKILL' })
  expect(lastEntries(manager)[0]?.level).toBe('error')
})

test('004/FR-003 the four variables are there', async () => {
  const skill = makeSkill({ 'scripts/env.sh': 'env' }, { head: 'metadata:\n  version: "2.1"' })
  const { stdout } = await openManager(skill).executeSkillScript('pdf-extractor', 'env')
  expect(stdout).toMatch(/^SKILL_NAME=pdf-extractor$/m)
  expect(stdout).toMatch(/^SKILL_VERSION=2\.1$/m)
  expect(stdout).toContain(`SKILL_BASE_DIR=${skill.base}\n`)
  expect(stdout).toMatch(/^SKILLKIT_VERSION=\d+\.\d+\.\d+$/m)
})

test('004/FR-004 a path may have any characters and must stay inside the skill', async () => {
  const names = ['my script.sh', 'file[1].sh', 'ünï.sh', "it's.sh", 'a\nb.sh', '$(id).sh', '-n.sh', '*.sh']
  const skill = makeSkill(Object.fromEntries(names.map((name) => [`scripts/${name}`, 'echo ran'])))
  const manager = openManager(skill)
  for (const name of names) {
    expect((await manager.executeSkillScript('pdf-extractor', `scripts/${name}`)).stdout, name).toBe('ran\n')
  }
  await expect(manager.executeSkillScript('pdf-extractor', 'scripts/../../x.sh')).rejects.toThrow(PathSecurityError)
})

test('004/FR-005 a script that takes too long is killed, with everything it started', async () => {
  const workspace = temporaryFolder()
  const script = `(sleep 2; touch "${workspace}/late") & sleep 60`
  const manager = openManager(makeSkill({ 'scripts/slow.sh': script }), { workspace })
  const result = await manager.executeSkillScript('pdf-extractor', 'slow', {}, { timeout: 1 })
  expect(result.exit_code).toBe(124)
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  expect(existsSync(join(workspace, 'late'))).toBe(false)
})

test('004/FR-006 setuid and setgid are refused before anything runs', async () => {
  const workspace = temporaryFolder()
  const skill = makeSkill({ 'scripts/raise.sh': `touch "${workspace}/ran"` })
  const manager = openManager(skill, { workspace })
  await manager.listScripts('pdf-extractor')
  for (const mode of [0o4755, 0o2755, 0o6755]) {
    chmodSync(join(skill.base, 'scripts/raise.sh'), mode)
    await expect(manager.executeSkillScript('pdf-extractor', 'raise')).rejects.toThrow(ScriptPermissionError)
  }
  expect(existsSync(join(workspace, 'ran'))).toBe(false)
})

test('004/FR-007 all executions are logged, arguments cut at 256 characters', async () => {
  const manager = openManager(makeSkill({ 'scripts/a.sh': 'exit 5' }))
  await manager.executeSkillScript('pdf-extractor', 'a', ['y'.repeat(5_000)])
  const [entry] = lastEntries(manager)
  expect(entry).toMatchObject({ skill: 'pdf-extractor', script: 'scripts/a.sh', process: { exitCode: 5 } })
  expect(entry?.at).toMatch(/^\d{4}-\d\d-\d\dT/)
  expect(entry?.durationMs).toBeGreaterThan(0)
  const [start] = manager.journal.read({ phase: 'start' })
  expect(start?.input).toMatch(/^\["y+…$/)
  expect(start?.input).toHaveLength(256)
  expect(manager.journal.verify().ok).toBe(true)
})

test('004/FR-008 without Bash among allowed-tools no script runs', async () => {
  const workspace = temporaryFolder()
  const files = { 'scripts/a.sh': `touch "${workspace}/ran"` }
  const manager = openManager(makeSkill(files, { head: 'allowed-tools: Read Write' }), { workspace })
  await expect(manager.executeSkillScript('pdf-extractor', 'a')).rejects.toThrow(ToolRestrictionError)
  expect(existsSync(join(workspace, 'ran'))).toBe(false)
})

test('004/FR-009 scripts are detected when the skill is used, with interpreter and description', async () => {
  const files = {
    'scripts/a.py': '"""Reads pages."""\nprint(1)',
    'scripts/b.sh': '#!/bin/bash\n# Turns things.\n# Twice.\necho 1',
    'scripts/c.js': '// Counts.\nconsole.log(1)',
    'scripts/d.rb': '# Asks.\nputs 1',
    'scripts/e.pl': '# Tells.\nprint 1',
    'scripts/f.py': 'print(1)',
    'bin/tool': '#!/usr/bin/env python3\n# By its first line.\nprint(1)',
  }
  const skill = makeSkill(files)
  const manager = openManager(skill)
  manager.listSkills()
  writeFileSync(join(skill.base, 'scripts/later.sh'), '# Came later.\necho 1')
  const scripts = await manager.listScripts('pdf-extractor')
  const found = Object.fromEntries(
    scripts.map(({ name, interpreter, description }) => [name, [interpreter, description]]),
  )
  expect(found).toEqual({
    a: ['python3', 'Reads pages.'],
    b: ['bash', 'Turns things.\nTwice.'],
    c: ['node', 'Counts.'],
    d: ['ruby', 'Asks.'],
    e: ['perl', 'Tells.'],
    f: ['python3', ''],
    later: ['bash', 'Came later.'],
    tool: ['python3', 'By its first line.'],
  })
})

test('004/FR-010 links are resolved, and only those that stay inside are followed', async () => {
  const skill = makeSkill({ 'lib/real.sh': 'echo real' })
  const outside = join(temporaryFolder(), 'evil.sh')
  writeFileSync(outside, 'echo evil')
  mkdirSync(join(skill.base, 'scripts'))
  symlinkSync('../lib/real.sh', join(skill.base, 'scripts/inside.sh'))
  symlinkSync(outside, join(skill.base, 'scripts/outside.sh'))
  symlinkSync('outside.sh', join(skill.base, 'scripts/chain.sh'))
  symlinkSync('loop.sh', join(skill.base, 'scripts/loop.sh'))
  const manager = openManager(skill)
  expect((await manager.executeSkillScript('pdf-extractor', 'inside')).stdout).toBe('real\n')
  for (const name of ['outside', 'scripts/outside.sh', 'chain', 'scripts/chain.sh', 'scripts/loop.sh']) {
    await expect(manager.executeSkillScript('pdf-extractor', name), name).rejects.toThrow(PathSecurityError)
  }
})

test('004/FR-011 arguments arrive as JSON on stdin, whatever is in them', async () => {
  const manager = openManager(makeSkill({ 'scripts/cat.sh': 'cat' }))
  const given = { text: '"; rm -rf / #', list: [1, { deep: null }], unicode: 'ü☃', number: 1.5, shell: '$(id)`id`' }
  for (const input of [given, [1, 'two'], 'plain', 7, null, true]) {
    const { stdout } = await manager.executeSkillScript('pdf-extractor', 'cat', input)
    expect(JSON.parse(stdout)).toEqual(input)
  }
})

test('004/FR-012 a script that fails gives its error in the result', async () => {
  const files = {
    'scripts/a.sh': 'echo why >&2; exit 255',
    'scripts/b.sh': 'no-such-program',
    'scripts/c.sh': 'if then',
  }
  const manager = openManager(makeSkill(files))
  expect(await manager.executeSkillScript('pdf-extractor', 'a')).toMatchObject({ exit_code: 255, stderr: 'why\n' })
  expect((await manager.executeSkillScript('pdf-extractor', 'b')).exit_code).toBe(127)
  expect((await manager.executeSkillScript('pdf-extractor', 'c')).stderr).toContain('syntax error')
})

test('004/FR-013 the timeout is a parameter of SkillManager', async () => {
  const skill = makeSkill({ 'scripts/a.sh': 'sleep 30' })
  const started = performance.now()
  const result = await openManager(skill, { timeout: 1 }).executeSkillScript('pdf-extractor', 'a')
  expect(result.exit_code).toBe(124)
  expect(performance.now() - started).toBeLessThan(5_000)
})

test('004/FR-014 each script is a StructuredTool beside the prompt tool, with any JSON as its input', async () => {
  const files = {
    'scripts/extract.sh': '# Extracts.\ncat',
    'scripts/convert.sh': 'echo broken >&2; exit 1',
    'scripts/parse.sh': 'echo parsed',
  }
  const manager = openManager(makeSkill(files))
  const tools = await langChainTools(manager)
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  expect([...byName.keys()].sort()).toEqual([
    'pdf-extractor',
    'pdf-extractor.convert',
    'pdf-extractor.extract',
    'pdf-extractor.parse',
  ])
  expect(byName.get('pdf-extractor.extract')?.description).toBe('Extracts.')
  expect(byName.get('pdf-extractor.extract')?.schema).toMatchObject({ properties: { input: {} }, required: ['input'] })
  const call = { type: 'tool_call', id: 'call-1', name: 'x', args: { input: { any: ['thing'] } } } as const
  const message = await byName.get('pdf-extractor.extract')?.invoke(call)
  expect(message).toMatchObject({
    content: '{"any":["thing"]}',
    artifact: { type: 'tool_result', tool_use_id: 'call-1', content: '{"any":["thing"]}', is_error: false },
  })
  const failing = byName.get('pdf-extractor.convert')?.invoke(call)
  await expect(failing).rejects.toThrow(ScriptToolError)
  await expect(failing).rejects.toMatchObject({
    message: 'broken\n',
    result: { type: 'tool_result', tool_use_id: 'call-1', content: null, is_error: true },
  })
})

test('004/FR-015 scripts/ and the skill folder itself are looked through', async () => {
  const files = { 'scripts/a.sh': 'echo 1', 'b.sh': 'echo 1', 'tools/c.sh': 'echo 1' }
  const scripts = await openManager(makeSkill(files)).listScripts('pdf-extractor')
  expect(scripts.map(({ path }) => path).sort()).toEqual(['b.sh', 'scripts/a.sh', 'tools/c.sh'])
})

test('004/FR-016 nested folders are looked through, five levels deep', async () => {
  const files = { 'scripts/1/2/3/4/5/deep.sh': 'echo deep', 'scripts/1/2/3/4/5/6/too-deep.sh': 'echo deeper' }
  const manager = openManager(makeSkill(files))
  expect((await manager.listScripts('pdf-extractor')).map(({ name }) => name)).toEqual(['deep'])
  expect((await manager.executeSkillScript('pdf-extractor', 'deep')).stdout).toBe('deep\n')
})

test('004/FR-017 detection of fewer than 50 scripts takes less than 10 ms', async () => {
  const files = Object.fromEntries(Array.from({ length: 49 }, (_, at) => [`scripts/s${at}.sh`, '# One\necho 1']))
  const skill = makeSkill(files)
  expect(await quickestDetectionMs(skill)).toBeLessThan(10)
})

test('004/FR-018 the result has exactly its fields', async () => {
  const manager = openManager(makeSkill({ 'scripts/a.sh': 'echo 1' }))
  expect(await manager.executeSkillScript('pdf-extractor', 'a')).toEqual({
    stdout: '1\n',
    stderr: '',
    exit_code: 0,
    execution_time_ms: expect.any(Number),
    script_path: 'scripts/a.sh',
    signal: null,
    stdout_truncated: false,
    stderr_truncated: false,
  })
})

test('004/FR-019 a missing interpreter is an InterpreterNotFoundError', async () => {
  const files = { 'a.py': 'print(1)', 'b.sh': 'echo', 'c.js': 'f(1)', 'd.rb': 'puts 1', 'e.pl': 'print 1' }
  const manager = openManager(makeSkill(files))
  const path = process.env.PATH
  process.env.PATH = temporaryFolder()
  try {
    for (const [script, interpreter] of Object.entries({ a: 'python3', b: 'bash', c: 'node', d: 'ruby', e: 'perl' })) {
      const run = manager.executeSkillScript('pdf-extractor', script)
      await expect(run).rejects.toThrow(InterpreterNotFoundError)
      await expect(run).rejects.toMatchObject({ interpreter })
    }
  } finally {
    process.env.PATH = path
  }
})

test('004/Entity ScriptExecutionResult: stdout, stderr, exit_code, execution_time_ms and script_path', async () => {
  const manager = openManager(makeSkill({ 'scripts/utils/a.sh': 'echo 1; echo 2 >&2; exit 3' }))
  const result = await manager.executeSkillScript('pdf-extractor', 'a')
  expect(result).toMatchObject({ stdout: '1\n', stderr: '2\n', exit_code: 3, script_path: 'scripts/utils/a.sh' })
})

test('004/Entity ScriptToolResult: content is stdout on success, null on error, and errors are thrown', async () => {
  const tools = await langChainTools(openManager(makeSkill({ 'a.sh': 'echo yes', 'b.sh': 'echo no >&2; exit 2' })))
  const [, a, b] = tools
  const call = { type: 'tool_call', id: '7', name: 'x', args: { input: 1 } } as const
  const message = await a?.invoke(call)
  expect(message.artifact).toEqual({ type: 'tool_result', tool_use_id: '7', content: 'yes\n', is_error: false })
  await expect(b?.invoke(call)).rejects.toMatchObject({
    message: 'no\n',
    result: { type: 'tool_result', tool_use_id: '7', content: null, is_error: true },
  })
})

test('004/Entity ScriptMetadata: name, path, script_type and description', async () => {
  const manager = openManager(makeSkill({ 'scripts/utils/a.py': '# Says hello\nprint("hello")' }))
  expect(await manager.listScripts('pdf-extractor')).toEqual([
    { name: 'a', path: 'scripts/utils/a.py', script_type: 'python', interpreter: 'python3', description: 'Says hello' },
  ])
})

test('004/Entity ScriptExecutor: security, timeout, environment and capture in one run', async () => {
  const manager = openManager(makeSkill({ 'scripts/a.sh': 'echo "$SKILL_NAME"; sleep 30' }))
  const result = await manager.executeSkillScript('pdf-extractor', 'a', {}, { timeout: 1 })
  expect(result).toMatchObject({ stdout: 'pdf-extractor\n', exit_code: 124 })
  await expect(manager.executeSkillScript('pdf-extractor', '../a.sh')).rejects.toThrow(PathSecurityError)
})

test('004/Entity ScriptDetector: by extension and by first line', async () => {
  const files = { 'a.py': 'print(1)', run: '#!/bin/sh\necho 1', plain: 'echo 1', 'image.png': '#!/bin/sh\n' }
  const scripts = await openManager(makeSkill(files)).listScripts('pdf-extractor')
  expect(scripts.map(({ path, script_type }) => [path, script_type])).toEqual([
    ['a.py', 'python'],
    ['run', 'bash'],
  ])
})

test('004/Constraint timeout maximum: 600 seconds', async () => {
  const skill = makeSkill({ 'a.sh': 'echo 1' })
  expect(() => openManager(skill, { timeout: 601 })).toThrow('it must be a whole number from 1 to 600')
  await expect(openManager(skill).executeSkillScript('pdf-extractor', 'a', {}, { timeout: 601 })).rejects.toThrow('601')
})

test('004/Constraint argument truncation at 256 characters', async () => {
  const manager = openManager(makeSkill({ 'a.sh': 'cat' }))
  await manager.executeSkillScript('pdf-extractor', 'a', { a: 'b'.repeat(300) })
  const [start] = manager.journal.read({ phase: 'start' })
  expect(start?.input).toHaveLength(256)
})

test('004/Constraint detection depth: five levels', async () => {
  const files = { 'a/b/c/d/e/five.sh': 'echo 5', 'a/b/c/d/e/f/six.sh': 'echo 6' }
  const scripts = await openManager(makeSkill(files)).listScripts('pdf-extractor')
  expect(scripts.map(({ name }) => name)).toEqual(['five'])
})

test('004/Constraint four environment variables, and no other of the host', async () => {
  process.env.LEGWORK_TEST_SECRET = 'should not be seen'
  const manager = openManager(makeSkill({ 'env.sh': 'env' }))
  const { stdout } = await manager.executeSkillScript('pdf-extractor', 'env')
  delete process.env.LEGWORK_TEST_SECRET
  const names = stdout
    .trim()
    .split('\n')
    .map((line) => line.split('=')[0] ?? '')
  expect(names.filter((name) => name.startsWith('SKILL')).sort()).toEqual([
    'SKILLKIT_VERSION',
    'SKILL_BASE_DIR',
    'SKILL_NAME',
    'SKILL_VERSION',
  ])
  const usual = /^(PATH|HOME|TMPDIR|TZ|TERM|LANG|LC_\w+|SHLVL|PWD|OLDPWD|_|PYTHONPATH|SKILL\w+)$/
  expect(names.filter((name) => !usual.test(name))).toEqual([])
})

test('004/Constraint same permissions: a script is who the host is, and nothing more', async () => {
  const manager = openManager(makeSkill({ 'id.sh': 'id -u' }))
  expect((await manager.executeSkillScript('pdf-extractor', 'id')).stdout.trim()).toBe(String(process.getuid?.()))
})

test('004/Constraint detection cache: found once, for the life of the skill, until refreshed', async () => {
  const skill = makeSkill({ 'a.sh': 'echo 1' })
  const manager = openManager(skill)
  expect(await manager.listScripts('pdf-extractor')).toHaveLength(1)
  writeFileSync(join(skill.base, 'b.sh'), 'echo 2')
  expect(await manager.listScripts('pdf-extractor')).toHaveLength(1)
  await manager.refresh('pdf-extractor')
  expect(await manager.listScripts('pdf-extractor')).toHaveLength(2)
})

test('004/Scope binaries: a compiled program is no script and does not run', async () => {
  const skill = makeSkill({ tool: '\x7fELF\x02\x01\x01' })
  chmodSync(join(skill.base, 'tool'), 0o755)
  const manager = openManager(skill)
  expect(await manager.listScripts('pdf-extractor')).toEqual([])
  await expect(manager.executeSkillScript('pdf-extractor', 'tool')).rejects.toThrow(ScriptNotStartedError)
})

test('004/Tool naming pattern: skill.script, and the skill itself for its prompt', async (context) => {
  needs(context, 'python3')
  const skill = makeSkill({ 'scripts/extract.py': 'print("text")', 'scripts/convert.sh': 'echo 1' })
  const tools = await langChainTools(openManager(skill))
  expect(tools.map(({ name }) => name)).toEqual(['pdf-extractor', 'pdf-extractor.convert', 'pdf-extractor.extract'])
  expect(await tools[0]?.invoke({})).toContain('Do it.')
  expect(await tools[2]?.invoke({ input: {} })).toBe('text\n')
})
