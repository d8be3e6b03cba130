import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { legworkIn, makeFiles as makeAny, read } from '../support/client-files.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { noTerminal, onTerminal } from '../support/terminal.ts'

const makeFiles = (files: Readonly<Record<string, string | Uint8Array>>) => makeAny({ 'legwork.jsonc': '{}', ...files })
const legwork = (folder: string, ...words: string[]) => legworkIn(folder, words)
const backupsOf = (folder: string, file: string) => {
  const beside = readdirSync(dirname(join(folder, file))).filter((name) => name.includes('.before-legwork'))
  return beside.map((name) => join(dirname(join(folder, file)), name))
}
const desktopFile = { linux: '.config/Claude', darwin: 'Library/Application Support/Claude' }
const desktop = `${desktopFile[process.platform === 'darwin' ? 'darwin' : 'linux']}/claude_desktop_config.json`

const plain = '{\n  "mcpServers": {\n    "a": { "command": "x" }\n  }\n}\n'

/** The same file in the hands of different people. */
const files: Record<string, string> = {
  plain,
  'comments and trailing commas':
    '// mine\n{\n\t"mcpServers": {\n\t\t"a": {"command": "x"}, // keep\n\t},\n\t"other": [1,2,\n3],\n}\n',
  'carriage returns and a byte order mark': '\uFEFF{\r\n    "mcpServers": {\r\n        "a": {}\r\n    }\r\n}\r\n',
  'one line': '{"mcpServers": {"a": {"command": "x"}}, "z": 1}',
  'no servers yet': '{\n  "theme": "dark"\n}',
  'an empty object of servers': '{ "mcpServers": {} }',
  'an empty object': '{}',
  'a remark alone': '// nothing yet\n',
  nothing: '',
}

describe.each(Object.entries(files))('a file with %s', (_, text) => {
  test('is linked, keeps every other line, and is the same after unlink', async () => {
    const folder = makeFiles({ '.mcp.json': text })
    expect(await legwork(folder, 'link', 'claude-code', '--yes')).toMatchObject({ exitCode: 0 })
    const linked = read(folder, '.mcp.json')
    expect(linked).toContain('"legwork": { "command": "npx", "args": ["-y", "legwork", "serve", "--stdio"] }')
    const without = linked.replace(/,?\s*"legwork": \{[^}]*\}(,?)/, '$1')
    if (/"a"/.test(text)) expect(without.replace(/\s|,/g, '')).toBe(text.replace(/\s|,/g, ''))
    expect(backupsOf(folder, '.mcp.json').map((path) => readFileSync(path, 'utf8'))).toEqual([text])
    expect(await legwork(folder, 'unlink', 'claude-code', '--yes')).toMatchObject({ exitCode: 0 })
    expect(read(folder, '.mcp.json')).toBe(text)
    expect(backupsOf(folder, '.mcp.json')).toEqual([])
  })
})

test('the change is shown first, and without a yes nothing is changed', async () => {
  const folder = makeFiles({ '.mcp.json': plain })
  const { exitCode, stdout, stderr } = await legwork(folder, 'link', 'claude-code')
  expect(exitCode).toBe(4)
  expect(stdout).toContain('+     "legwork": {')
  expect(stderr).toContain('Nothing was written')
  const json = await legwork(folder, 'link', 'claude-code', '--json')
  expect(JSON.parse(json.stdout)).toMatchObject({ ok: false, code: 'approval-needed' })
  expect(read(folder, '.mcp.json')).toBe(plain)
  expect(backupsOf(folder, '.mcp.json')).toEqual([])
})

