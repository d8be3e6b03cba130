// `legwork serve --stdio`, as a client starts it.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, onTestFinished, test } from 'vitest'
import { eras, textOf } from '../support/mcp.ts'
import { temporaryFolder } from '../support/temporary.ts'

const main = join(import.meta.dirname, '../../src/cli/main.ts')
const library = join(import.meta.dirname, '../../src/index.ts')

/** A workspace whose functions print where they should not. */
function workspace(): string {
  const folder = temporaryFolder()
  writeFileSync(
    join(folder, 'tools.ts'),
    `import { spawnSync } from 'node:child_process'
    import { writeSync } from 'node:fs'
    import { defineTool } from ${JSON.stringify(library)}
    console.log('printed while it loads')
    export const noisy = defineTool({ name: 'noisy', description: 'Prints', effects: { destructive: false },
      run: () => { console.log('printed'); console.debug('more'); process.stdout.write('even more\\n'); return 'quiet' } })
    export const loud = defineTool({ name: 'loud', description: 'Shouts', effects: { destructive: false },
      run: () => { writeSync(1, 'shouted\\n'); spawnSync('echo', ['shouted'], { stdio: 'inherit' }); return 'said' } })
    export const destroy = defineTool({ name: 'destroy', description: 'Destroys', effects: { destructive: true }, run: () => 'gone' })`,
  )
  writeFileSync(
    join(folder, 'legwork.jsonc'),
    '{ "functions": ["./tools.ts"], "journal": { "path": "./journal.db" }, "serve": { "expose": "direct" } }',
  )
  return folder
}

describe.each(eras)('a client of the %s revisions that starts Legwork', (era) => {
  test('lists and calls; whatever else is printed goes to standard error', async () => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [main, 'serve', '--stdio'],
      cwd: workspace(),
      stderr: 'pipe',
    })
    let errors = ''
    transport.stderr?.on('data', (more) => {
      errors += more
    })
    const client = new Client(
      { name: 'test', version: '1' },
      {
        capabilities: { elicitation: { form: {} } },
        versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' },
      },
    )
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { approve: true } }))
    const faults: Error[] = []
    client.onerror = (error) => void faults.push(error)
    await client.connect(transport)
    onTestFinished(() => client.close())
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['destroy', 'loud', 'noisy'])
    expect(textOf(await client.callTool({ name: 'noisy', arguments: {} }))).toBe('quiet')
    expect(textOf(await client.callTool({ name: 'destroy', arguments: {} }))).toBe('gone')
    expect(faults).toEqual([])
    expect(errors).toContain('printed while it loads')
    expect(errors).toContain('even more')
  })
})

function start(...words: string[]): { child: ChildProcess; lines: () => string[]; ended: Promise<unknown[]> } {
  const child = spawn(process.execPath, [main, 'serve', '--stdio', ...words], {
    cwd: workspace(),
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  child.stdout?.setEncoding('utf8').on('data', (more: string) => {
    output += more
  })
  return { child, lines: () => output.split('\n').filter(Boolean), ended: once(child, 'exit') }
}

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}

describe('on the wire', () => {
  test('what is no message, or too long, is told so, and the next one is answered', { timeout: 30_000 }, async () => {
    const { child, lines, ended } = start()
    child.stdin?.write('no json\n')
    child.stdin?.write('[1]\n')
    child.stdin?.write(`${JSON.stringify(initialize)}\n`)
    await expect.poll(() => lines().length, { timeout: 20_000 }).toBe(3)
    child.stdin?.write(`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"noisy","arguments":{"x":"`)
    for (let part = 0; part < 100; part++) child.stdin?.write('x'.repeat(1_000_000))
    child.stdin?.write(`"}},"id":2}\n`)
    child.stdin?.write('{"jsonrpc":"2.0","method":"tools/call","params":{"name":"noisy","arguments":{}},"id":3}\n')
    await expect.poll(() => lines().length, { timeout: 20_000 }).toBe(5)
    const answers = lines().map((line) => JSON.parse(line))
    expect(answers.map(({ id, error }) => [id, error?.code])).toEqual([
      [null, -32_700],
      [null, -32_600],
      [1, undefined],
      [2, -32_600],
      [3, undefined],
    ])
    child.stdin?.end()
    expect((await ended)[0]).toBe(0)
  })

  test('what writes past the process to its descriptor, or is started with it, goes to standard error', async () => {
    // Through a shell the client has pipes; what Node itself opens are sockets.
    const words = [process.execPath, main, 'serve', '--stdio'].map((word) => `'${word}'`).join(' ')
    const child = spawn('sh', ['-c', `cat | ${words} 2> errors.txt | cat`], { cwd: workspace(), stdio: 'pipe' })
    onTestFinished(() => void child.kill('SIGKILL'))
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (more: string) => {
      output += more
    })
    child.stdin.write(`${JSON.stringify(initialize)}\n`)
    child.stdin.write('{"jsonrpc":"2.0","method":"tools/call","params":{"name":"loud","arguments":{}},"id":2}\n')
    await expect.poll(() => output, { timeout: 20_000 }).toContain('"id":2')
    child.stdin.end()
    await once(child, 'close')
    for (const line of output.trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('jsonrpc')
    expect(output).not.toContain('shouted')
  })

  test('it ends with its client, and on a signal', async () => {
    const first = start()
    first.child.stdin?.end()
    expect((await first.ended)[0]).toBe(0)
    const second = start()
    second.child.stdin?.write(`${JSON.stringify(initialize)}\n`)
    await expect.poll(() => second.lines().length, { timeout: 20_000 }).toBe(1)
    second.child.kill('SIGTERM')
    expect((await second.ended)[0]).toBe(0)
  })

  test('an address makes no sense with it', async () => {
    const { ended } = start('--port', '1')
    expect((await ended)[0]).toBe(2)
  })
})
