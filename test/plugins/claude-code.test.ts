// The hooks of the plugin, run as the client runs them: its command line in a shell, its JSON on stdin, its variables.

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { commandFile, resultOf, runLegwork } from '../support/command.ts'
import { isListening } from '../support/gateway.ts'
import { makeProject as makeAnyProject } from '../support/project.ts'
import { temporaryFolder } from '../support/temporary.ts'

const root = join(import.meta.dirname, '../../plugins/claude-code')
const json = (...path: string[]) => JSON.parse(readFileSync(join(root, ...path), 'utf8'))

/** Skips what needs root on a user's machine; in CI it has to be there. */
const withoutRoot = process.getuid?.() !== 0 && !process.env.CI

type Event = 'SessionStart' | 'SessionEnd'

interface Client {
  readonly project: string
  readonly home: string
  readonly envFile: string
  readonly state: string
}

const checkout = join(import.meta.dirname, '../..')
const installed = mkdtempSync(join(tmpdir(), 'legwork-test-'))
afterAll(() => rmSync(installed, { recursive: true, force: true }))

// As an installed package is: whoever the checkout belongs to, this user's own.
for (const name of ['package.json', 'schema.json', 'metadata', 'dist']) {
  cpSync(join(checkout, name), join(installed, name), { recursive: true })
}
symlinkSync(join(checkout, 'node_modules'), join(installed, 'node_modules'))

function makeProject(...given: Parameters<typeof makeAnyProject>): string {
  const folder = makeAnyProject(...given)
  rmSync(join(folder, 'node_modules/legwork'))
  symlinkSync(installed, join(folder, 'node_modules/legwork'))
  return folder
}

/** A client's surroundings; whatever gateway is left in them is ended with the test. */
function openClient(project = makeProject(), home = temporaryFolder()): Client {
  const state = join(home, '.local/state/legwork')
  onTestFinished(async () => {
    for (const gateway of gatewaysIn(state)) await kill(gateway)
  })
  return { project, home, envFile: join(temporaryFolder(), 'sessionstart-hook-0.sh'), state }
}

function gatewaysIn(state: string): { address: string; pid: number; workspace: string }[] {
  if (!existsSync(state)) return []
  const files = readdirSync(state).filter((name) => /^gateway-\d+\.json$/.test(name))
  return files.map((name) => JSON.parse(readFileSync(join(state, name), 'utf8'))).filter(({ pid }) => isAlive(pid))
}

/** Whoever looks after orphans may be slow to, so its port tells that it has ended. */
async function kill({ pid, address }: { pid: number; address: string }) {
  if (isAlive(pid)) process.kill(pid, 'SIGKILL')
  await expect.poll(() => isListening(portOf(address))).toBe(false)
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Runs every hook of an event as hooks.json has it. */
function hook(event: Event, client: Client, session: string, more: { env?: object; stdin?: string } = {}) {
  const { project, home, envFile } = client
  const reason = event === 'SessionStart' ? { source: 'startup' } : { reason: 'prompt_input_exit' }
  const input = {
    session_id: session,
    transcript_path: join(home, 'transcript.jsonl'),
    cwd: project,
    hook_event_name: event,
    ...reason,
  }
  const { command } = json('hooks/hooks.json').hooks[event][0].hooks[0]
  const env = {
    PATH: `${join(process.execPath, '..')}:${process.env.PATH}`,
    HOME: home,
    CLAUDE_PLUGIN_ROOT: root,
    CLAUDE_PROJECT_DIR: project,
    ...(event === 'SessionStart' && { CLAUDE_ENV_FILE: envFile }),
    ...more.env,
  }
  return resultOf(spawn('sh', ['-c', command], { cwd: project, env }), more.stdin ?? JSON.stringify(input))
}

const exported = ({ envFile }: Client) =>
  /^export TOOLSCRIPT_GATEWAY_URL=(http:\/\/127\.0\.0\.1:\d+)\n$/.exec(readFileSync(envFile, 'utf8'))?.[1]
const portOf = (url: string | undefined) => Number(new URL(url ?? '').port)

test('a session starts a gateway that its commands can use, and its end stops it and leaves nothing behind', async () => {
  const client = openClient()
  const started = await hook('SessionStart', client, 'one')
  expect(started).toMatchObject({ exitCode: 0, stderr: '' })
  const url = exported(client)
  expect(JSON.parse(started.stdout)).toEqual({
    hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: expect.stringContaining(url ?? 'no url') },
  })
  const [gateway] = gatewaysIn(client.state)
  expect(gateway).toMatchObject({ address: url, workspace: client.project })
  for (const name of readdirSync(client.state)) expect(statSync(join(client.state, name)).mode & 0o777).toBe(0o600)

  writeFileSync(join(client.project, 'script.ts'), scriptText)
  const env = { TOOLSCRIPT_GATEWAY_URL: url ?? '', HOME: client.home }
  const ran = await runLegwork(['run', 'script.ts', '--json'], { cwd: client.project, env })
  expect(JSON.parse(ran.stdout)).toMatchObject({ ok: true, value: { message: 'hi' } })

  expect(await hook('SessionEnd', client, 'one')).toEqual({ exitCode: 0, stdout: '', stderr: '' })
  await expect.poll(() => isListening(portOf(url)), { timeout: 10_000 }).toBe(false)
  expect(readdirSync(client.state)).toEqual([])
})