test.skipIf(noTerminal)('on a terminal the change is shown beside the answer, and Ctrl-C changes nothing', async () => {
  const folder = makeFiles({ '.mcp.json': plain })
  const options = { cwd: folder, question: 'Change the file?', stdout: join(folder, 'out') }
  const { output, exitCode } = await onTerminal(['link', 'claude-code', '--json'], { ...options, keys: '\u0003' })
  expect(output.indexOf('+     "legwork"')).toBeGreaterThan(-1)
  expect(output.indexOf('+     "legwork"')).toBeLessThan(output.indexOf('Change the file?'))
  expect(exitCode).toBe(130)
  expect(read(folder, '.mcp.json')).toBe(plain)
})

test('what others keep in the lines that change is not shown', async () => {
  const secret = `ghp_${'a1B2'.repeat(9)}`
  const folder = makeFiles({
    '.mcp.json': `{"mcpServers": {"a": {"env": {"PAT": "${secret}", "SOME_TOKEN": "shorty"}}}}`,
  })
  for (const verb of ['link', 'unlink']) {
    const { stdout } = await legwork(folder, verb, 'claude-code', '--yes')
    expect(stdout).toContain('"--stdio"')
    expect(stdout).not.toContain(secret)
    expect(stdout).not.toContain('shorty')
  }
})

test('a file that was not there is made, and goes again', async () => {
  const folder = makeFiles({})
  await legwork(folder, 'link', 'cursor', '--yes')
  expect(JSON.parse(read(folder, '.cursor/mcp.json'))).toMatchObject({ mcpServers: { legwork: { command: 'npx' } } })
  await legwork(folder, 'unlink', 'cursor', '--yes')
  expect(existsSync(join(folder, '.cursor/mcp.json'))).toBe(false)
})

test('linking twice changes nothing the second time', async () => {
  const folder = makeFiles({ '.mcp.json': plain })
  await legwork(folder, 'link', 'claude-code', '--yes')
  const linked = read(folder, '.mcp.json')
  const again = await legwork(folder, 'link', 'claude-code', '--yes', '--json')
  expect(again).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('"state":"unchanged"') })
  expect(read(folder, '.mcp.json')).toBe(linked)
})

test('what is linked in other words is told to be', async () => {
  const folder = makeFiles({ '.mcp.json': '{"mcpServers": {"legwork": {"command": "legwork", "args": ["serve"]}}}' })
  const { exitCode, stderr } = await legwork(folder, 'link', 'claude-code', '--yes')
  expect(exitCode).toBe(2)
  expect(stderr).toContain('is linked already, in other words')
})

describe('the entry does not rely on where the client starts it', () => {
  const entryIn = (folder: string, file: string) => JSON.parse(read(folder, file)).mcpServers?.legwork

  test.each([
    ['cursor', '.cursor/mcp.json'],
    ['vscode', '.vscode/mcp.json'],
  ])('%s fills in its folder', async (client, file) => {
    const folder = makeFiles({})
    await legwork(folder, 'link', client, '--yes')
    expect(read(folder, file)).toContain('"--config", "${workspaceFolder}/legwork.jsonc"')
    if (client === 'vscode') expect(read(folder, file)).toContain('"type": "stdio"')
  })

  test('a client of all projects gets the whole path', async () => {
    const folder = makeFiles({})
    await legwork(folder, 'link', 'claude-desktop', '--yes')
    expect(entryIn(folder, desktop).args.at(-1)).toBe(join(folder, 'legwork.jsonc'))
  })

  test('where Legwork is installed in the project, that one is started and nothing is fetched', async () => {
    const folder = makeFiles({ 'node_modules/legwork/dist/cli/main.js': '' })
    for (const client of ['cursor', 'claude-desktop', 'claude-code']) await legwork(folder, 'link', client, '--yes')
    const main = 'node_modules/legwork/dist/cli/main.js'
    expect(entryIn(folder, '.cursor/mcp.json')).toMatchObject({
      command: 'node',
      args: { 0: `\${workspaceFolder}/${main}` },
    })
    expect(entryIn(folder, desktop)).toMatchObject({ command: 'node', args: { 0: join(folder, main) } })
    expect(entryIn(folder, '.mcp.json')).toEqual({
      command: 'npx',
      args: ['--no-install', 'legwork', 'serve', '--stdio'],
    })
  })

  test('what is written starts Legwork of that project, from anywhere', async () => {
    const folder = makeFiles({})
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(join(import.meta.dirname, '../..'), join(folder, 'node_modules/legwork'))
    for (const [client, file] of Object.entries({ 'claude-desktop': desktop, cursor: '.cursor/mcp.json' })) {
      await legwork(folder, 'link', client, '--yes')
      const words: string[] = entryIn(folder, file).args
      const args = words.map((word) => word.replace('${workspaceFolder}', folder))
      const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
      const input = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
      const answer = execFileSync(process.execPath, args, { cwd: '/', input: `${input}\n`, encoding: 'utf8' })
      expect(JSON.parse(answer)).toMatchObject({ id: 1, result: { serverInfo: { name: 'legwork' } } })
    }
  })

  test('a configuration of another name is named', async () => {
    const folder = makeFiles({ 'other.jsonc': '{}' })
    await legwork(folder, 'link', 'claude-code', '--yes', '--config', 'other.jsonc')
    expect(entryIn(folder, '.mcp.json').args.slice(-2)).toEqual(['--config', 'other.jsonc'])
  })
})

