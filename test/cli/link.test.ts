import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runLegwork } from '../support/command.ts'
import { temporaryFolder } from '../support/temporary.ts'

function makeFolder(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = temporaryFolder()
  for (const [name, text] of Object.entries({ 'legwork.jsonc': '{}', ...files })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

const read = (folder: string, file: string) => readFileSync(join(folder, file), 'utf8')
const legwork = (folder: string, ...words: string[]) => runLegwork(words, { cwd: folder })

/** The same file in the hands of different people. */
const files: Record<string, string> = {
  plain: '{\n  "mcpServers": {\n    "a": { "command": "x" }\n  }\n}\n',
  'comments and trailing commas':
    '// mine\n{\n\t"mcpServers": {\n\t\t"a": {"command": "x"}, // keep\n\t},\n\t"other": [1,2,\n3],\n}\n',
  'carriage returns and a byte order mark': '\uFEFF{\r\n    "mcpServers": {\r\n        "a": {}\r\n    }\r\n}\r\n',
  'one line': '{"mcpServers": {"a": {"command": "x"}}, "z": 1}',
  'no servers yet': '{\n  "theme": "dark"\n}',
  'an empty object of servers': '{ "mcpServers": {} }',
  'an empty object': '{}',
  empty: '',
}

describe.each(Object.entries(files))('a file with %s', (_, text) => {
  test('is linked, keeps every other line, and is the same after unlink', async () => {
    const folder = makeFolder({ '.mcp.json': text })
    expect(await legwork(folder, 'link', 'claude-code', '--yes')).toMatchObject({ exitCode: 0 })
    const linked = read(folder, '.mcp.json')
    expect(linked).toContain('"legwork": { "command": "npx", "args": ["-y", "legwork", "serve", "--stdio"] }')
    if (/"a"/.test(text)) expect(linked).toMatch(/"a": .*keep|"a": \{(?! \/\/)/)
    const without = linked.replace(/,?\s*"legwork": \{[^}]*\}(,?)/, '$1')
    if (/"a"/.test(text)) expect(without.replace(/\s|,/g, '')).toBe(text.replace(/\s|,/g, ''))
    expect(await legwork(folder, 'unlink', 'claude-code', '--yes')).toMatchObject({ exitCode: 0 })
    expect(existsSync(join(folder, '.mcp.json')) ? read(folder, '.mcp.json') : '').toBe(text)
    expect(existsSync(join(folder, '.mcp.json.before-legwork'))).toBe(false)
  })
})

test('the change is shown first, and without a yes nothing is changed', async () => {
  const folder = makeFolder({ '.mcp.json': files.plain ?? '' })
  const { exitCode, stdout, stderr } = await legwork(folder, 'link', 'claude-code')
  expect(exitCode).toBe(1)
  expect(stdout).toContain('+     "legwork": {')
  expect(stderr).toContain('Nothing was changed')
  expect(read(folder, '.mcp.json')).toBe(files.plain)
})

test('a backup is kept while it is linked', async () => {
  const folder = makeFolder({ '.mcp.json': files.plain ?? '' })
  await legwork(folder, 'link', 'claude-code', '--yes')
  expect(read(folder, '.mcp.json.before-legwork')).toBe(files.plain)
})

test('a file that was not there is made, and goes again', async () => {
  const folder = makeFolder({})
  await legwork(folder, 'link', 'cursor', '--yes')
  expect(JSON.parse(read(folder, '.cursor/mcp.json'))).toMatchObject({ mcpServers: { legwork: { command: 'npx' } } })
  await legwork(folder, 'unlink', 'cursor', '--yes')
  expect(existsSync(join(folder, '.cursor/mcp.json'))).toBe(false)
})

test('linking twice changes nothing the second time', async () => {
  const folder = makeFolder({ '.mcp.json': files.plain ?? '' })
  await legwork(folder, 'link', 'claude-code', '--yes')
  const linked = read(folder, '.mcp.json')
  expect(await legwork(folder, 'link', 'claude-code', '--yes', '--json')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('"state":"unchanged"'),
  })
  expect(read(folder, '.mcp.json')).toBe(linked)
})

test('an unlink after somebody edited the file takes out our entry alone', async () => {
  const folder = makeFolder({ '.mcp.json': files['comments and trailing commas'] ?? '' })
  await legwork(folder, 'link', 'claude-code', '--yes')
  const editedText = read(folder, '.mcp.json').replace('"other": [1,2,', '"other": [1,9,')
  writeFileSync(join(folder, '.mcp.json'), editedText)
  expect(await legwork(folder, 'unlink', 'claude-code', '--yes')).toMatchObject({ exitCode: 0 })
  const after = read(folder, '.mcp.json')
  expect(after).not.toContain('legwork')
  expect(after).toContain('"other": [1,9,\n3]')
  expect(after).toContain('"a": {"command": "x"}')
  expect(after).toContain('// mine')
})

test('Codex’s TOML gets a table at its end, and is the same after unlink', async () => {
  const text = '# mine\nmodel = "x"\n\n[mcp_servers.mem]\ncommand = "npx"'
  const folder = makeFolder({ '.codex/config.toml': text })
  await legwork(folder, 'link', 'codex', '--yes')
  const linked = read(folder, '.codex/config.toml')
  expect(linked.startsWith(`${text}\n\n[mcp_servers.legwork]\ncommand = "npx"\n`)).toBe(true)
  expect(linked).toContain(join(folder, 'legwork.jsonc'))
  writeFileSync(join(folder, '.codex/config.toml'), `${linked}\n[later]\nx = 1\n`)
  await legwork(folder, 'unlink', 'codex', '--yes')
  expect(read(folder, '.codex/config.toml')).toBe(`${text}\n[later]\nx = 1\n`)
})

test('VS Code and Claude Desktop get entries as they write them', async () => {
  const folder = makeFolder({ '.vscode/mcp.json': '{ "servers": { "a": { "type": "http", "url": "http://x" } } }' })
  await legwork(folder, 'link', 'vscode', '--yes')
  expect(JSON.parse(read(folder, '.vscode/mcp.json'))).toMatchObject({ servers: { legwork: { type: 'stdio' } } })
  const desktop = { linux: '.config/Claude', darwin: 'Library/Application Support/Claude' } as Record<string, string>
  const place = desktop[process.platform]
  if (place === undefined) return
  await legwork(folder, 'link', 'claude-desktop', '--yes')
  expect(read(folder, `${place}/claude_desktop_config.json`)).toContain('"--config"')
})

const refused: [string, Record<string, string | Uint8Array>, string][] = [
  ['broken JSON', { '.mcp.json': '{ "mcpServers": { ' }, 'is not JSON'],
  ['UTF-16', { '.mcp.json': Uint8Array.of(0xff, 0xfe, 0x7b, 0) }, 'UTF-16'],
  ['another encoding', { '.mcp.json': Uint8Array.of(0x7b, 0xe9, 0x7d) }, 'UTF-8'],
  ['a list', { '.mcp.json': '[]' }, 'no object'],
  ['servers that are no object', { '.mcp.json': '{"mcpServers": 7}' }, 'no object'],
  ['another server of that name', { '.mcp.json': '{"mcpServers": {"legwork": {"command": "y"}}}' }, 'another server'],
]

test.each(refused)('a file with %s is left as it is, with a sentence', async (_, made, sentence) => {
  const folder = makeFolder(made)
  const before = readFileSync(join(folder, '.mcp.json'))
  const { exitCode, stderr } = await legwork(folder, 'link', 'claude-code', '--yes')
  expect(exitCode).toBe(2)
  expect(stderr).toContain(sentence)
  expect(readFileSync(join(folder, '.mcp.json'))).toEqual(before)
})

test('a read-only file is left as it is', async () => {
  const folder = makeFolder({ '.mcp.json': files.plain ?? '' })
  chmodSync(join(folder, '.mcp.json'), 0o444)
  expect(await legwork(folder, 'link', 'claude-code', '--yes')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('read-only'),
  })
  expect(read(folder, '.mcp.json')).toBe(files.plain)
})

test('a file that is a link stays one', async () => {
  const folder = makeFolder({ 'real.json': files.plain ?? '' })
  symlinkSync('real.json', join(folder, '.mcp.json'))
  await legwork(folder, 'link', 'claude-code', '--yes')
  expect(read(folder, 'real.json')).toContain('legwork')
})

test('a client that nobody knows, and a folder without a configuration, are misuse', async () => {
  expect(await legwork(makeFolder({}), 'link', 'netscape')).toMatchObject({ exitCode: 2 })
  const bare = temporaryFolder()
  expect(await legwork(bare, 'link', 'cursor')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('legwork init'),
  })
})
