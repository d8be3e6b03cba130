import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { legworkIn, makeFiles, read } from '../support/client-files.ts'
import { commandFile } from '../support/command.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { noTerminal, onTerminal } from '../support/terminal.ts'

const init = (folder: string, ...words: string[]) => legworkIn(folder, ['init', ...words])
const written = (folder: string) => JSON.parse(read(folder, 'legwork.jsonc').replace(/^\/\/.*\n/, ''))
const withServers = (mcpServers: object) => makeFiles({ '.mcp.json': JSON.stringify({ mcpServers }) })

test('takes over the servers of every client, and the programs that it knows', async () => {
  const folder = makeFiles({
    '.mcp.json': '{ "mcpServers": { "files": { "command": "npx", "args": ["-y", "files", "."] }, }, } // mine',
    '.cursor/mcp.json': '{"mcpServers": {"remote": {"url": "http://127.0.0.1:1/mcp"}, "files": {"command": "other"}}}',
    '.vscode/mcp.json': '{"servers": {"here": {"type": "stdio", "command": "x", "args": ["${workspaceFolder}"]}}}',
    '.config/Claude/claude_desktop_config.json': '{"mcpServers": {"desk": {"command": "y"}}}',
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
    desk: { command: 'y' },
    memory: { command: 'npx', args: ['-y', 'memory'] },
  })
  expect(written(folder).programs).toMatchObject({ ls: {}, cat: {} })
  expect(statSync(join(folder, 'legwork.jsonc')).mode & 0o077).toBe(0)
})

test.each(['.claude/skills', 'skills'])(
  'tells of the skills in %s, which are there without a word in the file',
  async (place) => {
    const folder = makeFiles({ [`${place}/tidy/SKILL.md`]: '---\nname: tidy\ndescription: Tidies up\n---\nTidy up.\n' })
    expect((await init(folder, '--yes')).stdout).toContain(`Found skills in ${place} `)
    expect(written(folder)).not.toHaveProperty('skills')
    expect((await legworkIn(folder, ['tools', '--json'])).stdout).toContain('"tidy"')
  },
)

test('what it writes can be read', async () => {
  const folder = withServers({ a: { command: 'x', env: { K: '${NOT_SET_HERE}', TOKEN: 'f00dF00Dbeefcafe' } } })
  const { stderr } = await init(folder, '--yes')
  expect(stderr).toContain('NOT_SET_HERE')
  const { exitCode, stdout } = await legworkIn(folder, ['call', 'ls', '{}', '--json'])
  expect(stdout).toContain('"ok":true')
  expect(exitCode).toBe(0)
})

test('without a yes nothing is written', async () => {
  const folder = makeFiles({})
  expect(await init(folder)).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('--yes') })
  const { exitCode, stdout } = await init(folder, '--json')
  expect(exitCode).toBe(4)
  expect(JSON.parse(stdout)).toMatchObject({ ok: false, code: 'approval-needed', file: join(folder, 'legwork.jsonc') })
  expect(() => statSync(join(folder, 'legwork.jsonc'))).toThrow()
})

test('with --json stdout is one value', async () => {
  const folder = withServers({ a: { command: 'x' } })
  const { stdout } = await init(folder, '--yes', '--json')
  expect(JSON.parse(stdout)).toMatchObject({ ok: true, servers: ['a'] })
})

test.skipIf(noTerminal)(
  'on a terminal the change is shown before the question, with --json beside the answer',
  async () => {
    const folder = withServers({ a: { command: 'xylophone' } })
    const options = { cwd: folder, question: 'Write legwork.jsonc?', stdout: join(folder, 'out') }
    const refusal = await onTerminal(['init', '--json'], { ...options, keys: 'n\r' })
    expect(refusal.output.indexOf('xylophone')).toBeLessThan(refusal.output.indexOf('Write legwork.jsonc?'))
    expect(refusal.output).toContain('xylophone')
    expect(refusal.exitCode).toBe(3)
    expect(JSON.parse(read(folder, 'out'))).toMatchObject({ ok: false, code: 'denied' })
    expect((await onTerminal(['init', '--json'], { ...options, keys: 'y\r' })).exitCode).toBe(0)
    expect(JSON.parse(read(folder, 'out'))).toMatchObject({ ok: true, servers: ['a'] })
  },
)

