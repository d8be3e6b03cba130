// The official client suite's scenarios of authorisation, run by the suite itself against Legwork's own authorisation.
// Not scored, and not done: DPoP, workload identity, client credentials and enterprise-managed authorisation, which are extensions.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'

const suite = join(import.meta.dirname, '../../node_modules/@modelcontextprotocol/conformance/dist/index.js')
const client = join(import.meta.dirname, '../fixtures/mcp/conformance-client.ts')
const expected = join(import.meta.dirname, 'conformance-expected.yml')

interface Scenario {
  readonly name: string
  readonly passed: number
  readonly failed: number
}

/** Runs a part of the suite; gives its exit code and what became of each scenario. */
async function conform(words: readonly string[]): Promise<{ exitCode: number; scenarios: Scenario[]; output: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'legwork-test-'))
  const command = `"${process.execPath}" "${client}"`
  const child = spawn(
    process.execPath,
    [suite, 'client', '--command', command, '--timeout', '90000', '-o', folder, ...words],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const [stdout, stderr, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  rmSync(folder, { recursive: true, force: true })
  const output = `${stdout}\n${stderr}`
  const lines = output.matchAll(/^[✓✗~] (\S+): (\d+) passed, (\d+) failed/gmu)
  const scenarios = [...lines].map(([, name = '', passed, failed]) => ({
    name,
    passed: Number(passed),
    failed: Number(failed),
  }))
  return { exitCode, scenarios, output }
}

const withExpected = ['--expected-failures', expected]

describe.concurrent('every scenario of authorisation passes', { timeout: 120_000 }, () => {
  test.each([
    ['of the revision 2025-11-25', ['--suite', 'auth', '--spec-version', '2025-11-25'], 14],
    ['that the revision 2026-07-28 added', ['--suite', 'draft', ...withExpected], 11],
    ['of revisions before those', ['--suite', 'backcompat'], 2],
  ])('%s', async (_, words, least) => {
    const { exitCode, scenarios, output } = await conform(words)
    const authorising = scenarios.filter(({ name }) => name.startsWith('auth/'))
    expect(authorising.filter(({ failed, passed }) => failed > 0 || passed === 0)).toEqual([])
    expect(authorising.length).toBeGreaterThanOrEqual(least)
    expect(exitCode, output).toBe(0)
  })
})
