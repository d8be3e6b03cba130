import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { langChainTools } from '../../src/adapters/langchain-skill.ts'
import { ArgumentSerializationError, ScriptNotFoundError, ScriptNotStartedError } from '../../src/doors/skill.ts'
import { lastEntries, makeSkill, needs, openManager } from '../support/skill.ts'
import { temporaryFolder } from '../support/temporary.ts'

test('004/Q1 scripts are detected when the skill is first used, not when it is found', async () => {
  const skill = makeSkill({ 'scripts/a.sh': 'echo 1' })
  const manager = openManager(skill)
  await manager.discover()
  rmSync(join(skill.base, 'scripts/a.sh'))
  writeFileSync(join(skill.base, 'scripts/b.sh'), 'echo 2')
  await manager.invokeSkill('pdf-extractor')
  expect((await manager.listScripts('pdf-extractor')).map(({ name }) => name)).toEqual(['b'])
})

test('004/Q2 three scripts are three StructuredTools', async () => {
  const files = { 'scripts/extract.sh': 'echo 1', 'scripts/convert.sh': 'echo 1', 'scripts/parse.sh': 'echo 1' }
  const names = (await langChainTools(openManager(makeSkill(files, { body: '' })))).map(({ name }) => name)
  expect(names).toEqual(['pdf-extractor.convert', 'pdf-extractor.extract', 'pdf-extractor.parse'])
})

test('004/Q3 the prompt tool remains, if there is a prompt, and script tools are added', async () => {
  const files = { 'scripts/a.sh': 'echo 1' }
  const withPrompt = await langChainTools(openManager(makeSkill(files, { body: 'Read $ARGUMENTS carefully.' })))
  const without = await langChainTools(openManager(makeSkill(files, { body: '' })))
  expect(withPrompt.map(({ name }) => name)).toEqual(['pdf-extractor', 'pdf-extractor.a'])
  expect(without.map(({ name }) => name)).toEqual(['pdf-extractor.a'])
  expect(await withPrompt[0]?.invoke({ arguments: 'page 3' })).toContain('Read page 3 carefully.')
})

test('004/Q4 the input of a script tool is any JSON in one field', async () => {
  const [, tool] = await langChainTools(openManager(makeSkill({ 'a.sh': 'cat' })))
  for (const input of [{ a: [1] }, [1, 2], 'text', 3, null]) {
    expect(JSON.parse(await tool?.invoke({ input }))).toEqual(input)
  }
})

test('004/Q5 the description is the first comment or docstring, else empty', async () => {
  const files = {
    'a.sh': '#!/bin/bash\n\n# Turns A into B.\necho 1',
    'b.py': '"""Reads\n\n    one page.\n"""\nprint(1)',
    'c.js': '/**\n * Counts words.\n */\nconsole.log(1)',
    'd.py': 'import sys\nprint(1)',
  }
  const [, ...tools] = await langChainTools(openManager(makeSkill(files)))
  expect(tools.map(({ description }) => description)).toEqual([
    'Turns A into B.',
    'Reads\n\none page.',
    'Counts words.',
    '',
  ])
})

test('004/Q6 stdout is the content on success, and failure is an exception with stderr as its message', async () => {
  const [, good, bad] = await langChainTools(
    openManager(makeSkill({ 'a.sh': 'echo fine', 'b.sh': 'echo bad >&2; exit 1' })),
  )
  expect(await good?.invoke({ input: {} })).toBe('fine\n')
  await expect(bad?.invoke({ input: {} })).rejects.toThrow('bad\n')
})

test('004/Q7 arguments are JSON on stdin', async (context) => {
  needs(context, 'node')
  const script = "let t=''; for await (const c of process.stdin) t += c; console.log(Object.keys(JSON.parse(t)).join())"
  const manager = openManager(makeSkill({ 'keys.mjs': script }))
  expect((await manager.executeSkillScript('pdf-extractor', 'keys', { one: 1, two: 2 })).stdout).toBe('one,two\n')
})