describe('a client of all projects', () => {
  test('is not unlinked from another project than it is linked to', async () => {
    const home = makeFiles({ 'b/legwork.jsonc': '{}', [desktop]: '{"theme": 1}' })
    const run = (cwd: string, ...words: string[]) => legworkIn(cwd, [...words, '--yes'], { env: { HOME: home } })
    await run(home, 'link', 'claude-desktop')
    const linked = read(home, desktop)
    const other = join(home, 'b')
    for (const verb of ['unlink', 'link']) {
      const { exitCode, stderr } = await run(other, verb, 'claude-desktop')
      expect(exitCode).toBe(2)
      expect(stderr).toContain(join(home, 'legwork.jsonc'))
      expect(read(home, desktop)).toBe(linked)
    }
    const named = await run(other, 'unlink', 'claude-desktop', '--config', join(home, 'legwork.jsonc'))
    expect(named.exitCode).toBe(0)
    expect(read(home, desktop)).toBe('{"theme": 1}')
  })

  test('is unlinked from anywhere, byte for byte, also when the project is gone', async () => {
    const home = makeAny({ 'p/legwork.jsonc': '{}', [desktop]: '{"theme": 1}' })
    const run = (cwd: string, verb: string) =>
      legworkIn(cwd, [verb, 'claude-desktop', '--yes'], { env: { HOME: home } })
    for (const gone of [false, true]) {
      await run(join(home, 'p'), 'link')
      if (gone) rmSync(join(home, 'p'), { recursive: true })
      expect((await run(home, 'unlink')).exitCode).toBe(0)
      expect(read(home, desktop)).toBe('{"theme": 1}')
    }
  })
})

test('unlink needs no configuration', async () => {
  const folder = makeFiles({ '.mcp.json': plain })
  await legwork(folder, 'link', 'claude-code', '--yes')
  rmSync(join(folder, 'legwork.jsonc'))
  expect((await legwork(folder, 'unlink', 'claude-code', '--yes')).exitCode).toBe(0)
  expect(read(folder, '.mcp.json')).toBe(plain)
})

test('an unlink after somebody edited the file takes out our entry alone, and the backup goes', async () => {
  const folder = makeFiles({ '.mcp.json': files['comments and trailing commas'] ?? '' })
  await legwork(folder, 'link', 'claude-code', '--yes')
  writeFileSync(join(folder, '.mcp.json'), read(folder, '.mcp.json').replace('"other": [1,2,', '"other": [1,9,'))
  expect(await legwork(folder, 'unlink', 'claude-code', '--yes')).toMatchObject({ exitCode: 0 })
  expect(read(folder, '.mcp.json')).toBe(files['comments and trailing commas']?.replace('[1,2,', '[1,9,'))
  expect(backupsOf(folder, '.mcp.json')).toEqual([])
})

