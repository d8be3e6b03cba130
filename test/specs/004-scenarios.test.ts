import { chmodSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PathSecurityError, ScriptPermissionError, SkillManager, ToolRestrictionError } from '../../src/doors/skill.ts'
import type { CallEvent } from '../../src/index.ts'
import { lastEntries, makeSkill, needs, openManager, quickestDetectionMs } from '../support/skill.ts'
import { temporaryFolder } from '../support/temporary.ts'

const echoPython = `"""Says back what it gets."""
import json, os, sys
print(json.dumps({"cwd": os.getcwd(), "input": json.load(sys.stdin)}))
print("aside", file=sys.stderr)
`

test('004/US1-1 a Python script gets the arguments as JSON on stdin, in its skill folder, and its output comes back', async (context) => {
  needs(context, 'python3')
  const skill = makeSkill({ 'scripts/extract.py': echoPython })
  const manager = openManager(skill)
  const result = await manager.executeSkillScript('pdf-extractor', 'extract', { file_path: '/path/to/doc.pdf' })
  expect(JSON.parse(result.stdout)).toEqual({ cwd: skill.base, input: { file_path: '/path/to/doc.pdf' } })
  expect(result).toMatchObject({ stderr: 'aside\n', exit_code: 0, script_path: 'scripts/extract.py', signal: null })
})

test('004/US1-2 the transformed data of a script that exits with 0 is in stdout', async () => {
  const manager = openManager(makeSkill({ 'scripts/upper.sh': 'tr a-z A-Z' }))
  const result = await manager.executeSkillScript('pdf-extractor', 'upper', { stdin: 'hello' })
  expect(result).toMatchObject({ stdout: 'HELLO', exit_code: 0 })
})

test('004/US1-3 the error message of a script that fails is captured from stderr', async () => {
  const manager = openManager(makeSkill({ 'scripts/fail.sh': 'echo "no such page" >&2; exit 3' }))
  const result = await manager.executeSkillScript('pdf-extractor', 'fail')
  expect(result).toMatchObject({ stdout: '', stderr: 'no such page\n', exit_code: 3 })
})

test('004/US1-4 a nested script is found relative to the skill folder', async (context) => {
  needs(context, 'python3')
  const skill = makeSkill({ 'scripts/utils/parser.py': echoPython })
  const manager = openManager(skill)
  const byPath = await manager.executeSkillScript('pdf-extractor', 'scripts/utils/parser.py')
  const byName = await manager.executeSkillScript('pdf-extractor', 'parser')
  expect(byPath.script_path).toBe('scripts/utils/parser.py')
  expect(JSON.parse(byPath.stdout).cwd).toBe(skill.base)
  expect(byName.stdout).toBe(byPath.stdout)
})

test('004/US1-5 a segmentation fault is exit code -11, "Signal: SIGSEGV", and an error in the journal', async () => {
  const manager = openManager(makeSkill({ 'scripts/crash.sh': 'kill -SEGV $$' }))
  const events: CallEvent[] = []
  manager.on((event) => void events.push(event))
  const result = await manager.executeSkillScript('pdf-extractor', 'crash')
  expect(result).toMatchObject({ exit_code: -11, stderr: 'Signal: SIGSEGV', signal: 'SIGSEGV' })
  expect(lastEntries(manager)[0]).toMatchObject({ level: 'error', process: { signal: 'SIGSEGV' } })
  expect(events).toContainEqual(expect.objectContaining({ type: 'log', level: 'error' }))
})

test('004/US2-1 a path out of the skill is a PathSecurityError, blocked before anything runs, and logged', async () => {
  const manager = openManager(makeSkill({ 'scripts/a.sh': 'echo a' }))
  const run = manager.executeSkillScript('pdf-extractor', '../../etc/passwd')
  await expect(run).rejects.toThrow(PathSecurityError)
  await expect(run).rejects.toMatchObject({ code: 'path-security', skill: 'pdf-extractor' })
  expect(lastEntries(manager)[0]).toMatchObject({
    level: 'error',
    code: 'denied',
    skill: 'pdf-extractor',
    script: '../../etc/passwd',
  })
})

test('004/US2-2 a script with setuid or setgid permission is a ScriptPermissionError', async () => {
  const skill = makeSkill({ 'scripts/setuid.sh': 'echo ran', 'scripts/setgid.sh': 'echo ran' })
  chmodSync(join(skill.base, 'scripts/setuid.sh'), 0o4755)
  chmodSync(join(skill.base, 'scripts/setgid.sh'), 0o2755)
  const manager = openManager(skill)
  for (const script of ['setuid', 'setgid']) {
    await expect(manager.executeSkillScript('pdf-extractor', script)).rejects.toThrow(ScriptPermissionError)
  }
})