test('004/Q8 the extension says what runs a script, then its first line', async (context) => {
  needs(context, 'python3', 'node', 'ruby', 'perl')
  const files = {
    'a.py': 'import sys; print("python", sys.version_info[0])',
    'b.sh': 'echo "bash ${BASH_VERSION%%.*}" | cut -c1-4',
    'c.js': 'console.log("node")',
    'd.rb': 'puts "ruby"',
    'e.pl': 'print "perl\\n"',
    f: '#!/usr/bin/env -S perl -w\nprint "first line\\n"',
    // The extension goes first.
    'g.sh': '#!/usr/bin/python3\necho shell',
  }
  const manager = openManager(makeSkill(files))
  const run = async (script: string) => (await manager.executeSkillScript('pdf-extractor', script)).stdout.trim()
  const all = [
    await run('a'),
    await run('b'),
    await run('c'),
    await run('d'),
    await run('e'),
    await run('f'),
    await run('g'),
  ]
  expect(all).toEqual(['python 3', 'bash', 'node', 'ruby', 'perl', 'first line', 'shell'])
})

test('004/Q9 output beyond 10 MB is cut, with a warning', async () => {
  const manager = openManager(makeSkill({ 'a.sh': 'yes | head -c 20000000' }))
  const result = await manager.executeSkillScript('pdf-extractor', 'a')
  expect(result.stdout_truncated).toBe(true)
  expect(lastEntries(manager)[0]).toMatchObject({
    level: 'warning',
    message: expect.stringContaining('20000000 bytes'),
  })
})

test('004/Q10 spaces and brackets in a path do no harm', async () => {
  const manager = openManager(makeSkill({ 'scripts/my script.sh': 'echo 1', 'scripts/file[1].sh': 'echo 2' }))
  expect((await manager.executeSkillScript('pdf-extractor', 'my script')).stdout).toBe('1\n')
  expect((await manager.executeSkillScript('pdf-extractor', 'scripts/file[1].sh')).stdout).toBe('2\n')
})

test('004/Q11 a signal is a negative exit code and "Signal: NAME"', async () => {
  const files = { 'segv.sh': 'kill -SEGV $$', 'kill.sh': 'kill -KILL $$', 'abrt.sh': 'kill -ABRT $$' }
  for (const confine of ['auto', 'off'] as const) {
    const manager = openManager(makeSkill(files), { confine })
    const run = async (script: string) => {
      const { exit_code, stderr } = await manager.executeSkillScript('pdf-extractor', script)
      return [exit_code, stderr]
    }
    expect(await run('segv')).toEqual([-11, 'Signal: SIGSEGV'])
    expect(await run('kill')).toEqual([-9, 'Signal: SIGKILL'])
    expect(await run('abrt')).toEqual([-6, 'Signal: SIGABRT'])
  }
})

test('004/Q12 the same script runs many times at once, each on its own', async () => {
  const manager = openManager(makeSkill({ 'a.sh': 'cat; echo " $$"' }), { confine: 'off' })
  const runs = Array.from({ length: 20 }, (_, at) => manager.executeSkillScript('pdf-extractor', 'a', at))
  const outputs = (await Promise.all(runs)).map(({ stdout }) => stdout.trim().split(' '))
  expect(outputs.map(([input]) => Number(input))).toEqual(Array.from({ length: 20 }, (_, at) => at))
  expect(new Set(outputs.map(([, pid]) => pid)).size).toBe(20)
})

test('004/Edge special characters in paths: every character but separators', async () => {
  const names = ['a b.sh', 'x[1].sh', 'q"uote.sh', 'semi;colon.sh', 'per%cent.sh', 'tab\there.sh', 'ends.with..dots.sh']
  const manager = openManager(makeSkill(Object.fromEntries(names.map((name) => [name, 'echo 1']))))
  for (const name of names) expect((await manager.executeSkillScript('pdf-extractor', name)).stdout, name).toBe('1\n')
})

test('004/Edge signals: the last line of stderr where there is more', async () => {
  const manager = openManager(makeSkill({ 'a.sh': 'echo -n oh >&2; kill -SEGV $$' }))
  expect((await manager.executeSkillScript('pdf-extractor', 'a')).stderr).toBe('oh\nSignal: SIGSEGV')
})

