import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadConfiguration } from '../../src/configuration/load.ts'
import { example } from './example.ts'
import { load, makeFolder } from './folder.ts'

test('the example of the design loads, with its variables filled in', async () => {
  const { configuration, warnings } = await load(example, { GH_TOKEN: 'ghp_abcdefgh1234' })
  expect(warnings).toEqual([])
  expect(configuration.mcpServers?.files?.args).toEqual(['-y', '@modelcontextprotocol/server-filesystem', '.'])
  expect(configuration.programs?.gh).toEqual({
    metadata: './gh.json',
    command: './bin/gh',
    trust: 'vendor',
    confine: 'processes',
    env: ['GH_TOKEN'],
  })
  expect(configuration.redact?.values).toEqual(['ghp_abcdefgh1234'])
  expect(configuration.policy?.approvalTimeoutMs).toBe(300_000)
})

test('without a file nothing is configured, and the workspace is the working directory', async () => {
  const cwd = makeFolder()
  const loaded = await loadConfiguration({ cwd, environment: {} })
  const rules = { allow: [], ask: [], deny: [] }
  expect(loaded).toEqual({ configuration: {}, file: undefined, folder: cwd, rules, secrets: [], warnings: [] })
})

test('the workspace is the folder of the file, however deep the working directory is', async () => {
  const folder = makeFolder({ 'legwork.jsonc': '{}', 'a/b/c.txt': '' })
  const loaded = await loadConfiguration({ cwd: join(folder, 'a/b'), environment: {} })
  expect(loaded).toMatchObject({ file: join(folder, 'legwork.jsonc'), folder })
})

test('a file may be named, relative to the working directory', async () => {
  const folder = makeFolder({ 'legwork.jsonc': '{"limits": {"timeoutMs": 1}}', 'other/mine.json': '{"model": "x:y"}' })
  const loaded = await loadConfiguration({ cwd: folder, file: 'other/mine.json', environment: {} })
  expect(loaded).toMatchObject({ configuration: { model: 'x:y' }, folder: join(folder, 'other') })
})

test.each([
  ['nothing', ''],
  ['only a comment', '// later\n'],
  ['a byte order mark', '\uFEFF{"limits": {}}'],
  ['Windows line ends', '{\r\n  // a comment\r\n  "limits": {},\r\n}\r\n'],
  ['trailing commas and block comments', '{ "functions": ["a", /* b */ ], }'],
])('a file with %s is fine', async (_what, content) => {
  await expect(load(content)).resolves.toMatchObject({ warnings: [] })
})

test('every rule knows its file, line, column and frame', async () => {
  const { rules, file } = await load(
    '{\n  "policy": {\n    "allow": ["git:*"],\n    "deny": [\n      "a", "gh:pr*"\n    ]\n  }\n}',
  )
  expect(rules.allow).toMatchObject([{ pattern: 'git:*', where: { file, line: 3, column: 15 } }])
  expect(rules.deny[1]).toEqual({
    pattern: 'gh:pr*',
    where: {
      file,
      line: 5,
      column: 12,
      frame: '  4 |     "deny": [\n> 5 |       "a", "gh:pr*"\n    |            ^\n  6 |     ]',
    },
  })
})

test('the last of ten thousand rules knows its place too', async () => {
  const deny = Array.from({ length: 10_000 }, (_, at) => `server${at}:*`)
  const { rules } = await load(JSON.stringify({ policy: { deny } }, null, 2))
  expect(rules.deny[9_999]?.where?.line).toBe(10_003)
})

test('keys of other clients in a server are warnings with their place, and are left out', async () => {
  const { configuration, warnings, file } = await load(
    '{ "mcpServers": { "files": {\n  "command": "npx",\n  "type": "stdio",\n  "trust": true,\n  "autoApprove": ["*"]\n} } }',
  )
  expect(configuration.mcpServers).toEqual({ files: { command: 'npx' } })
  expect(warnings).toEqual([
    `${file}:4:3: mcpServers.files.trust: A key of other clients, without effect here. Write "trust" inside "legwork".`,
    `${file}:5:3: mcpServers.files.autoApprove: A key of other clients, without effect here. To run tools without a question, write them into "policy.allow".`,
  ])
})

test.each([
  ['{ "a": { "command": "x", "disabled": true }, "b": { "command": "y", "disabled": false } }', 'disabled'],
  ['{ "a": { "command": "x", "enabled": false }, "b": { "command": "y", "enabled": true } }', 'enabled'],
])('a server that is switched off is left out, with a warning: %s', async (mcpServers, key) => {
  const { configuration, warnings, file } = await load(`{ "mcpServers": ${mcpServers} }`)
  expect(configuration.mcpServers).toEqual({ b: { command: 'y' } })
  expect(warnings).toEqual([`${file}:1:42: mcpServers.a.${key}: The server "a" is left out.`])
})

test('a secret of a server that is switched off is a secret still', async () => {
  const { secrets } = await load('{ "mcpServers": { "a": { "command": "x", "env": { "K": "v" }, "disabled": true } } }')
  expect(secrets).toEqual([{ value: 'v', variable: 'K' }])
})

test.each([
  ['"command": "x", "type": "stdio"', { command: 'x' }],
  ['"command": "x", "transport": "stdio"', { command: 'x' }],
  ['"url": "http://x/", "type": "http"', { url: 'http://x/' }],
  ['"url": "http://x/", "type": "streamable-http"', { url: 'http://x/' }],
  ['"url": "http://x/", "transportType": "streamableHttp"', { url: 'http://x/' }],
  ['"url": "http://x/", "type": "sse"', { url: 'http://x/', type: 'sse' }],
  ['"url": "http://x/", "transport": "sse"', { url: 'http://x/', type: 'sse' }],
])('a transport that is named as it is needs no warning: %s', async (entry, server) => {
  const { configuration, warnings } = await load(`{ "mcpServers": { "a": { ${entry} } } }`)
  expect(configuration.mcpServers).toEqual({ a: server })
  expect(warnings).toEqual([])
})

test.each([
  ['"command": "x", "type": "sse"', 'type', { command: 'x' }],
  ['"command": "x", "transport": 7', 'transport', { command: 'x' }],
  ['"url": "http://x/", "type": "stdio"', 'type', { url: 'http://x/' }],
  ['"url": "http://x/", "type": "websocket"', 'type', { url: 'http://x/' }],
])('one that is another is a warning, and changes nothing: %s', async (entry, key, server) => {
  const { configuration, warnings } = await load(`{ "mcpServers": { "a": { ${entry} } } }`)
  expect(configuration.mcpServers).toEqual({ a: server })
  expect(warnings).toEqual([expect.stringContaining(`mcpServers.a.${key}: This has no effect here.`)])
})

test('a second file beside the first is refused, unless one of them is named', async () => {
  const cwd = makeFolder({ 'legwork.jsonc': '{}', 'legwork.json': '{}' })
  const loading = loadConfiguration({ cwd, environment: {} })
  await expect(loading).rejects.toThrow('legwork.json stands beside it')
  expect((await loadConfiguration({ cwd, file: 'legwork.json', environment: {} })).warnings).toEqual([])
})

test.skipIf(process.platform === 'win32')('a file that everybody may change is a warning', async () => {
  const cwd = makeFolder()
  const file = join(cwd, 'legwork.jsonc')
  writeFileSync(file, '{}')
  chmodSync(file, 0o666)
  const { warnings } = await loadConfiguration({ cwd, environment: {} })
  expect(warnings).toEqual([`${file}: Every user of this machine may change this file. Run "chmod o-w" on it.`])
})