test('004/US2-3 every run leaves an entry with time, skill, script, cut arguments, exit code and duration', async () => {
  const manager = openManager(makeSkill({ 'scripts/ok.sh': 'cat >/dev/null', 'scripts/bad.sh': 'exit 9' }))
  await manager.executeSkillScript('pdf-extractor', 'ok', { text: 'x'.repeat(1_000) })
  await manager.executeSkillScript('pdf-extractor', 'bad')
  const [bad, ok] = lastEntries(manager)
  expect(ok).toMatchObject({ skill: 'pdf-extractor', script: 'scripts/ok.sh', process: { exitCode: 0 } })
  expect(bad).toMatchObject({ skill: 'pdf-extractor', script: 'scripts/bad.sh', process: { exitCode: 9 } })
  const start = manager.journal.read({ phase: 'start' }).find(({ callId }) => callId === ok?.callId)
  expect(start?.input).toHaveLength(256)
  for (const entry of [bad, ok]) {
    expect(Date.parse(entry?.at ?? '')).toBeGreaterThan(Date.now() - 60_000)
    expect(entry?.durationMs).toBeGreaterThan(0)
  }
})

test('004/US2-4 a link that leads out of the skill is a PathSecurityError', async () => {
  const outside = join(temporaryFolder(), 'evil.sh')
  writeFileSync(outside, 'echo evil')
  const skill = makeSkill({})
  symlinkSync(outside, join(skill.base, 'link.sh'))
  const manager = openManager(skill)
  await expect(manager.executeSkillScript('pdf-extractor', 'link.sh')).rejects.toThrow(PathSecurityError)
})

const endless = 'echo begun; while true; do sleep 1; done'

test('004/US3-1 an infinite loop is killed at the timeout, 30 seconds by default, with exit code 124 and "Timeout"', async () => {
  expect(new SkillManager().timeout).toBe(30)
  const manager = openManager(makeSkill({ 'scripts/loop.sh': endless }), { timeout: 1 })
  const result = await manager.executeSkillScript('pdf-extractor', 'loop')
  expect(result).toMatchObject({ exit_code: 124, stderr: 'Timeout', stdout: 'begun\n' })
})

test('004/US3-2 a timeout of 60 seconds is respected instead of the default', async () => {
  const skill = makeSkill({ 'scripts/loop.sh': endless })
  expect(openManager(skill, { timeout: 60 }).timeout).toBe(60)
  const started = performance.now()
  await openManager(skill, { timeout: 2 }).executeSkillScript('pdf-extractor', 'loop')
  expect(performance.now() - started).toBeGreaterThan(1_900)
})

test('004/US3-3 a timeout leaves a warning in the journal with its details', async () => {
  const manager = openManager(makeSkill({ 'scripts/loop.sh': endless }), { timeout: 1 })
  const logged: CallEvent[] = []
  manager.on((event) => void (event.type === 'log' && logged.push(event)))
  await manager.executeSkillScript('pdf-extractor', 'loop')
  expect(lastEntries(manager)[0]).toMatchObject({ level: 'warning', code: 'timed-out', script: 'scripts/loop.sh' })
  expect(lastEntries(manager)[0]?.message).toContain('1000 ms')
  expect(logged).toEqual([expect.objectContaining({ level: 'warning' })])
})

test('004/US3-4 the time that a script took is measured and given in milliseconds', async () => {
  const manager = openManager(makeSkill({ 'scripts/nap.sh': 'sleep 0.3' }))
  const { execution_time_ms } = await manager.executeSkillScript('pdf-extractor', 'nap')
  expect(execution_time_ms).toBeGreaterThan(290)
  expect(execution_time_ms).toBeLessThan(10_000)
})

const hello = { 'scripts/hello.sh': 'echo hello' }

test('004/US4-1 a script runs where the allowed tools have Bash', async () => {
  const manager = openManager(makeSkill(hello, { head: 'allowed-tools: Bash, Read, Write' }))
  expect(await manager.executeSkillScript('pdf-extractor', 'hello')).toMatchObject({ stdout: 'hello\n' })
})

test('004/US4-2 without Bash among the allowed tools it is a ToolRestrictionError', async () => {
  const manager = openManager(makeSkill(hello, { head: 'allowed-tools: Read, Write' }))
  const run = manager.executeSkillScript('pdf-extractor', 'hello')
  await expect(run).rejects.toThrow(ToolRestrictionError)
  await expect(run).rejects.toThrow("Tool 'Bash' not allowed for skill")
})