test('004/Edge concurrent executions do not wait for one another', async () => {
  const manager = openManager(makeSkill({ 'a.sh': 'sleep 0.5' }))
  const started = performance.now()
  await Promise.all(Array.from({ length: 4 }, () => manager.executeSkillScript('pdf-extractor', 'a')))
  expect(performance.now() - started).toBeLessThan(1_900)
})

test('004/Edge deleted or moved script: a clear error, and the others go on', async () => {
  const skill = makeSkill({ 'a.sh': 'echo 1', 'b.sh': 'echo 2' })
  const manager = openManager(skill)
  await manager.listScripts('pdf-extractor')
  rmSync(join(skill.base, 'a.sh'))
  const run = manager.executeSkillScript('pdf-extractor', 'a')
  await expect(run).rejects.toThrow(ScriptNotFoundError)
  await expect(run).rejects.toThrow('moved or deleted')
  expect((await manager.executeSkillScript('pdf-extractor', 'b')).stdout).toBe('2\n')
})

test('004/Edge working directory without write permission: the script runs, and its own write fails', async () => {
  const skill = makeSkill({ 'a.sh': 'echo 1; touch here || exit 6' })
  const result = await openManager(skill).executeSkillScript('pdf-extractor', 'a')
  const isConfined = result.exit_code === 6
  expect(result.stdout).toBe('1\n')
  if (isConfined) expect(existsSync(join(skill.base, 'here'))).toBe(false)
})

test('004/Edge environment beyond system limits: it says so and does not run', async () => {
  const env = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`LARGE_${at}`, 'x'.repeat(100_000)]))
  const manager = openManager(makeSkill({ 'a.sh': 'echo 1' }), { env })
  const run = manager.executeSkillScript('pdf-extractor', 'a')
  await expect(run).rejects.toThrow(ScriptNotStartedError)
  await expect(run).rejects.toMatchObject({ reason: 'too-large' })
})

test('004/Edge platforms: the interpreter is started with the script as its argument, never by a shell', async () => {
  const manager = openManager(makeSkill({ 'a.sh': 'echo 1' }))
  await manager.executeSkillScript('pdf-extractor', 'a')
  expect(lastEntries(manager)[0]?.process?.argv).toEqual(['bash', expect.stringMatching(/a\.sh$/)])
})

test('004/Edge arguments that are no JSON: an ArgumentSerializationError, and nothing runs', async () => {
  const workspace = temporaryFolder()
  const manager = openManager(makeSkill({ 'a.sh': `touch "${workspace}/ran"` }), { workspace })
  const cycle: Record<string, unknown> = {}
  cycle.self = cycle
  for (const given of [cycle, { big: 1n }, { f: () => 1 }, Symbol('x'), new Map([[1, 2]])]) {
    const run = manager.executeSkillScript('pdf-extractor', 'a', given)
    await expect(run).rejects.toThrow(ArgumentSerializationError)
  }
  expect(existsSync(join(workspace, 'ran'))).toBe(false)
  expect(lastEntries(manager)[0]).toMatchObject({ code: 'invalid-input', skill: 'pdf-extractor' })
})

test('004/Edge scripts that do not read stdin, read half, close it, or cannot parse it', async (context) => {
  needs(context, 'python3')
  const files = {
    'never.sh': 'echo done',
    'half.sh': 'head -c 10 >/dev/null; echo done',
    'close.sh': 'exec <&-; echo done',
    'strict.py': 'import json,sys; json.loads(sys.stdin.read()[1:])',
  }
  const manager = openManager(makeSkill(files))
  const large = { text: 'x'.repeat(2_000_000) }
  for (const script of ['never', 'half', 'close']) {
    expect((await manager.executeSkillScript('pdf-extractor', script, large)).stdout, script).toBe('done\n')
  }
  const unparsed = await manager.executeSkillScript('pdf-extractor', 'strict', { a: 1 })
  expect(unparsed).toMatchObject({ exit_code: 1, stderr: expect.stringContaining('JSONDecodeError') })
})
