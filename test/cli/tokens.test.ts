import { expect, test } from 'vitest'
import { estimateTokens } from '../../src/base/tokens.ts'
import { tokenCost } from '../../src/cli/tokens.ts'
import { metaTools } from '../../src/gateway/meta-tools.ts'
import { defineTool } from '../../src/index.ts'
import { runLegwork } from '../support/command.ts'
import { openLegwork } from '../support/legwork.ts'
import { makeProject } from '../support/project.ts'

test('tools --tokens says what the catalogue costs, every tool and the few that stand for them', async () => {
  const cwd = makeProject()
  const { stdout, exitCode } = await runLegwork(['tools', '--tokens'], { cwd })
  expect(exitCode).toBe(0)
  expect(stdout).toMatch(/^direct +about \d+ tokens +7 tools$/m)
  expect(stdout).toMatch(/^meta +about \d+ tokens +6 tools$/m)
  expect(stdout).toMatch(/^ {2}sh +about \d+ tokens/m)
})

test('with --json it is one value, the dearest tool first, and the sum of all is the whole', async () => {
  const { stdout } = await runLegwork(['tools', '--tokens', '--json'], { cwd: makeProject() })
  const { direct, meta, tools } = JSON.parse(stdout)
  const costs = tools.map(({ tokens }: { tokens: number }) => tokens)
  expect(costs).toEqual(costs.toSorted((a: number, b: number) => b - a))
  expect(costs.reduce((sum: number, each: number) => sum + each)).toBe(direct.tokens)
  expect(meta).toMatchObject({ tools: 6 })
})

test('direct grows with the tools, meta does not', async () => {
  const functions = (amount: number) =>
    Array.from({ length: amount }, (_, at) => defineTool({ name: `many:t${at}`, description: 'One', run: () => at }))
  const few = tokenCost(await (await openLegwork({ functions: functions(10) })).tools())
  const many = tokenCost(await (await openLegwork({ functions: functions(1_000) })).tools())
  expect(many.meta).toEqual(few.meta)
  expect(many.direct.tokens).toBeGreaterThan(90 * few.direct.tokens)
})

test.each([
  ['', 0],
  ['a', 1],
  ['four', 1],
  ['fives', 2],
  ['日本', 2],
])('%j is about %i tokens', (text, tokens) => {
  expect(estimateTokens(text)).toBe(tokens)
})

test('the few that stand for all cost less than a thousand tokens', () => {
  expect(metaTools.map(({ name }) => name)).toEqual([
    'search_tools',
    'describe_tools',
    'call_tool',
    'query_script',
    'run_script',
    'get_run',
  ])
  expect(tokenCost([]).meta.tokens).toBeLessThan(1_000)
})