test('a small file that was edited is not taken for one that Legwork made', async () => {
  const folder = makeFiles({ '.mcp.json': '{}' })
  await legwork(folder, 'link', 'claude-code', '--yes')
  writeFileSync(join(folder, '.mcp.json'), `${read(folder, '.mcp.json')}\n`)
  await legwork(folder, 'unlink', 'claude-code', '--yes')
  expect(JSON.parse(read(folder, '.mcp.json'))).toEqual({ mcpServers: {} })
})

test('Codex’s TOML gets a table at its end, and is the same after unlink', async () => {
  const text = '# mine\nmodel = "x"\n\n[mcp_servers.mem]\ncommand = "npx"'
  const folder = makeFiles({ '.codex/config.toml': text })
  await legwork(folder, 'link', 'codex', '--yes')
  const linked = read(folder, '.codex/config.toml')
  expect(linked.startsWith(`${text}\n\n[mcp_servers.legwork]\ncommand = "npx"\n`)).toBe(true)
  expect(linked).toContain(join(folder, 'legwork.jsonc'))
  await legwork(folder, 'unlink', 'codex', '--yes')
  expect(read(folder, '.codex/config.toml')).toBe(text)
})

const refused: [string, Record<string, string | Uint8Array>, string][] = [
  ['broken JSON', { '.mcp.json': '{ "mcpServers": { ' }, 'The object is not closed. Write "}".'],
  ['UTF-16', { '.mcp.json': Uint8Array.of(0xff, 0xfe, 0x7b, 0) }, 'UTF-16'],
  ['another encoding', { '.mcp.json': Uint8Array.of(0x7b, 0xe9, 0x7d) }, 'UTF-8'],
  ['a list', { '.mcp.json': '[]' }, 'no object'],
  ['servers that are no object', { '.mcp.json': '{"mcpServers": 7}' }, 'no object'],
  ['its servers twice', { '.mcp.json': '{"mcpServers": {"a": {}}, "mcpServers": {}}' }, '"mcpServers" stands twice'],
  ['another server of that name', { '.mcp.json': '{"mcpServers": {"legwork": {"command": "y"}}}' }, 'another server'],
]

test.each(refused)('a file with %s is left as it is, with a sentence', async (_, made, sentence) => {
  const folder = makeFiles(made)
  const before = readFileSync(join(folder, '.mcp.json'))
  const { exitCode, stderr } = await legwork(folder, 'link', 'claude-code', '--yes')
  expect(exitCode).toBe(2)
  expect(stderr).toContain(sentence)
  expect(stderr).not.toContain('--help')
  expect(readFileSync(join(folder, '.mcp.json'))).toEqual(before)
  expect(backupsOf(folder, '.mcp.json')).toEqual([])
})

describe('what is no file is not read', () => {
  const inPlace: [string, (path: string) => void, string][] = [
    ['a pipe', (path) => execFileSync('mkfifo', [path]), 'is a pipe'],
    ['a folder', (path) => mkdirSync(path), 'is a folder'],
    ['a link to a device', (path) => symlinkSync('/dev/zero', path), 'is a device'],
    ['a link to nothing', (path) => symlinkSync('nowhere', path), 'is a link to "nowhere", where nothing is'],
    ['a link to itself', (path) => symlinkSync('.mcp.json', path), 'leads back to itself'],
    ['a file of many megabytes', (path) => writeFileSync(path, ' '.repeat(5 * 1_048_576)), 'at most'],
  ]
  test.each(inPlace)('%s', async (_, make, sentence) => {
    const folder = makeFiles({})
    make(join(folder, '.mcp.json'))
    for (const verb of ['link', 'unlink']) {
      const { exitCode, stderr } = await legwork(folder, verb, 'claude-code', '--yes')
      expect(exitCode).toBe(2)
      expect(stderr).toContain(sentence)
      expect(stderr).not.toContain('--help')
    }
  })

  test('a file where a folder should be', async () => {
    const folder = makeFiles({ '.cursor': 'mine' })
    const { exitCode, stderr } = await legwork(folder, 'link', 'cursor', '--yes')
    expect(exitCode).toBe(2)
    expect(stderr).toContain(`"${join(folder, '.cursor')}" is no folder`)
  })
})

