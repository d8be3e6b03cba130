import { expect, test } from 'vitest'
import { makeProject } from '../support/project.ts'
import { noTerminal, onTerminal } from '../support/terminal.ts'

test.skipIf(noTerminal)('the terminal shows the whole call and asks; yes runs it', async () => {
  const { output, exitCode } = await onTerminal(['call', 'demo:destroy', '{"what": "everything"}'], {
    cwd: makeProject(),
    keys: 'y\r',
  })
  expect(output).toContain('demo:destroy')
  expect(output).toContain('is destructive')
  expect(output).toContain('"what": "everything"')
  expect(output).toContain('gone')
  expect(exitCode).toBe(0)
})

test.skipIf(noTerminal).each([
  ['no', 'n\r'],
  ['just return, since no is the default', '\r'],
  ['the end of input', '\u0004'],
  ['anything else', 'yes please\r'],
])('%s does not run it', async (_, keys) => {
  const { output, exitCode } = await onTerminal(['call', 'demo:destroy'], { cwd: makeProject(), keys })
  expect(output).not.toContain('gone')
  expect(exitCode).toBe(3)
})

test.skipIf(noTerminal)('a command line is shown whole, each argument quoted', async () => {
  const cwd = makeProject(
    {},
    {
      functions: ['./tools.ts'],
      programs: { sh: { metadata: './sh.json' } },
      policy: { ask: ['sh'] },
      journal: { path: 'j.db' },
    },
  )
  const { output, exitCode } = await onTerminal(['call', 'sh', '{"file": "hello.sh; rm -rf /"}'], { cwd, keys: 'n\r' })
  expect(output).toContain('rm -rf /')
  expect(output).toMatch(/sh '.*hello\.sh; rm -rf \/'/)
  expect(exitCode).toBe(3)
})

test.skipIf(noTerminal)('Ctrl-C at the question cancels the call', async () => {
  const { output, exitCode } = await onTerminal(['call', 'demo:destroy'], { cwd: makeProject(), keys: '\u0003' })
  expect(output).not.toContain('gone')
  expect(exitCode).toBe(130)
})

test.skipIf(noTerminal)('nothing of what would run can be hidden from the person', async () => {
  const input = JSON.stringify({
    sql: 'SELECT 1\u009d; DROP TABLE users; --\u009c',
    more: 'a\u001b]0;hidden\u0007b\u202ec',
  })
  const { output } = await onTerminal(['call', 'demo:destroy', input, '--content', 'and\u200b this'], {
    cwd: makeProject(),
    keys: 'n\r',
  })
  for (const part of ['DROP TABLE users', 'hidden', 'and', 'this']) expect(output).toContain(part)
  expect(output).toContain('\\u{9d}')
  expect(output).not.toMatch(/[\u009d\u202e\u200b]/)
})
