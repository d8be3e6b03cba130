import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/temporary.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')

function example(file: string) {
  const state = temporaryFolder()
  return run(process.execPath, [join(root, 'examples', file)], {
    cwd: root,
    env: { ...process.env, NO_COLOR: '1', XDG_STATE_HOME: state },
  })
}

test('the tour ends by itself and shows every kind of ending', async () => {
  const { stdout, stderr } = await example('tour/main.ts')
  expect(stderr).toBe('')
  for (const line of [
    'demo:echo ok',
    'unknown-tool',
    'invalid-input',
    'wc ok',
    'greeting:greet ok',
    'outline:outline ok',
    'tableSums:sum ok',
    'files:readTextFile ok',
    'toolscript ok',
    'toolscript invalid-input',
    'contract ok',
    'contract timed-out',
    'document:morning tool-failed',
    '<![CDATA["4 prices.csv"]]></result>',
    'shop:buy denied',
    'the person says yes',
    'the person says no',
    'demo:sleep timed-out',
    'anthropic        weather--forecast ok, weather--forecast ok, notes--deleteAll denied',
    'gemini           weather--forecast ok',
    'the chain is whole',
  ]) {
    expect(stdout).toContain(line)
  }
  expect(stdout).not.toMatch(/correct-horse|ghp_/)
})
