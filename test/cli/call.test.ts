import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { runLegwork } from '../support/command.ts'
import { makeProject } from '../support/project.ts'

const json = (text: string) => JSON.parse(text)

test('a call prints its value, as JSON when asked', async () => {
  const cwd = makeProject()
  expect(await runLegwork(['call', 'demo:echo', '{"message": "hi"}'], { cwd })).toMatchObject({
    exitCode: 0,
    stdout: '{\n  "message": "hi"\n}\n',
  })
  const { stdout, exitCode } = await runLegwork(['call', 'demo:echo', '{"message": "hi"}', '--json'], { cwd })
  expect(json(stdout)).toMatchObject({
    ok: true,
    tool: 'demo:echo',
    value: { message: 'hi' },
    text: '{"message":"hi"}',
  })
  expect(exitCode).toBe(0)
})

test.each([['demo.echo({message: "hi"})'], ["tools.demo.echo({message: 'hi',});"], ['demo__echo({"message": "hi"})']])(
  'a call may be written as code: %s',
  async (expression) => {
    const cwd = makeProject()
    const { stdout } = await runLegwork(['call', expression, '--json'], { cwd })
    expect(json(stdout)).toMatchObject({ ok: true, value: { message: 'hi' } })
  },
)

test('the input may come from stdin', async () => {
  const cwd = makeProject()
  const { stdout } = await runLegwork(['call', 'demo:echo', '-', '--json'], { cwd, stdin: '{"message": "piped"}' })
  expect(json(stdout)).toMatchObject({ value: { message: 'piped' } })
})

test.each([
  ['an unknown tool', ['call', 'demo:ehco'], 2, 'unknown-tool', 'Did you mean "demo:echo"?'],
  ['an invalid input', ['call', 'demo:echo', '{}'], 2, 'invalid-input', 'message'],
  ['a denied call', ['call', 'demo:fail'], 3, 'denied', 'deny "demo:fail*"'],
  ['a call that asks', ['call', 'demo:destroy'], 4, 'approval-needed', 'approval'],
  ['a call that takes too long', ['call', 'demo:wait', '--timeout', '50'], 124, 'timed-out', '50 ms'],
  ['a program that fails', ['call', 'sh', '{"file": "fail.sh"}'], 1, 'tool-failed', 'exit code 7'],
])('%s has its exit code, and says why', async (_, words, exitCode, code, message) => {
  const cwd = makeProject()
  const spoken = await runLegwork(words, { cwd })
  expect(spoken.exitCode).toBe(exitCode)
  expect(spoken.stderr).toContain(message)
  const machine = await runLegwork([...words, '--json'], { cwd })
  expect(machine.exitCode).toBe(exitCode)
  expect(json(machine.stdout)).toMatchObject({ ok: false, code })
})

test('a program prints where it would have printed by itself', async () => {
  const cwd = makeProject()
  expect(await runLegwork(['call', 'sh', '{"file": "hello.sh"}'], { cwd })).toEqual({
    exitCode: 0,
    stdout: 'hello\n',
    stderr: 'aside\n',
  })
  const { stdout } = await runLegwork(['call', 'sh', '{"file": "hello.sh"}', '--json'], { cwd })
  expect(json(stdout)).toMatchObject({
    value: 'hello',
    process: {
      argv: ['sh', 'hello.sh'],
      exitCode: 0,
      signal: null,
      stdout: 'hello\n',
      stdoutBytes: 6,
      stderrBytes: 6,
      truncated: false,
    },
  })
})

test('a secret from the configuration reaches neither the terminal nor the JSON', async () => {
  const cwd = makeProject({
    'legwork.jsonc':
      '{ "functions": ["./tools.ts"], "redact": { "values": ["${DEMO_TOKEN}"] }, "journal": { "path": "j.db" } }',
  })
  const env = { DEMO_TOKEN: 'hunter2-hunter2-hunter2' }
  for (const words of [
    ['call', 'demo:secret'],
    ['call', 'demo:secret', '--json'],
  ]) {
    const { stdout, stderr, exitCode } = await runLegwork(words, { cwd, env })
    expect(exitCode).toBe(0)
    expect(stdout + stderr).not.toContain('hunter2')
    expect(stdout).toContain('REDACTED')
  }
})