const scriptText = "import { tools } from 'toolscript'\nreturn await tools.demo.echo({ message: 'hi' })\n"

test('sessions of one workspace that begin at once share one gateway, and the last to end stops it', async () => {
  const client = openClient()
  const second = { ...client, project: join(client.project, 'deep/down'), envFile: `${client.envFile}-2` }
  mkdirSync(second.project, { recursive: true })
  await Promise.all([hook('SessionStart', client, 'one'), hook('SessionStart', second, 'two')])
  expect(exported(second)).toBe(exported(client))
  expect(gatewaysIn(client.state)).toHaveLength(1)
  await hook('SessionEnd', client, 'one')
  expect(await isListening(portOf(exported(client)))).toBe(true)
  await hook('SessionEnd', client, 'a stranger')
  expect(await isListening(portOf(exported(client)))).toBe(true)
  await hook('SessionEnd', second, 'two')
  expect(gatewaysIn(client.state)).toEqual([])
})

test('a session that is resumed or compacted keeps its gateway, and the address is exported once', async () => {
  const client = openClient()
  await hook('SessionStart', client, 'one')
  const url = exported(client)
  expect(await hook('SessionStart', client, 'one')).toMatchObject({ exitCode: 0 })
  expect(exported(client)).toBe(url)
  await hook('SessionEnd', client, 'one')
  expect(gatewaysIn(client.state)).toEqual([])
})

test('a gateway that somebody else started is used and not stopped; one of another workspace is not used', async () => {
  const client = openClient()
  const serve = (project: string) => {
    const env = { PATH: process.env.PATH, HOME: client.home }
    const child = spawn(process.execPath, [commandFile, 'serve'], { cwd: project, env, stdio: 'ignore' })
    onTestFinished(() => void child.kill('SIGKILL'))
  }
  serve(makeProject())
  serve(client.project)
  await expect.poll(() => gatewaysIn(client.state).length, { timeout: 20_000 }).toBe(2)
  const own = gatewaysIn(client.state).find(({ workspace }) => workspace === client.project)
  await hook('SessionStart', client, 'one')
  expect(exported(client)).toBe(own?.address)
  await hook('SessionEnd', client, 'one')
  expect(gatewaysIn(client.state)).toHaveLength(2)

  const named = { ...client, project: makeProject(), envFile: `${client.envFile}-2` }
  await hook('SessionStart', named, 'two', { env: { TOOLSCRIPT_GATEWAY_URL: own?.address } })
  expect(exported(named)).toBe(own?.address)
  expect(gatewaysIn(client.state)).toHaveLength(2)
})

test('a gateway that was killed is replaced, and a number that is another process’s by now is not killed', async () => {
  const client = openClient()
  await hook('SessionStart', client, 'one')
  for (const gateway of gatewaysIn(client.state)) await kill(gateway)
  const innocent = spawn('sleep', ['60'], { stdio: 'ignore' })
  onTestFinished(() => void innocent.kill('SIGKILL'))
  const [file = ''] = readdirSync(client.state).filter(
    (name) => name.startsWith('claude-code-') && name.endsWith('.json'),
  )
  const remembered = JSON.parse(readFileSync(join(client.state, file), 'utf8'))
  writeFileSync(join(client.state, file), JSON.stringify({ ...remembered, pid: innocent.pid }))
  expect(await hook('SessionEnd', client, 'one')).toMatchObject({ exitCode: 0 })
  expect(innocent.exitCode ?? innocent.signalCode).toBe(null)

  const again = { ...client, envFile: `${client.envFile}-2` }
  await hook('SessionStart', again, 'two')
  expect(await isListening(portOf(exported(again)))).toBe(true)
  await hook('SessionEnd', again, 'two')
})