test.skipIf(noTerminal).each([
  ['Ctrl-C', '\u0003', 130],
  ['the end of input', '\u0004', 3],
])('%s at the question writes nothing', async (_, keys, exitCode) => {
  const folder = makeFiles({})
  const options = { cwd: folder, question: 'Write legwork.jsonc?', keys }
  expect(await onTerminal(['init'], options)).toMatchObject({ exitCode })
  expect(() => statSync(join(folder, 'legwork.jsonc'))).toThrow()
})

test('a configuration that is there is not touched, under either name, nor a link to nothing', async () => {
  for (const name of ['legwork.jsonc', 'legwork.json']) {
    const folder = makeFiles({ [name]: '{} // mine' })
    const { exitCode, stderr } = await init(folder, '--yes')
    expect(exitCode).toBe(2)
    expect(stderr).toContain('already')
    expect(stderr).not.toContain('--help')
    expect(read(folder, name)).toBe('{} // mine')
  }
  const folder = temporaryFolder()
  symlinkSync('nowhere', join(folder, 'legwork.jsonc'))
  expect((await init(folder, '--yes')).exitCode).toBe(2)
})

test('one that holds from a folder above is told, and is not replaced for this folder unless it is asked for', async () => {
  const above = makeFiles({ 'legwork.jsonc': '{}' })
  const folder = join(above, 'sub')
  mkdirSync(folder)
  const { exitCode, stderr } = await init(folder, '--yes')
  expect(exitCode).toBe(2)
  expect(stderr).toContain(join(above, 'legwork.jsonc'))
  expect((await init(folder)).stderr).toContain('read in its place')
  expect(() => statSync(join(folder, 'legwork.jsonc'))).toThrow()
  expect((await init(folder, '--yes', '--config', 'legwork.jsonc')).exitCode).toBe(0)
  expect(written(folder)).toHaveProperty('programs')
})