test('what a tool returns cannot play with the terminal', async () => {
  const { stdout } = await runLegwork(['call', 'demo:ansi'], { cwd: makeProject() })
  expect(stdout).toContain('cleared')
  expect(stdout).not.toMatch(/[\u001b\u202e]/)
})

test.each([
  ['no JSON', ['call', 'demo:echo', '{message: hi}'], 'The input is not JSON'],
  ['two inputs', ['call', 'demo.echo({})', '{}'], 'leave out the second one'],
  ['broken code', ['call', 'demo.echo({message: )'], 'is not one object'],
  ['an unknown verb', ['cal', 'demo:echo'], 'Did you mean call?'],
  ['an unknown option', ['call', 'demo:echo', '--jsn'], '--json'],
  ['no tool', ['call'], 'tool'],
  ['a time that is none', ['call', 'demo:echo', '{"message":""}', '--timeout', 'soon'], '"soon" is not a whole number'],
])('%s is bad usage: exit code 2 and a sentence', async (_, words, sentence) => {
  const { exitCode, stdout, stderr } = await runLegwork(words, { cwd: makeProject() })
  expect(exitCode).toBe(2)
  expect(stdout).toBe('')
  expect(stderr).toContain(sentence)
})

test('bad usage with --json is one JSON value', async () => {
  const { exitCode, stdout } = await runLegwork(['call', 'demo:echo', '{', '--json'], { cwd: makeProject() })
  expect(exitCode).toBe(2)
  expect(json(stdout)).toMatchObject({ ok: false, code: 'usage' })
})

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 143],
] as const)('%s cancels the call, which the journal says, and exits %i', async (signal, exitCode) => {
  const cwd = makeProject({ 'long.sh': 'echo begun; sleep 20 & sleep 20' })
  const run = runLegwork(['call', 'sh', '{"file": "long.sh"}', '--json'], {
    cwd,
    onSpawn: async (child) => {
      await once(child, 'spawn')
      await sleep(1_500)
      child.kill(signal)
    },
  })
  const { exitCode: actual, stdout } = await run
  expect(actual).toBe(exitCode)
  expect(json(stdout)).toMatchObject({ ok: false, code: 'cancelled', process: { stdout: 'begun\n' } })
  const audit = await runLegwork(['audit', '--json'], { cwd })
  expect(json(audit.stdout)[0]).toMatchObject({ phase: 'end', code: 'cancelled' })
})

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s while a module of functions is still loading ends the command', async (signal, exitCode) => {
  const cwd = makeProject({ 'tools.ts': 'await new Promise((done) => setTimeout(done, 25_000)); export const x = 1' })
  const started = performance.now()
  const { exitCode: actual } = await runLegwork(['tools'], {
    cwd,
    onSpawn: (child) => void sleep(1_000).then(() => child.kill(signal)),
  })
  expect(actual).toBe(exitCode)
  expect(performance.now() - started).toBeLessThan(15_000)
})

const rude = (run: string) => `import { defineTool } from 'legwork'
export const rude = defineTool({ name: 'rude', description: 'Rude', effects: { destructive: false }, run: ${run} })`

test.each([
  ['prints on stdout', '() => { console.log("noise"); return 1 }', 0, { ok: true, value: 1 }],
  [
    'throws when nobody waits any more',
    '() => { setTimeout(() => { throw new Error("late") }, 10); return new Promise((done) => setTimeout(done, 2000)) }',
    1,
    { ok: false, message: expect.stringContaining('late') },
  ],
  [
    'leaves a rejection to itself',
    '() => { Promise.reject(new Error("alone")); return new Promise((done) => setTimeout(done, 2000)) }',
    1,
    { ok: false, message: expect.stringContaining('alone') },
  ],
  ['ends the process', '() => process.exit(0)', 1, { ok: false, message: expect.stringContaining('ended') }],
  ['waits for what never comes', '() => new Promise(() => {})', 1, { ok: false }],
])('a tool that %s does not keep the command from answering with one JSON value', async (_, run, exitCode, answer) => {
  const cwd = makeProject(
    { 'tools.ts': rude(run) },
    { functions: ['./tools.ts'], journal: { path: 'j.db' }, limits: { timeoutMs: 3000 } },
  )
  const result = await runLegwork(['call', 'rude', '--json'], { cwd })
  expect(json(result.stdout)).toMatchObject(answer)
  expect([exitCode, 124]).toContain(result.exitCode)
})
