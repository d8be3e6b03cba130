import { spawn, spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { commandFile, runLegwork } from '../support/command.ts'
import { makeProject } from '../support/project.ts'

const missing =
  spawnSync('script', ['--version']).status !== 0 && !process.env.CI && 'script (util-linux) is not installed'

const slowServer = `
import { createInterface } from 'node:readline'
const answers = {
  initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
  'tools/list': { tools: [{ name: 'say', inputSchema: { type: 'object' } }] },
}
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  const answer = () => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method] ?? {} }) + '\\n')
  if (id !== undefined) setTimeout(answer, method === 'tools/list' ? 1500 : 0)
})
`

function slowProject(): string {
  const slow = { command: process.execPath, args: ['./slow.mjs'] }
  return makeProject({ 'slow.mjs': slowServer }, { mcpServers: { slow }, functions: ['./tools.ts'] })
}

function onTerminal(cwd: string, words: readonly string[], keys = ''): Promise<string> {
  const line = [process.execPath, commandFile, ...words].map((word) => `'${word}'`).join(' ')
  return new Promise((resolve, reject) => {
    const env = { PATH: process.env.PATH, HOME: cwd, TERM: 'xterm' }
    const child = spawn('script', ['-qec', line, '/dev/null'], { cwd, env })
    let output = ''
    let isAnswered = keys === ''
    child.stdin.on('error', () => {})
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      if (isAnswered || !output.includes('Run it?')) return
      isAnswered = true
      child.stdin.write(keys)
    })
    child.on('error', reject)
    child.on('close', () => resolve(output))
  })
}

test.skipIf(missing)('what takes longer than a second is told on the terminal, and wiped when it is done', async () => {
  const output = await onTerminal(slowProject(), ['tools'])
  expect(output).toMatch(/\r⠋? ?.*Asking the servers … 1 s/)
  expect(output.lastIndexOf('\r\u001b[K')).toBeGreaterThan(output.lastIndexOf('Asking the servers'))
  expect(output.slice(output.lastIndexOf('\r\u001b[K'))).toContain('slow:say')
})

test('where nobody watches, and for --json, nothing is told', async () => {
  const cwd = slowProject()
  const piped = await runLegwork(['tools'], { cwd })
  expect(piped.stdout).toContain('slow:say')
  expect(piped.stdout + piped.stderr).not.toContain('Asking')
})

test.skipIf(missing)('a quick verb shows nothing, and a question is not written over', async () => {
  const cwd = makeProject()
  expect(await onTerminal(cwd, ['tools'])).not.toContain('Asking')
  const asked = await onTerminal(cwd, ['call', 'demo:destroy'], 'y\r')
  expect(asked).toContain('gone')
  expect(asked.slice(asked.indexOf('Run it?'), asked.indexOf('gone'))).not.toContain('…')
})
