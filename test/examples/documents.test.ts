// The example documents, run as a person runs them, in a copy of their folder.

import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runLegwork } from '../support/command.ts'
import { temporaryFolder } from '../support/temporary.ts'

const root = join(import.meta.dirname, '../..')

function copyOfExamples(): string {
  const folder = temporaryFolder()
  cpSync(join(root, 'examples/documents'), join(folder, 'examples/documents'), { recursive: true })
  cpSync(join(root, 'examples/skills'), join(folder, 'examples/skills'), { recursive: true })
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules/legwork'))
  for (const name of ['zod', '@modelcontextprotocol'])
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  return join(folder, 'examples/documents')
}

test.each([
  ['orders.xml', { lines: '6 orders.csv', north: '2', sorted: expect.stringMatching(/^north,pens,120\n/) }],
  ['sums.xml', { total: { column: 'amount', sum: 312, rows: 5 }, headings: [{ title: 'Notes' }, {}, {}] }],
  [
    'servers.xml',
    { echo: 'Echo: Is anybody there?', sum: expect.stringContaining('165'), notes: { content: '# Notes' } },
  ],
  [
    'report.xml',
    { share: 52.9, summary: { title: 'Orders of the month', lines: expect.arrayContaining(['share: 52.9']) } },
  ],
])('%s runs, and its results can be written back and checked', async (file, expected) => {
  const cwd = copyOfExamples()
  const before = readFileSync(join(cwd, file), 'utf8')
  const { stdout, stderr, exitCode } = await runLegwork(['run', file, '--write', '--json'], { cwd })
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 })
  const blocks: [string, { result: unknown }][] = JSON.parse(stdout).value.blocks
  expect(Object.fromEntries(blocks.map(([id, { result }]) => [id, result]))).toMatchObject(expected)
  const after = readFileSync(join(cwd, file), 'utf8')
  expect(after.replace(/\s*<result[^>]*>.*?<\/result>/gs, '')).toBe(before)
  const checked = await runLegwork(['run', file, '--check'], { cwd })
  expect(checked).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('fresh') })
})