test('a read-only file is left as it is, and no backup is left behind', async () => {
  const folder = makeFiles({ '.mcp.json': plain })
  chmodSync(join(folder, '.mcp.json'), 0o444)
  const { exitCode, stderr } = await legwork(folder, 'link', 'claude-code', '--yes')
  expect(exitCode).toBe(2)
  expect(stderr).toContain('read-only')
  expect(stderr).not.toContain('--help')
  expect(read(folder, '.mcp.json')).toBe(plain)
  expect(backupsOf(folder, '.mcp.json')).toEqual([])
})

test('a folder that may not be written to is named', async () => {
  const folder = makeFiles({ '.mcp.json': plain, '.cursor/mcp.json': plain })
  chmodSync(join(folder, '.cursor'), 0o555)
  chmodSync(folder, 0o755)
  // Nobody may keep the superuser from writing.
  const asNobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const { exitCode, stderr } = await legworkIn(folder, ['link', 'cursor', '--yes'], asNobody)
  chmodSync(join(folder, '.cursor'), 0o755)
  expect(exitCode).toBe(2)
  expect(stderr).toContain(`You may not write to the folder "${join(folder, '.cursor')}"`)
  expect(stderr).not.toContain('--help')
})

test('what others keep beside the file under such a name is neither changed nor removed', async () => {
  const others = { '.mcp.json.before-legwork': 'mine', '.mcp.json.before-legwork-00000000': 'mine too' }
  const folder = makeFiles({ '.mcp.json': plain, ...others })
  await legwork(folder, 'link', 'claude-code', '--yes')
  writeFileSync(join(folder, '.mcp.json'), `${read(folder, '.mcp.json')}\n`)
  await legwork(folder, 'unlink', 'claude-code', '--yes')
  for (const [name, text] of Object.entries(others)) expect(read(folder, name)).toBe(text)
  expect(backupsOf(folder, '.mcp.json')).toHaveLength(2)
})

test.each(['', 'relative'])('with "%s" for a home folder nothing is written', async (home) => {
  const folder = makeFiles({})
  const { exitCode, stderr } = await legworkIn(folder, ['link', 'codex', '--yes'], { env: { HOME: home } })
  expect(exitCode).toBe(2)
  expect(stderr).toContain(`HOME is "${home}"`)
  expect(readdirSync(folder)).toEqual(['legwork.jsonc'])
})

test('a file that is a link stays one', async () => {
  const folder = makeFiles({ 'real.json': plain })
  symlinkSync('real.json', join(folder, '.mcp.json'))
  await legwork(folder, 'link', 'claude-code', '--yes')
  expect(read(folder, 'real.json')).toContain('legwork')
  await legwork(folder, 'unlink', 'claude-code', '--yes')
  expect(read(folder, 'real.json')).toBe(plain)
})

test('a client that nobody knows, and a folder without a configuration, are misuse', async () => {
  expect(await legwork(makeFiles({}), 'link', 'netscape')).toMatchObject({ exitCode: 2 })
  const bare = await legwork(temporaryFolder(), 'link', 'cursor')
  expect(bare).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('legwork init') })
  expect(bare.stderr).not.toContain('--help')
  const named = await legwork(makeFiles({}), 'link', 'cursor', '--config', 'nowhere.jsonc')
  expect(named).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('nowhere.jsonc') })
})
