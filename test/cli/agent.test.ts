// `legwork run agent.xml`: the command, a project with a model in its configuration, and a local server that is the model.

import { spawn, spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { openAiServer, type Reply } from '../adapters/models.ts'
import { commandFile, runLegwork } from '../support/command.ts'
import { exampleConfiguration, makeProject } from '../support/project.ts'

const agent = `<agent name="helper" tools="demo:echo">
  <p>You help<variable name="how" optional="true"/>.</p>
</agent>`

async function project(...replies: readonly Reply[]) {
  const server = await openAiServer(...replies)
  const configuration = { ...exampleConfiguration, model: server.model, redact: { values: ['hunter2-hunter2'] } }
  const cwd = makeProject({ 'agent.xml': agent }, configuration)
  return { cwd, server }
}

test('a message is answered on stdout; what was called and what it cost stands beside it', async () => {
  const { cwd, server } = await project({ calls: [['demo--echo', { message: 'hi' }]] }, { text: 'It says hi.' })
  const words = ['run', 'agent.xml', '--message', 'Say hi', '--var', 'how= kindly']
  const { exitCode, stdout, stderr } = await runLegwork(words, { cwd })
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'It says hi.\n' })
  expect(stderr).toMatch(/demo:echo: ok, \d+ ms/)
  expect(stderr).toContain('2 requests, 24 tokens in, 6 tokens out')
  expect(server.requests[0]?.body.messages).toEqual([
    { role: 'system', content: 'You are helper.\n\nYou help kindly.' },
    { role: 'user', content: 'Say hi' },
  ])
})

test('with --json stdout is the outcome and nothing else', async () => {
  const { cwd } = await project({ text: 'The key is hunter2-hunter2.' })
  const { exitCode, stdout } = await runLegwork(['run', 'agent.xml', '--message', 'Hello', '--json'], { cwd })
  expect(exitCode).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    ok: true,
    tool: 'agent:helper',
    value: 'The key is [REDACTED].',
    modelUse: { calls: 1, inputTokens: 12, outputTokens: 3 },
  })
})

test('without --message, stdin is the message', async () => {
  const { cwd, server } = await project({ text: 'Hello.' })
  const { exitCode, stdout } = await runLegwork(['run', 'agent.xml'], { cwd, stdin: 'From a pipe' })
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'Hello.\n' })
  expect(JSON.stringify(server.requests[0]?.body)).toContain('From a pipe')
})

test('a model that wants tools for ever is stopped, with exit code 1', async () => {
  const { cwd, server } = await project({ calls: [['demo--echo', { message: 'again' }]] })
  const words = ['run', 'agent.xml', '--message', 'Go', '--max-steps', '3']
  const { exitCode, stderr } = await runLegwork(words, { cwd })
  expect(exitCode).toBe(1)
  expect(stderr).toContain('was asked 3 times and still wants tools')
  expect(server.requests).toHaveLength(3)
})

test('what a model writes cannot move the cursor', async () => {
  const { cwd } = await project({ text: 'a\u001b[2Jb\u202ec' })
  const { stdout } = await runLegwork(['run', 'agent.xml', '--message', 'Go'], { cwd })
  expect(stdout).not.toMatch(/[\u001b\u202e]/)
})

test.each([
  ['an empty message', ['agent.xml', '--message', ' '], 'The message is empty'],
  ['a variable without a value', ['agent.xml', '--message', 'x', '--var', 'how'], '--var name=value'],
  ['a model that nobody knows', ['agent.xml', '--message', 'x', '--model', 'opanai:gpt'], 'Did you mean "openai"'],
  ['a model whose package is missing', ['agent.xml', '--message', 'x', '--model', 'openai:gpt'], 'npm install'],
])('%s is a mistake of whoever typed it', async (_, words, message) => {
  const { cwd, server } = await project({ text: 'x' })
  const { exitCode, stderr } = await runLegwork(['run', ...words], { cwd })
  expect(exitCode).toBe(2)
  expect(stderr).toContain(message)
  expect(server.requests).toEqual([])
})

test('a faulty agent shows its fault, whatever is said to it', async () => {
  const cwd = makeProject({ 'agent.xml': '<agent name="a"><p>x</agent>' }, exampleConfiguration)
  for (const more of [[], ['--message', 'Hello']]) {
    const { exitCode, stderr } = await runLegwork(['run', 'agent.xml', ...more], { cwd })
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(/agent\.xml:1:\d+/)
    expect(stderr).not.toContain('--message is for agents')
  }
})

test('without a model it says what to write', async () => {
  const cwd = makeProject({ 'agent.xml': agent })
  const { exitCode, stderr } = await runLegwork(['run', 'agent.xml', '--message', 'x'], { cwd })
  expect(exitCode).toBe(2)
  expect(stderr).toContain('"model" in legwork.jsonc')
})

const missing =
  spawnSync('script', ['--version']).status !== 0 && !process.env.CI && 'script (util-linux) is not installed'

test.skipIf(missing)('on a terminal it is a conversation, until the end of the input', async () => {
  const { cwd, server } = await project({ text: 'Hello Ann.' }, { text: 'You are Ann.' })
  const line = [process.execPath, commandFile, 'run', 'agent.xml'].map((word) => `'${word}'`).join(' ')
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, TERM: 'xterm', NO_COLOR: '1' },
  })
  const keys = ['I am Ann\r', 'Who am I?\r', '\u0004']
  let output = ''
  let seen = 0
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    // A prompt stands at the beginning of a line.
    const prompts = output.match(/(^|\n)[^\n]*> /g)?.length ?? 0
    for (; seen < prompts; seen++) child.stdin.write(keys[seen] ?? '')
  })
  const exitCode = await new Promise((resolve) => child.on('close', resolve))
  expect(exitCode).toBe(0)
  expect(output).toContain('Hello Ann.')
  expect(output).toContain('You are Ann.')
  expect(server.requests[1]?.body.messages).toHaveLength(4)
})