test('what is remembered in a file that others may write is not believed', async () => {
  const client = openClient()
  await hook('SessionStart', client, 'one')
  const [file = ''] = readdirSync(client.state).filter(
    (name) => name.startsWith('claude-code-') && name.endsWith('.json'),
  )
  chmodSync(join(client.state, file), 0o666)
  await hook('SessionEnd', client, 'one')
  expect(gatewaysIn(client.state)).toHaveLength(1)
})

test('a gateway that does not start is told with its own words, nothing is exported, and nothing is left', async () => {
  const client = openClient(makeProject({ 'legwork.jsonc': '{ "polcy": {} }' }))
  const { exitCode, stdout, stderr } = await hook('SessionStart', client, 'one')
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
  expect(stderr).toContain('Did you mean')
  expect(existsSync(client.envFile)).toBe(false)
  expect(readdirSync(client.state)).toEqual([])
})

test.each([
  ['', 'no JSON object'],
  ['[1]', 'no JSON object'],
  ['{"cwd": "/"}', 'no "session_id"'],
  ['{"session_id": "x", "cwd": "/no/such/folder"}', 'no usable "cwd"'],
  ['{"session_id": "x", "cwd": 7}', 'no usable "cwd"'],
])('the input %j is refused and starts nothing', async (stdin, message) => {
  const client = openClient()
  const { exitCode, stderr } = await hook('SessionStart', client, 'one', { stdin })
  expect(exitCode).toBe(1)
  expect(stderr).toContain(message)
  expect(existsSync(client.state)).toBe(false)
  const end = await hook('SessionEnd', client, 'one', { stdin })
  expect(end).toMatchObject(message.includes('cwd') ? { exitCode: 0, stderr: '' } : { exitCode: 1 })
})

test('a session ends although its folder is gone', async () => {
  const client = openClient()
  await hook('SessionStart', client, 'one')
  const stdin = JSON.stringify({ session_id: 'one', cwd: join(client.project, 'gone'), hook_event_name: 'SessionEnd' })
  expect(await hook('SessionEnd', client, 'one', { stdin })).toEqual({ exitCode: 0, stdout: '', stderr: '' })
  expect(gatewaysIn(client.state)).toEqual([])
})

/** The file in which the plugin keeps the gateway of the only workspace. */
function remembered({ state }: Client) {
  const [name = ''] = readdirSync(state).filter((file) => /^claude-code-[\da-f]{16}\.json$/.test(file))
  const path = join(state, name)
  const read = () => JSON.parse(readFileSync(path, 'utf8'))
  return { path, read, write: (value: object) => writeFileSync(path, JSON.stringify(value)) }
}