test('004/US4-3 without allowed tools nothing is restricted', async () => {
  for (const head of ['', 'allowed-tools:', 'allowed-tools: []', 'allowed-tools: ""']) {
    const manager = openManager(makeSkill(hello, { head }))
    expect((await manager.executeSkillScript('pdf-extractor', 'hello')).stdout, head).toBe('hello\n')
  }
})

test('004/US4-4 the error names the skill and lists its allowed tools', async () => {
  const manager = openManager(makeSkill(hello, { head: 'allowed-tools: [Read, Write]' }))
  const run = manager.executeSkillScript('pdf-extractor', 'hello')
  await expect(run).rejects.toMatchObject({ skill: 'pdf-extractor', allowedTools: ['Read', 'Write'] })
  await expect(run).rejects.toThrow(/'pdf-extractor'.*Read, Write/)
})

const printEnvironment = { 'scripts/env.sh': 'echo "$SKILL_NAME|$SKILL_VERSION|$SKILL_BASE_DIR|$SKILLKIT_VERSION"' }

test('004/US5-1 the script knows the name and the version of its skill', async () => {
  const manager = openManager(makeSkill(printEnvironment, { head: 'version: 1.0.0' }))
  const { stdout } = await manager.executeSkillScript('pdf-extractor', 'env')
  expect(stdout).toMatch(/^pdf-extractor\|1\.0\.0\|/)
})

test('004/US5-2 the script knows the folder of its skill', async () => {
  const skill = makeSkill(printEnvironment)
  const { stdout } = await openManager(skill).executeSkillScript('pdf-extractor', 'env')
  expect(stdout.split('|')[2]).toBe(skill.base)
})

test("004/US5-3 the script knows the library's version", async () => {
  const { default: packaged } = await import('../../package.json', { with: { type: 'json' } })
  const { stdout } = await openManager(makeSkill(printEnvironment)).executeSkillScript('pdf-extractor', 'env')
  expect(stdout.trim().split('|')[3]).toBe(packaged.version)
})

test('004/US5-4 a file is found by SKILL_BASE_DIR', async () => {
  const skill = makeSkill({ 'scripts/read.sh': 'cat "$SKILL_BASE_DIR/data/config.yaml"', 'data/config.yaml': 'a: 1\n' })
  expect((await openManager(skill).executeSkillScript('pdf-extractor', 'read')).stdout).toBe('a: 1\n')
})

test('004/US6-1 all scripts are detected with their relative paths when the skill is first used', async () => {
  const files = ['scripts/extract.py', 'scripts/convert.sh', 'scripts/utils/parser.py']
  const skill = makeSkill(Object.fromEntries(files.map((file) => [file, 'print(1)'])))
  const manager = openManager(skill)
  await manager.invokeSkill('pdf-extractor')
  expect((await manager.listScripts('pdf-extractor')).map(({ path }) => path).sort()).toEqual(files.sort())
})

test('004/US6-2 files that are no scripts are left out', async () => {
  const files = { 'scripts/a.sh': 'echo a', 'data/config.yaml': 'a: 1', 'README.md': '# Read', 'notes.txt': 'x' }
  const manager = openManager(makeSkill(files))
  expect((await manager.listScripts('pdf-extractor')).map(({ path }) => path)).toEqual(['scripts/a.sh'])
})

test('004/US6-3 fifty scripts are detected in under 10 milliseconds', async () => {
  const files = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`scripts/s${at}.py`, echoPython]))
  const skill = makeSkill(files)
  expect(await openManager(skill).listScripts('pdf-extractor')).toHaveLength(50)
  expect(await quickestDetectionMs(skill)).toBeLessThan(10)
})

test('004/US6-4 the type of a script follows from its extension', async () => {
  const extensions = ['py', 'sh', 'js', 'rb', 'pl', 'mjs', 'cjs', 'ts']
  const files = Object.fromEntries(extensions.map((extension) => [`scripts/${extension}1.${extension}`, 'print 1']))
  const scripts = await openManager(makeSkill(files)).listScripts('pdf-extractor')
  const types = Object.fromEntries(scripts.map(({ name, script_type }) => [name, script_type]))
  expect(types).toEqual({
    py1: 'python',
    sh1: 'bash',
    js1: 'node',
    mjs1: 'node',
    cjs1: 'node',
    ts1: 'node',
    rb1: 'ruby',
    pl1: 'perl',
  })
})
