import { spawn, spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { commandFile } from '../support/command.ts'
import { makeProject } from '../support/project.ts'

/** Runs the command on a pseudo-terminal (by util-linux's `script`) and types the keys once the question is there. */
function onTerminal(
  cwd: string,
  words: readonly string[],
  keys: string,
): Promise<{ output: string; exitCode: number | null }> {
  const line = [process.execPath, commandFile, ...words].map((word) => `'${word}'`).join(' ')
  return new Promise((resolve, reject) => {
    const child = spawn('script', ['-qec', line, '/dev/null'], {
      cwd,
      env: { PATH: process.env.PATH, HOME: cwd, TERM: 'xterm' },
    })
    let output = ''
    let typed = false
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      if (typed || !output.includes('Run it?')) return
      typed = true
      child.stdin.write(keys)
    })
    child.on('error', reject)
    child.on('close', (exitCode) => resolve({ output, exitCode }))
  })
}

const missing =
  spawnSync('script', ['--version']).status !== 0 && !process.env.CI && 'script (util-linux) is not installed'

test.skipIf(missing)('the terminal shows the whole call and asks; yes runs it', async () => {
  const { output, exitCode } = await onTerminal(
    makeProject(),
    ['call', 'demo:destroy', '{"what": "everything"}'],
    'y\r',
  )
  expect(output).toContain('demo:destroy')
  expect(output).toContain('is destructive')
  expect(output).toContain('"what": "everything"')
  expect(output).toContain('gone')
  expect(exitCode).toBe(0)
})

test.skipIf(missing).each([
  ['no', 'n\r'],
  ['just return, since no is the default', '\r'],
  ['the end of input', '\u0004'],
  ['anything else', 'yes please\r'],
])('%s does not run it', async (_, keys) => {
  const { output, exitCode } = await onTerminal(makeProject(), ['call', 'demo:destroy'], keys)
  expect(output).not.toContain('gone')
  expect(exitCode).toBe(3)
})

test.skipIf(missing)('a command line is shown whole, each argument quoted', async () => {
  const cwd = makeProject(
    {},
    {
      functions: ['./tools.ts'],
      programs: { sh: { metadata: './sh.json' } },
      policy: { ask: ['sh'] },
      journal: { path: 'j.db' },
    },
  )
  const { output, exitCode } = await onTerminal(cwd, ['call', 'sh', '{"file": "hello.sh; rm -rf /"}'], 'n\r')
  expect(output).toContain('rm -rf /')
  expect(output).toMatch(/sh '.*hello\.sh; rm -rf \/'/)
  expect(exitCode).toBe(3)
})

test.skipIf(missing)('Ctrl-C at the question cancels the call', async () => {
  const { output, exitCode } = await onTerminal(makeProject(), ['call', 'demo:destroy'], '\u0003')
  expect(output).not.toContain('gone')
  expect(exitCode).toBe(130)
})

test.skipIf(missing)('nothing of what would run can be hidden from the person', async () => {
  const input = JSON.stringify({
    sql: 'SELECT 1\u009d; DROP TABLE users; --\u009c',
    more: 'a\u001b]0;hidden\u0007b\u202ec',
  })
  const { output } = await onTerminal(
    makeProject(),
    ['call', 'demo:destroy', input, '--content', 'and\u200b this'],
    'n\r',
  )
  for (const part of ['DROP TABLE users', 'hidden', 'and', 'this']) expect(output).toContain(part)
  expect(output).toContain('\\u{9d}')
  expect(output).not.toMatch(/[\u009d\u202e\u200b]/)
})
