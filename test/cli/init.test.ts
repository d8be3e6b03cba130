import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { runLegwork } from '../support/command.ts'
import { temporaryFolder } from '../support/temporary.ts'

function makeFolder(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder()
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

const init = (folder: string, ...words: string[]) => runLegwork(['init', ...words], { cwd: folder })
const written = (folder: string) =>
  JSON.parse(readFileSync(join(folder, 'legwork.jsonc'), 'utf8').replace(/^\/\/.*\n/, ''))

test('takes over the servers of every client, and the programs that it knows', async () => {
  const folder = makeFolder({
    '.mcp.json': '{ "mcpServers": { "files": { "command": "npx", "args": ["-y", "files", "."] }, }, } // mine',
    '.cursor/mcp.json': '{"mcpServers": {"remote": {"url": "http://127.0.0.1:1/mcp"}, "files": {"command": "other"}}}',
    '.vscode/mcp.json': '{"servers": {"here": {"type": "stdio", "command": "x", "args": ["${workspaceFolder}"]}}}',
    '.codex/config.toml': '[mcp_servers.memory]\ncommand = "npx"\nargs = ["-y", "memory"]\n',
  })
  const { exitCode, stdout, stderr } = await init(folder, '--yes')
  expect(exitCode).toBe(0)
  expect(stdout).toContain('Claude Code: 1 server')
  expect(stderr).toContain('another "files" was found before')
  expect(written(folder).mcpServers).toEqual({
    files: { command: 'npx', args: ['-y', 'files', '.'] },
    remote: { url: 'http://127.0.0.1:1/mcp' },
    here: { command: 'x', args: ['.'] },
    memory: { command: 'npx', args: ['-y', 'memory'] },
  })
  expect(written(folder).programs).toMatchObject({ ls: {}, cat: {} })
  expect(statSync(join(folder, 'legwork.jsonc')).mode & 0o077).toBe(0)
})

test('what it writes can be read', async () => {
  const folder = makeFolder({ '.mcp.json': '{"mcpServers": {"a": {"command": "x", "env": {"K": "${NOT_SET_HERE}"}}}}' })
  const { stderr } = await init(folder, '--yes')
  expect(stderr).toContain('NOT_SET_HERE')
  const { exitCode, stdout } = await runLegwork(['call', 'ls', '{}', '--json'], { cwd: folder })
  expect(stdout).toContain('"ok":true')
  expect(exitCode).toBe(0)
})

test('without a yes nothing is written', async () => {
  const folder = makeFolder({})
  expect(await init(folder)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('Nothing was written') })
  expect(() => statSync(join(folder, 'legwork.jsonc'))).toThrow()
})

test('a configuration that is there is not touched', async () => {
  const folder = makeFolder({ 'legwork.jsonc': '{} // mine' })
  expect(await init(folder, '--yes')).toMatchObject({ exitCode: 2 })
  expect(readFileSync(join(folder, 'legwork.jsonc'), 'utf8')).toBe('{} // mine')
})

test('what cannot be taken over is told, and the rest is', async () => {
  const folder = makeFolder({
    '.mcp.json': JSON.stringify({
      mcpServers: {
        off: { command: 'x', disabled: true },
        asks: { command: 'x', env: { KEY: '${input:key}' } },
        odd: 7,
        empty: {},
        legwork: { command: 'npx' },
        secret: { command: 'x', env: { API_KEY: 'abcdef' }, alwaysAllow: ['x'] },
        __proto__x: { command: 'x' },
      },
    }),
    '.cursor/mcp.json': '{ broken',
  })
  const { exitCode, stderr } = await init(folder, '--yes')
  expect(exitCode).toBe(0)
  for (const words of [
    '"off" is left out',
    '${input:key}',
    '"odd"',
    '"empty"',
    'secret in plain text',
    'alwaysAllow',
  ]) {
    expect(stderr).toContain(words)
  }
  expect(stderr).toContain('is not JSON')
  expect(Object.keys(written(folder).mcpServers)).toEqual(['secret', '__proto__x'])
})

test('a server named __proto__ becomes nobody’s prototype', async () => {
  const folder = makeFolder({ '.mcp.json': '{"mcpServers": {"__proto__": {"command": "x"}, "a": {"command": "y"}}}' })
  expect((await init(folder, '--yes')).exitCode).toBe(0)
  expect(Object.keys(written(folder).mcpServers)).toContain('a')
})

test('with --json stdout is one value', async () => {
  const folder = makeFolder({ '.mcp.json': '{"mcpServers": {"a": {"command": "x"}}}' })
  const { stdout } = await init(folder, '--yes', '--json')
  expect(JSON.parse(stdout)).toMatchObject({ ok: true, servers: ['a'] })
})
