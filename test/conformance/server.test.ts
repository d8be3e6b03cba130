// The official server suite against Legwork with a server of our own behind it, names as they are. Nothing is expected to fail.
// Not scored, and not done: the extension for tasks.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { gatewayToken } from '../../src/gateway/token-file.ts'
import { openLegwork } from '../support/legwork.ts'
import { makeSkill } from '../support/skill.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { openTokenProxy } from '../support/token-proxy.ts'

const suite = join(import.meta.dirname, '../../node_modules/@modelcontextprotocol/conformance/dist/index.js')
const fixture = join(import.meta.dirname, '../fixtures/mcp/conformance-server.ts')

interface Scenario {
  readonly name: string
  readonly passed: number
  readonly failed: number
}

interface Ran {
  readonly exitCode: number
  readonly scenarios: readonly Scenario[]
  readonly unscored: ReadonlySet<string>
  readonly output: string
}

async function openServer(): Promise<string> {
  const folder = temporaryFolder()
  makeSkill({ 'references/guide.md': '# A guide\n' }, { root: join(folder, 'skills') })
  const legwork = await openLegwork({
    workspace: folder,
    skills: [join(folder, 'skills')],
    mcpServers: {
      fixture: {
        command: process.execPath,
        args: [fixture],
        legwork: { names: 'plain', trust: 'org', pin: 'off' },
      },
    },
    policy: { allow: ['*'] },
    serve: { expose: 'direct' },
  })
  const gateway = await legwork.gateway({ folder })
  const token = gatewayToken(gateway.url, { folder, environment: {} })
  return `${await openTokenProxy(gateway.url, token)}/mcp`
}

async function conform(url: string, words: readonly string[]): Promise<Ran> {
  const folder = temporaryFolder()
  const child = spawn(process.execPath, [suite, 'server', '--url', url, '-o', folder, '--timeout', '60000', ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [stdout, stderr, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  const output = `${stdout}\n${stderr}`
  const lines = output.matchAll(/^[✓✗~] (\S+): (\d+) passed, (\d+) failed/gmu)
  const scenarios = [...lines].map(([, name = '', passed, failed]) => {
    return { name, passed: Number(passed), failed: Number(failed) }
  })
  const unscored = new Set([...output.matchAll(/^ {2}[✓✗~] (\S+) \(/gmu)].map(([, name = '']) => name))
  return { exitCode, scenarios, unscored, output }
}

const failing = ({ failed, passed }: Scenario) => failed > 0 || passed === 0
const isTasks = ({ name }: Scenario) => name.startsWith('tasks-')

test('every scenario of the revision 2025-11-25 passes', { timeout: 120_000 }, async () => {
  const { exitCode, scenarios, output } = await conform(await openServer(), ['--requirements', '2025-11-25'])
  expect(scenarios.filter(failing), output).toEqual([])
  expect(scenarios.length).toBeGreaterThanOrEqual(33)
  expect(exitCode, output).toBe(0)
})

test('every scenario of the revision 2026-07-28 passes, but for tasks', { timeout: 120_000 }, async () => {
  const { exitCode, scenarios, unscored, output } = await conform(await openServer(), ['--requirements', '2026-07-28'])
  expect(
    scenarios.filter(failing).filter((scenario) => !isTasks(scenario)),
    output,
  ).toEqual([])
  expect(scenarios.filter(({ name }) => !unscored.has(name)).length).toBeGreaterThanOrEqual(37)
  expect(scenarios.filter(isTasks).every(({ name }) => unscored.has(name))).toBe(true)
  expect(exitCode, output).toBe(0)
})

test('the scenarios of the extension for skills pass', { timeout: 120_000 }, async () => {
  const url = await openServer()
  for (const part of ['directory', 'enumeration', 'manifest']) {
    const { exitCode, output } = await conform(url, ['--scenario', `sep-2640-skills-${part}`])
    expect(exitCode, output).toBe(0)
    expect(output).toMatch(/Passed: [1-9]/)
  }
})
