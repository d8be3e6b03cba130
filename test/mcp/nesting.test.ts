import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { nestingBelow, nestingFault, nestingVariable } from '../../src/mcp/nesting.ts'
import { commandFile, runLegwork } from '../support/command.ts'
import { temporaryFolder } from '../support/temporary.ts'

/** A project whose servers are Legworks of these configurations, and which has a tool of its own. */
function project(name: string, configurations: Readonly<Record<string, string>>, folder = temporaryFolder()): string {
  const file = join(folder, `${name}.jsonc`)
  const mcpServers = Object.fromEntries(
    Object.entries(configurations).map(([server, config]) => [
      server,
      {
        command: process.execPath,
        args: [commandFile, 'serve', '--stdio', '--config', config],
        legwork: { pin: 'off' },
      },
    ]),
  )
  writeFileSync(file, JSON.stringify({ mcpServers, programs: { ls: {} }, journal: { path: `${name}.db` } }))
  return file
}

const toolsOf = (config: string) => runLegwork(['tools', '--json', '--config', config], { cwd: temporaryFolder() })

test('a Legwork that names itself as its server says so and starts itself no further', async () => {
  const folder = temporaryFolder()
  const file = join(folder, 'self.jsonc')
  symlinkSync(file, join(folder, 'alias.jsonc'))
  for (const config of [file, join(folder, 'alias.jsonc')]) {
    project('self', { tools: config }, folder)
    const { stderr } = await runLegwork(['tools', '--config', file], { cwd: folder })
    expect(stderr).toContain('server tools')
    expect(stderr).toContain('would start itself for ever')
  }
})

test('a Legwork of another project is a server like any other, and two that name each other end', async () => {
  const folder = temporaryFolder()
  const inner = project('inner', {}, folder)
  const outer = project('outer', { inner }, folder)
  const { stdout } = await toolsOf(outer)
  expect(stdout).toContain('inner:ls')
  project('inner', { back: outer }, folder)
  const looped = await toolsOf(outer)
  expect(looped.stdout).toContain('inner:ls')
  expect(looped.stdout).not.toContain('back')
})

test('serve refuses below too many others', async () => {
  const folder = temporaryFolder()
  const config = project('last', {}, folder)
  const above = ['/a', '/b', '/c', '/d'].join('\n')
  const { exitCode, stderr } = await runLegwork(['serve', '--stdio', '--config', config], {
    cwd: folder,
    env: { [nestingVariable]: above },
  })
  expect(exitCode).toBe(2)
  expect(stderr).toContain('More than 3 Legworks')
})

describe('what a server is told', () => {
  test('is which configurations led to it', () => {
    expect(nestingBelow('/b', '/a')).toEqual({ [nestingVariable]: '/a\n/b' })
    expect(nestingBelow(undefined, undefined)).toEqual({})
  })

  test.each<[string | undefined, string | undefined, boolean]>([
    [undefined, undefined, true],
    ['/x', undefined, true],
    ['/x', '', true],
    ['/x', '/a', true],
    ['/x', '/a\n/b\n/c', true],
    ['/x', '/a\n/b\n/c\n/d', false],
    ['/a', '/a', false],
    ['/b', '/a\n/b\n/c', false],
  ])('the configuration %s below %j is fine: %s', (configuration, above, isFine) => {
    expect(nestingFault(configuration, above) === undefined).toBe(isFine)
  })
})