/** A client that runs a hook and is killed before it can say that its session ends. */
async function killedClient(client: Client, session: string) {
  const { command } = json('hooks/hooks.json').hooks.SessionStart[0].hooks[0]
  const source = `process.title = 'client'
    const { spawn } = require('node:child_process')
    const hook = spawn('sh', ['-c', process.argv[1]], { stdio: ['pipe', 'ignore', 'inherit'] })
    hook.stdin.end(process.argv[2])
    hook.on('exit', (code) => process.send(code))
    setInterval(() => {}, 1000)`
  const input = JSON.stringify({ session_id: session, cwd: client.project, hook_event_name: 'SessionStart' })
  const env = {
    PATH: `${join(process.execPath, '..')}:${process.env.PATH}`,
    HOME: client.home,
    CLAUDE_PLUGIN_ROOT: root,
  }
  const child = spawn(process.execPath, ['-e', source, command, input], {
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [code] = await once(child, 'message')
  expect(code).toBe(0)
  return { pid: child.pid, kill: () => child.kill('SIGKILL') && once(child, 'exit') }
}

test('the gateway of a session whose client was killed is stopped by the next hook, once it has been quiet for a while', async () => {
  const client = openClient()
  const killed = await killedClient(client, 'one')
  const { read, write } = remembered(client)
  expect(read().sessions).toMatchObject([{ client: { pid: killed.pid } }])
  const longAgo = () => write({ ...read(), sessions: [{ ...read().sessions[0], at: Date.now() - 3_600_000 }] })
  longAgo()
  const other = { ...client, project: makeProject(), envFile: `${client.envFile}-2` }
  const hookElsewhere = async () => {
    await hook('SessionStart', other, 'two')
    await hook('SessionEnd', other, 'two')
    return gatewaysIn(client.state).map(({ workspace }) => workspace)
  }
  expect(await hookElsewhere()).toEqual([client.project])
  await killed.kill()
  const transcript = join(client.home, 'transcript.jsonl')
  writeFileSync(transcript, '')
  write({ ...read(), sessions: [{ ...read().sessions[0], transcript }] })
  expect(await hookElsewhere()).toEqual([client.project])
  utimesSync(transcript, 0, 0)
  expect(await hookElsewhere()).toEqual([])
  expect(readdirSync(client.state)).toEqual([])
})

test('a session of which nobody knows the client counts for a day', async () => {
  const client = openClient()
  await hook('SessionStart', client, 'one')
  const { read, write } = remembered(client)
  const hours = (count: number) => write({ ...read(), sessions: [{ id: 'x', at: Date.now() - count * 3_600_000 }] })
  hours(23)
  await hook('SessionEnd', client, 'a stranger')
  expect(gatewaysIn(client.state)).toHaveLength(1)
  hours(25)
  await hook('SessionEnd', client, 'a stranger')
  expect(gatewaysIn(client.state)).toEqual([])
})

test('a gateway that is replaced leaves no file behind', async () => {
  const client = openClient()
  await hook('SessionStart', client, 'one')
  for (const gateway of gatewaysIn(client.state)) await kill(gateway)
  await hook('SessionStart', { ...client, envFile: `${client.envFile}-2` }, 'one')
  expect(readdirSync(client.state).filter((name) => name.endsWith('.out'))).toHaveLength(1)
  await hook('SessionEnd', client, 'one')
  expect(readdirSync(client.state).filter((name) => name.startsWith('claude-code-'))).toEqual([])
})

test('the name of a session may be as long as it likes', async () => {
  const client = openClient()
  const name = 'x'.repeat(70_000)
  expect(await hook('SessionStart', client, name)).toMatchObject({ exitCode: 0, stderr: '' })
  expect(statSync(remembered(client).path).size).toBeLessThan(2_000)
  expect(await hook('SessionEnd', client, name)).toMatchObject({ exitCode: 0, stderr: '' })
  expect(gatewaysIn(client.state)).toEqual([])
})

test.each(['pipe', 'folder'])('a CLAUDE_ENV_FILE that is a %s is told, and nothing is started', async (kind) => {
  const client = openClient()
  if (kind === 'folder') mkdirSync(client.envFile)
  else execFileSync('mkfifo', [client.envFile])
  const { exitCode, stderr } = await hook('SessionStart', client, 'one')
  expect(exitCode).toBe(1)
  expect(stderr).toContain('CLAUDE_ENV_FILE')
  expect(gatewaysIn(client.state)).toEqual([])
})

test('a CLAUDE_ENV_FILE that cannot be written is named, and the end of the session stops what was started', async () => {
  const client = openClient()
  const unwritable = { ...client, envFile: join(client.envFile, 'no/such/folder') }
  const { exitCode, stderr } = await hook('SessionStart', unwritable, 'one')
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining('CLAUDE_ENV_FILE') })
  await hook('SessionEnd', client, 'one')
  expect(gatewaysIn(client.state)).toEqual([])
})

test('a variable that would become a command in the session’s shell is not exported', async () => {
  const client = openClient()
  await hook('SessionStart', client, 'one')
  const named = { ...client, envFile: `${client.envFile}-2` }
  const env = { TOOLSCRIPT_GATEWAY_URL: `${exported(client)}/health?;touch owned;` }
  const { exitCode, stderr } = await hook('SessionStart', named, 'two', { env })
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining('is no address of a gateway') })
  expect(existsSync(named.envFile)).toBe(false)
})

const evil = {
  'package.json': '{"bin": {"legwork": "x.mjs"}}',
  'x.mjs': 'import fs from "node:fs"; fs.writeFileSync("owned", "")',
}

