import { expect, test } from 'vitest'
import { legworkIn, makeFiles, read } from '../support/client-files.ts'

const github = `ghp_${'abcdefghijklmnopqrstuvwxyz0123456789'}`
const openai = 'sk-verysecret12345'
const password = 'hunter2hunter2'

const servers = {
  x: {
    command: 'x',
    env: { API_KEY: openai, PASSWD: password, PAT: github, SHORT_TOKEN: 'abc', NODE_ENV: 'production' },
  },
  other: { command: 'x', env: { API_KEY: 'another-one-9876' } },
  'arg-s': {
    command: 'docker',
    args: ['--token', github, `--api-key=${openai}`, '-e', `DB_PASSWORD=${password}`, `postgres://me:${password}@h/db`],
  },
  'url.s': { url: `https://example.com/mcp?api_key=${openai}&page=2` },
  pass: { url: `https://me:${password}@example.com/mcp` },
  hdr: {
    url: 'https://example.com/mcp',
    headers: { Authorization: `Bearer ${github}`, 'X-Api-Key': 'abcdef', Accept: 'x/y' },
  },
  filled: { command: 'x', env: { API_KEY: '${MINE}', USE_TOKENS: 'true' } },
}

test('secrets stay where they are: variables stand for them, and nothing shows them', async () => {
  const folder = makeFiles({ '.config/Claude/claude_desktop_config.json': JSON.stringify({ mcpServers: servers }) })
  const { exitCode, stdout, stderr } = await legworkIn(folder, ['init', '--yes'], { env: { MINE: 'x' } })
  expect(exitCode).toBe(0)
  const text = read(folder, 'legwork.jsonc')
  for (const secret of [github, openai, password, 'another-one-9876', '"abc"', '"abcdef"']) {
    expect(text).not.toContain(secret)
    expect(stdout + stderr).not.toContain(secret)
  }
  expect(JSON.parse(text.replace(/^\/\/.*\n/, '')).mcpServers).toEqual({
    x: {
      command: 'x',
      env: {
        API_KEY: '${API_KEY:-}',
        PASSWD: '${PASSWD:-}',
        PAT: '${PAT:-}',
        SHORT_TOKEN: '${SHORT_TOKEN:-}',
        NODE_ENV: 'production',
      },
    },
    other: { command: 'x', env: { API_KEY: '${OTHER_API_KEY:-}' } },
    'arg-s': {
      command: 'docker',
      args: [
        '--token',
        '${ARG_S_TOKEN:-}',
        '--api-key=${ARG_S_API_KEY:-}',
        '-e',
        'DB_PASSWORD=${ARG_S_DB_PASSWORD:-}',
        'postgres://me:${ARG_S_SECRET:-}@h/db',
      ],
    },
    'url.s': { url: 'https://example.com/mcp?api_key=${URL_S_API_KEY:-}&page=2' },
    pass: { url: 'https://me:${PASS_SECRET:-}@example.com/mcp' },
    hdr: {
      url: 'https://example.com/mcp',
      headers: { Authorization: 'Bearer ${HDR_AUTHORIZATION:-}', 'X-Api-Key': '${HDR_X_API_KEY:-}', Accept: 'x/y' },
    },
    filled: { command: 'x', env: { API_KEY: '${MINE}', USE_TOKENS: 'true' } },
  })
  for (const name of ['API_KEY  for "x"', 'OTHER_API_KEY', 'ARG_S_TOKEN', 'HDR_AUTHORIZATION']) {
    expect(stdout).toContain(name)
  }
  expect(stdout).toContain('claude_desktop_config.json')
})

test('what looks random in a header or behind a letter is left where it is, by init and by link', async () => {
  const custom = 'abcdef0123456789abcdef0123456789'
  const odd = {
    web: { url: 'https://example.com/mcp', headers: { 'X-Custom': custom, Accept: 'application/vnd.github.v3+json' } },
    local: { command: 'x', args: ['-p', 'hunter2secretpw', '-y', '@upstash/context7-mcp'] },
  }
  const folder = makeFiles({ '.mcp.json': JSON.stringify({ mcpServers: odd }) })
  const made = await legworkIn(folder, ['init', '--yes'])
  const linked = await legworkIn(folder, ['link', 'claude-code', '--yes'])
  for (const { exitCode, stdout, stderr } of [made, linked]) {
    expect(exitCode).toBe(0)
    for (const secret of [custom, 'hunter2secretpw']) expect(stdout + stderr).not.toContain(secret)
  }
  expect(JSON.parse(read(folder, 'legwork.jsonc').replace(/^\/\/.*\n/, '')).mcpServers).toEqual({
    web: { ...odd.web, headers: { ...odd.web.headers, 'X-Custom': '${WEB_X_CUSTOM:-}' } },
    local: { command: 'x', args: ['-p', '${LOCAL_P:-}', '-y', '@upstash/context7-mcp'] },
  })
})

test('with --json the variables are told as data, and one that holds its secret already is not', async () => {
  const folder = makeFiles({ '.mcp.json': JSON.stringify({ mcpServers: { x: servers.x } }) })
  const { stdout } = await legworkIn(folder, ['init', '--yes', '--json'], { env: { API_KEY: openai } })
  const { variables } = JSON.parse(stdout)
  expect(variables.map(({ variable }: { variable: string }) => variable)).toEqual(['PASSWD', 'PAT', 'SHORT_TOKEN'])
  expect(read(folder, 'legwork.jsonc')).toContain('"API_KEY": "${API_KEY}"')
})

test('no secret shows in what is said about a file or an entry that cannot be read', async () => {
  const folder = makeFiles({
    '.mcp.json': `{"mcpServers": {"a": {"env": {"PAT": "${github}"} oops`,
    '.cursor/mcp.json': JSON.stringify({
      mcpServers: { b: { url: `ftp://me:${password}@x`, args: `--token=${github}` } },
    }),
    '.codex/config.toml': `[mcp_servers.a.env]\nPAT = "${github}" oops\n`,
  })
  const { stdout, stderr } = await legworkIn(folder, ['init', '--yes'])
  expect(stderr).toContain('is left out')
  expect(stderr).toContain('is not TOML')
  for (const secret of [github, password]) expect(stdout + stderr).not.toContain(secret)
})
