import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { defineTool } from '../../src/index.ts'
import { runLegwork } from '../support/command.ts'
import { openLegwork } from '../support/legwork.ts'
import { harmless, serve } from '../support/mcp.ts'
import { temporaryFolder } from '../support/temporary.ts'

const leaked = 'zq+8/Kk19vLm2#p0Qw'
const password = 'sw0rdfish/sw0rdfish+1'
const serverFile = join(import.meta.dirname, '../fixtures/mcp/leaking-server.ts')

const server = (...args: string[]) => ({
  command: process.execPath,
  args: [serverFile, ...args],
  env: { LEAKED: leaked },
  legwork: { trust: 'org' as const },
})

function hasNoSecret(text: string): void {
  expect(text).not.toContain(leaked)
  expect(text).not.toContain(password)
  expect(text).not.toContain(JSON.stringify(leaked).slice(1, -1))
}

test('what a server was given shows nowhere: not in a list, a lock, a call, the journal, nor in why it failed', async () => {
  const cwd = temporaryFolder()
  const configuration = {
    mcpServers: { srv: server('--password', password), bad: server('exit', '--password', password) },
    policy: { allow: ['srv:*'] },
    journal: { path: './journal.db' },
  }
  writeFileSync(join(cwd, 'legwork.jsonc'), JSON.stringify(configuration))
  const said: string[] = []
  for (const words of [
    ['tools'],
    ['tools', '--json'],
    ['tools', 'leak', '--types'],
    ['call', 'srv:leak', '--json'],
    ['call', 'srv:leak'],
    ['pins'],
    ['pins', 'accept', 'srv', '--yes', '--json'],
    ['audit', '--json'],
    ['doctor'],
  ]) {
    const { stdout, stderr } = await runLegwork(words, { cwd })
    hasNoSecret(stdout + stderr)
    said.push(stdout + stderr)
  }
  expect(said[0]).toContain('Leaks [REDACTED] [REDACTED]')
  expect(said[0]).toContain('Left out because a secret stands in the name: 1 tool.')
  expect(said[0]).toContain('It said: Started with [REDACTED] [REDACTED]')
  expect(said[3]).toContain('{"told":"[REDACTED] [REDACTED]"}')
  expect(said[5]).toContain('"srv": 1 as pinned, 0 changed')
  expect(readFileSync(join(cwd, 'legwork.lock'), 'utf8')).toContain('Leaks [REDACTED]')
  for (const file of ['legwork.lock', 'journal.db']) hasNoSecret(readFileSync(join(cwd, file), 'latin1'))
})

test('nor in what is passed on to a client', async () => {
  const { connect } = await serve({ mcpServers: { srv: server('--password', password) }, policy: { allow: ['srv:*'] } })
  const client = await connect('legacy')
  const { tools } = await client.listTools()
  const { resources } = await client.listResources()
  const { resourceTemplates } = await client.listResourceTemplates()
  const { prompts } = await client.listPrompts()
  const completed = await client.complete({
    ref: { type: 'ref/prompt', name: 'srv__p' },
    argument: { name: 'a', value: '' },
  })
  expect(tools.map(({ name }) => name)).toContain('srv__leak')
  expect(resources.map(({ uri }) => uri)).toEqual(['x://a'])
  expect(resourceTemplates.map(({ name }) => name)).toContain('[REDACTED] [REDACTED]')
  expect(prompts.map(({ name }) => name)).toEqual(['srv__p'])
  expect(completed.completion.values).toEqual(['[REDACTED] [REDACTED]'])
  hasNoSecret(JSON.stringify([client.getInstructions(), tools, resources, resourceTemplates, prompts, completed]))
})

test.each([
  ['an argument', { command: 'x', args: ['--password', password] }],
  ['an argument with a sign', { command: 'x', args: [`--api-key=${password}`] }],
  ['an argument behind one letter', { command: 'x', args: ['-p', password] }],
  ['a header in an argument', { command: 'x', args: ['--header', `X-Api-Key: ${password}`] }],
  ['an address', { url: `https://me:${encodeURIComponent(password)}@example.invalid/mcp` }],
  ['a parameter of an address', { url: `https://example.invalid/mcp?token=${encodeURIComponent(password)}` }],
  ['a header', { url: 'https://example.invalid/mcp', headers: { 'X-Odd': password } }],
])('%s that is a secret as it stands is hidden in what any tool gives', async (_, entry) => {
  const say = defineTool({ name: 'demo:say', description: '', effects: harmless, run: () => `so ${password}` })
  const legwork = await openLegwork({ workspace: temporaryFolder(), mcpServers: { other: entry }, functions: [say] })
  expect(await legwork.call({ tool: 'demo:say' })).toMatchObject({ value: 'so [REDACTED]' })
})