/** A project below a folder that anybody may write to, with what somebody has put there. */
function openBelow(files: Readonly<Record<string, string>>) {
  const shared = temporaryFolder()
  const project = join(shared, 'ours/deep')
  mkdirSync(project, { recursive: true })
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(shared, name)), { recursive: true })
    writeFileSync(join(shared, name), text, { mode: 0o755 })
  }
  return { shared, client: openClient(project) }
}

const stranger = 54_321
const inModules = (files: object) =>
  Object.fromEntries(Object.entries(files).map(([name, text]) => [`node_modules/legwork/${name}`, text]))

test.skipIf(withoutRoot).each<[string, (shared: string) => void]>([
  ['node_modules', (shared) => chownSync(join(shared, 'node_modules'), stranger, stranger)],
  ['the package', (shared) => chownSync(join(shared, 'node_modules/legwork'), stranger, stranger)],
  ['its description', (shared) => chownSync(join(shared, 'node_modules/legwork/package.json'), stranger, stranger)],
  ['the file that is run', (shared) => chownSync(join(shared, 'node_modules/legwork/x.mjs'), stranger, stranger)],
  [
    'a link to it',
    (shared) => {
      const link = join(shared, 'node_modules/legwork')
      renameSync(link, join(shared, 'elsewhere'))
      symlinkSync(join(shared, 'elsewhere'), link)
      lchownSync(link, stranger, stranger)
    },
  ],
  [
    'what a link leads to',
    (shared) => {
      const link = join(shared, 'node_modules/legwork')
      renameSync(link, join(shared, 'elsewhere'))
      symlinkSync(join(shared, 'elsewhere'), link)
      chownSync(join(shared, 'elsewhere'), stranger, stranger)
    },
  ],
])('a Legwork in a folder above does not run where %s is another user’s', async (_, give) => {
  const { shared, client } = openBelow(inModules(evil))
  give(shared)
  const { exitCode, stderr } = await hook('SessionStart', client, 'one')
  expect(exitCode).toBe(1)
  expect(stderr).toContain(`belongs to another user (${stranger}, you are 0), so it was not run.`)
  expect(existsSync(join(client.project, 'owned'))).toBe(false)
  expect(readdirSync(client.state)).toEqual([])
})

test('a command that somebody has put into a folder above is not what npx runs', async () => {
  const { client } = openBelow({
    'node_modules/.bin/legwork': '#!/bin/sh\ntouch owned\n',
    '.npmrc': 'registry=http://127.0.0.1:2/',
  })
  // Nothing of the machine's own that is called legwork, and no registry.
  const bin = temporaryFolder()
  for (const name of ['node', 'npx', 'sh']) symlinkSync(findOnPath(name), join(bin, name))
  const env = { PATH: bin, npm_config_registry: 'http://127.0.0.1:1/', npm_config_fetch_retries: '0' }
  const { exitCode, stderr } = await hook('SessionStart', client, 'one', { env })
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining('127.0.0.1:1/legwork') })
  expect(existsSync(join(client.project, 'owned'))).toBe(false)
})

function findOnPath(name: string): string {
  if (name === 'node') return process.execPath
  const folders = (process.env.PATH ?? '').split(':')
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? name
}

test('the plugin is whole: its parts are where the client looks for them, and its version is the package’s', () => {
  const { version } = JSON.parse(readFileSync(join(root, '../../package.json'), 'utf8'))
  expect(json('.claude-plugin/plugin.json')).toMatchObject({ name: 'legwork', version })
  expect(json('../.claude-plugin/marketplace.json').plugins).toMatchObject([
    { name: 'legwork', source: './claude-code' },
  ])
  expect(json('.mcp.json').mcpServers.legwork).toEqual({ command: 'npx', args: ['-y', 'legwork', 'serve', '--stdio'] })
  expect(Object.keys(json('hooks/hooks.json').hooks)).toEqual(['SessionStart', 'SessionEnd'])
})

test('its skill passes the strict checks of doctor', async () => {
  const cwd = makeProject({}, { skills: [join(root, 'skills')] })
  const { stdout } = await runLegwork(['doctor', '--json'], { cwd })
  const findings: { name: string }[] = JSON.parse(stdout).findings
  expect(findings.find(({ name }) => name === 'skill toolscripts')).toMatchObject({ status: 'ok' })
})
