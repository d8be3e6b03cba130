import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/temporary.ts'
import { startOAuthServer } from './oauth-server.ts'

function workspaceWith(mcpServers: object): string {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'legwork.jsonc'), JSON.stringify({ mcpServers, policy: { allow: ['*'] } }))
  return folder
}

/** The command, from its sources, told of each line that it prints aside. */
async function legwork(cwd: string, words: string[], onAside: (text: string, child: ChildProcess) => void = () => {}) {
  const main = join(import.meta.dirname, '../../src/cli/main.ts')
  const env = { PATH: process.env.PATH, HOME: cwd, NO_COLOR: '1' }
  const child = spawn(process.execPath, [main, ...words], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  child.stderr.on('data', (chunk: Buffer) => onAside(chunk.toString(), child))
  const [stdout, stderr, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { stdout, stderr, exitCode }
}

/** Opens whatever address is printed, as a person would. */
async function obey(aside: string): Promise<void> {
  const address = /http:\/\/\S+\/authorize\S+/.exec(aside)?.[0]
  if (!address) return
  const response = await fetch(address, { redirect: 'manual' })
  await fetch(response.headers.get('location') ?? '')
}

test('a server is authorised, used, shown and forgotten', { timeout: 60_000 }, async () => {
  const server = await startOAuthServer()
  const cwd = workspaceWith({ remote: { url: server.url } })

  expect((await legwork(cwd, ['doctor'])).stdout).toContain('It needs authorisation. Run "legwork auth remote".')
  expect(server.requests('/register')).toEqual([])

  const authorised = await legwork(cwd, ['auth', 'remote', '--json'], (aside) => void obey(aside))
  expect(JSON.parse(authorised.stdout)).toMatchObject({ ok: true, server: 'remote', status: 'authorised' })
  expect(authorised.exitCode).toBe(0)
  const folder = join(cwd, '.local/state/legwork/auth')
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777)).toEqual([0o600])

  const called = await legwork(cwd, ['call', 'remote:echo', '{}', '--json'])
  expect(JSON.parse(called.stdout)).toMatchObject({ ok: true, value: 'done' })

  const shown = await legwork(cwd, ['auth'])
  expect(shown).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^remote {2}authorised until 20/) })
  for (const token of [...server.access, ...server.refresh]) {
    for (const { stdout, stderr } of [authorised, called, shown]) expect(stdout + stderr).not.toContain(token)
  }

  expect((await legwork(cwd, ['auth', 'remote', '--forget'])).stdout).toContain('deleted')
  expect(readdirSync(folder)).toEqual([])
})

test('a person who gives up ends it, with nothing left open', { timeout: 60_000 }, async () => {
  const server = await startOAuthServer()
  const cwd = workspaceWith({ remote: { url: server.url } })
  const given = await legwork(cwd, ['auth', 'remote'], (aside, child) => {
    if (aside.includes('/authorize')) child.kill('SIGINT')
  })
  expect(given).toMatchObject({ exitCode: 130, stderr: expect.stringContaining('given up') })
})

test.each([
  ['a server that is not there', ['auth', 'remtoe'], 'Did you mean "remote"?'],
  ['a program', ['auth', 'local'], 'has no "url"'],
  ['a server with a header', ['auth', 'keyed'], 'Authorization header'],
  ['nothing to forget', ['auth', '--forget'], 'Name the server'],
])('%s cannot be authorised, and the command says why', { timeout: 60_000 }, async (_, words, message) => {
  const headers = { Authorization: 'Bearer fixed' }
  const url = 'http://127.0.0.1:1/mcp'
  const cwd = workspaceWith({ remote: { url }, local: { command: 'node' }, keyed: { url, headers } })
  expect(await legwork(cwd, words)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(message) })
})