test('what cannot be taken over is told, and the rest is', async () => {
  const folder = makeFiles({
    '.mcp.json': JSON.stringify({
      mcpServers: {
        off: { command: 'x', disabled: true },
        asks: { command: 'x', env: { KEY: '${input:key}' } },
        odd: 7,
        empty: {},
        both: { command: 'x', url: 'http://127.0.0.1:1' },
        legwork: { command: 'npx' },
        some: { command: 'x', alwaysAllow: ['x'] },
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
    '"odd" is left out',
    'has neither "command" nor "url"',
    'has both "command" and "url"',
    '"legwork" is left out',
    '"alwaysAllow" of "some"',
    'mcp.json:1:3: "broken" is not JSON. Write text in double quotes.',
  ]) {
    expect(stderr).toContain(words)
  }
  expect(Object.keys(written(folder).mcpServers)).toEqual(['some', '__proto__x'])
})

test('what Legwork could not read is left out, each with a reason', async () => {
  const folder = makeFiles({
    '.mcp.json': `{"mcpServers": {
      "args": {"command": "x", "args": "a b"}, "env": {"command": "x", "env": {"N": 5}}, "url": {"url": "ftp://x"},
      "list": {"command": ["x"]}, "": {"command": "x"}, "__proto__": {"command": "x"}, "fine": {"command": "y"} }}`,
  })
  const { exitCode, stderr } = await init(folder, '--yes')
  expect(exitCode).toBe(0)
  expect(Object.keys(written(folder).mcpServers)).toEqual(['fine'])
  for (const reason of [
    'args is "a b"; write a list',
    'env.N is 5',
    'url is "ftp://x"',
    'command is a list',
    'empty name',
  ]) {
    expect(stderr).toContain(reason)
  }
  expect(stderr).toContain('"__proto__" is left out')
  expect((await legworkIn(folder, ['tools', '--kind', 'program'])).exitCode).toBe(0)
})

test('a server that needs another word of its editor is left out', async () => {
  const words = [
    '${cwd}/x',
    '${workspaceFolderBasename}',
    '${pathSeparator}',
    '${/}',
    '${fileDirname}',
    '${config:a.b}',
    '${unclosed',
  ]
  const folder = withServers(Object.fromEntries(words.map((word, at) => [`s${at}`, { command: 'x', args: [word] }])))
  const { stderr } = await init(folder, '--yes')
  for (const at of words.keys()) expect(stderr).toContain(`"s${at}" is left out`)
  expect(written(folder)).not.toHaveProperty('mcpServers')
})

test('the folder of the project and the home folder are filled in', async () => {
  const folder = withServers({
    a: { command: '${workspaceFolder}/a', args: ['${userHome}/b', '${CLAUDE_PROJECT_DIR:-.}/c'] },
    b: { command: 'x', cwd: '${workspaceFolder}/sub', args: ['${workspaceFolder}/d'] },
  })
  expect((await init(folder, '--yes')).stderr).not.toContain('is not set')
  expect(written(folder).mcpServers).toEqual({
    a: { command: './a', args: ['${HOME}/b', './c'] },
    b: { command: 'x', cwd: `${folder}/sub`, args: [`${folder}/d`] },
  })
})

test('Legwork itself is not taken over, under whatever name and however it is started', async () => {
  const bin = makeFiles({})
  symlinkSync(commandFile, join(bin, 'lw'))
  const serving = ['serve', '--stdio']
  const folder = withServers({
    tools: { command: 'legwork', args: serving },
    npx: { command: 'npx', args: ['-y', 'legwork@0.1', ...serving] },
    node: { command: 'node', args: [commandFile, ...serving] },
    bin: { command: './node_modules/.bin/legwork', args: serving },
    linked: { command: join(bin, 'lw'), args: serving },
    shell: { command: 'sh', args: ['-c', 'exec legwork serve --stdio'] },
    windows: { command: 'C:\\tools\\legwork.cmd', args: serving },
    files: { command: 'npx', args: ['-y', 'server-filesystem', '/home/me/legwork'] },
    odd: { command: 'a\0', args: ['serve'] },
  })
  const { stderr } = await init(folder, '--yes')
  expect(Object.keys(written(folder).mcpServers)).toEqual(['files', 'odd'])
  expect(stderr.match(/it is Legwork itself/g)).toHaveLength(7)
})

test('a file that is nested without end is named, and the rest is taken over', async () => {
  const deep = `{"mcpServers": ${'['.repeat(200_000)}${']'.repeat(200_000)}}`
  const other = JSON.stringify({ mcpServers: { other: { command: 'x' } } })
  const folder = makeFiles({ '.mcp.json': deep, '.cursor/mcp.json': other })
  const { exitCode, stdout, stderr } = await legworkIn(folder, ['init', '--yes'])
  expect(exitCode).toBe(0)
  expect(stderr).toMatch(/\.mcp\.json:1:\d+: Lists and objects are nested more than 64 levels deep here/)
  expect(stderr.length).toBeLessThan(2_000)
  expect(stdout).toContain('"other"')
})

test('a pipe, a folder and a file without end in a client’s place are passed over', async () => {
  const folder = makeFiles({ '.vscode/mcp.json': ' '.repeat(5 * 1_048_576) })
  execFileSync('mkfifo', [join(folder, '.mcp.json')])
  mkdirSync(join(folder, '.cursor/mcp.json'), { recursive: true })
  mkdirSync(join(folder, '.codex'))
  symlinkSync('/dev/zero', join(folder, '.codex/config.toml'))
  const { exitCode, stderr } = await init(folder, '--yes')
  expect(exitCode).toBe(0)
  for (const words of ['is a pipe', 'is a folder', 'bytes; at most', 'is a device']) expect(stderr).toContain(words)
})

test.each(['', 'relative'])(
  'with "%s" for a home folder nothing is looked for and nothing is written',
  async (home) => {
    const folder = makeFiles({ '.codex/config.toml': '[mcp_servers.a]\ncommand = "x"\n' })
    const { exitCode, stderr } = await legworkIn(folder, ['init', '--yes'], { env: { HOME: home } })
    expect(exitCode).toBe(2)
    expect(stderr).toContain(`HOME is "${home}"`)
    expect(() => readFileSync(join(folder, 'legwork.jsonc'))).toThrow()
  },
)
