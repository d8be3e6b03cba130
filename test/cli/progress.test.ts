import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openAiServer, type Reply } from '../adapters/models.ts'
import { runLegwork } from '../support/command.ts'
import { makeProject } from '../support/project.ts'
import type { Finished } from '../support/temporary.ts'
import { noTerminal, onTerminal, screenOf } from '../support/terminal.ts'

const slowServer = `
import { createInterface } from 'node:readline'
const answers = {
  initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
  'tools/list': { tools: [{ name: 'say', inputSchema: { type: 'object' } }] },
}
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  const answer = () => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method] ?? {} }) + '\\n')
  if (id !== undefined) setTimeout(answer, method === 'tools/list' ? 1300 : 0)
})
`

const slowTools = `
import { defineTool } from 'legwork'
import { setTimeout as sleep } from 'node:timers/promises'
const harmless = { destructive: false, network: false, filesystem: { write: false } }
export const nap = defineTool({ name: 'slow:nap', description: 'Naps', effects: harmless, run: () => sleep(1400, 'woke') })
export const remove = defineTool({ name: 'slow:remove', description: 'Removes', effects: { destructive: true }, run: () => sleep(1400, 'gone') })
export const noisy = defineTool({ name: 'slow:noisy', description: 'Prints', effects: harmless, run: async () => {
  await sleep(1500)
  console.log('half of a line follows')
  process.stdout.write('unfinished')
  await sleep(1500)
  process.stdout.write(' finished\\n')
  return 'done'
} })
`

function slowProject(finished?: Finished): string {
  const slow = { command: process.execPath, args: ['./slow.mjs'] }
  return makeProject(
    {
      'slow.mjs': slowServer,
      'tools.ts': slowTools,
      'late.ts': `await new Promise((done) => setTimeout(done, 1500))\n${slowTools}`,
      'late.jsonc': '{ "functions": ["./late.ts"] }',
      'nap.ts': "import { tools } from 'toolscript'\nconsole.log('begins')\nreturn await tools.slow.nap()\n",
      'nap.xml': '<document><fncall id="a" idyll-tool="slow:nap"/><fncall id="b" idyll-tool="slow:nap"/></document>',
      'nap.yaml': `source: "async ({ api }) => ({ said: await api.call('slow:nap', {}) })"\ntimeoutMs: 9000\n`,
      'steps.yaml': 'compose:\n  - call: slow:nap\n    out: { said: $ }\n',
    },
    { mcpServers: { slow }, functions: ['./tools.ts'], journal: { path: 'j.db' } },
    finished,
  )
}

/** A remote server that takes its time before it says anything. */
async function slowAddress(): Promise<string> {
  const server = createServer((_, response) => setTimeout(() => response.writeHead(404).end(), 1_500))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
}

const frame = /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/

/** It was told, and nothing of it is left. */
function expectTold(output: string, told: string | RegExp, printed: string): void {
  expect(output).toMatch(told)
  expect(output).toMatch(frame)
  expect(screenOf(output)).not.toMatch(frame)
  expect(screenOf(output)).toContain(printed)
}

describe.skipIf(noTerminal).concurrent('what takes longer than a second is told on the terminal, and wiped', () => {
  test.for<[readonly string[], string | RegExp, string]>([
    [['tools'], 'Asking the servers …', 'slow:say'],
    [['types', 'out.d.ts'], 'Asking the servers', 'Wrote out.d.ts'],
    [['policy', 'why', 'slow:say'], 'Looking for slow:say', 'ask slow:say'],
    [['export', 'azure', 'out'], 'Asking the servers', 'out'],
    [['doctor'], 'Looking at everything', 'server slow'],
    [['run', 'nap.ts'], 'Running nap.ts', 'begins\n"woke"'],
    [['run', 'nap.xml'], /block 2 of 2: b slow:nap … 1 s/, '✓ b  slow:nap'],
    [['run', 'nap.yaml'], 'Running nap.yaml', '"said": "woke"'],
    [['run', 'steps.yaml'], 'Running steps.yaml', '"said": "woke"'],
    [['call', 'slow:nap'], 'slow:nap …', 'woke'],
    [['call', 'slow:nap', '--config', 'late.jsonc'], 'Loading what is configured', 'woke'],
  ])('%s', async ([words, told, printed], { onTestFinished: finished }) => {
    const { output } = await onTerminal(words, { cwd: slowProject(finished) })
    expectTold(output, told, printed)
  })

  test('serve, while it starts, and no longer once it serves', async ({ onTestFinished: finished }) => {
    const { output } = await onTerminal(['serve', '--config', 'late.jsonc'], {
      cwd: slowProject(finished),
      onOutput: (soFar, type) => {
        if (soFar.includes('export TOOLSCRIPT_GATEWAY_URL')) setTimeout(() => type('\u0003'), 1_300)
      },
    })
    expectTold(output, 'Loading what is configured', 'Legwork listens at')
    expect(output.slice(output.indexOf('export TOOLSCRIPT'))).not.toMatch(frame)
  })

  test('work that lets no timer run, such as a look at every entry', async ({ onTestFinished: finished }) => {
    const cwd = makeProject(
      {
        'busy.ts': `import { withProgress } from '${join(import.meta.dirname, '../../src/cli/progress.ts')}'
await withProgress('Counting', {}, async (say) => {
  for (let n = 1; performance.now() < 1800; n++) { const until = performance.now() + 50; while (performance.now() < until); say('Counting', n + ' seen') }
})
console.log('counted')`,
      },
      undefined,
      finished,
    )
    const { output } = await onTerminal([], { cwd, file: join(cwd, 'busy.ts') })
    expectTold(output, /Counting … (1 s )?\d+ seen/, 'counted')
  })
})

describe.skipIf(noTerminal).concurrent('the line is never in the way', () => {
  test('what is printed meanwhile stands whole, and a line that is not ended is left alone', async ({
    onTestFinished: finished,
  }) => {
    const { output } = await onTerminal(['call', 'slow:noisy'], { cwd: slowProject(finished) })
    expectTold(output, 'slow:noisy …', 'half of a line follows\nunfinished finished\ndone')
    expect(output.slice(output.indexOf('unfinished'), output.indexOf(' finished'))).not.toMatch(frame)
  })

  test('a question has the terminal to itself, however long it takes; then the line comes back', async ({
    onTestFinished: finished,
  }) => {
    let isAsked = false
    const { output } = await onTerminal(['call', 'slow:remove'], {
      cwd: slowProject(finished),
      onOutput: (soFar, type) => {
        if (isAsked || !soFar.includes('Run it?')) return
        isAsked = true
        setTimeout(() => type('y\r'), 1_500)
      },
    })
    const [before = '', after = ''] = output.split(/(?<=Run it\? \[y\/N\] [^\n]*\n)/)
    expect(before.slice(before.indexOf('Run it?'))).not.toMatch(frame)
    expectTold(after, 'slow:remove …', 'gone')
  })

  test('it is never wider than the terminal', async ({ onTestFinished: finished }) => {
    const id = '漢字😀'.repeat(20)
    const cwd = makeProject(
      { 'tools.ts': slowTools, 'wide.xml': `<document><fncall id="${id}" idyll-tool="slow:nap"/></document>` },
      { functions: ['./tools.ts'] },
      finished,
    )
    const { output } = await onTerminal(['run', 'wide.xml'], { cwd })
    const [shown = ''] = /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] block[^\r\u001b]*/.exec(output) ?? []
    expect(shown.isWellFormed()).toBe(true)
    const width = [...shown].reduce((sum, letter) => sum + (/[漢字😀]/u.test(letter) ? 2 : 1), 0)
    expect(width).toBeGreaterThan(75)
    expect(width).toBeLessThan(80)
  })

  test('a quick verb shows nothing', async ({ onTestFinished: finished }) => {
    const cwd = makeProject({}, undefined, finished)
    // Once the compiled code is kept, it takes well below a second.
    await onTerminal(['tools'], { cwd })
    const { output } = await onTerminal(['audit'], { cwd })
    expect(output).not.toMatch(frame)
  })

  test('where only stdout goes elsewhere, the line is on the terminal and nothing of it in the file', async ({
    onTestFinished: finished,
  }) => {
    const cwd = slowProject(finished)
    const { output } = await onTerminal(['tools'], { cwd, stdout: join(cwd, 'out') })
    expectTold(output, 'Asking the servers', '')
    const text = readFileSync(join(cwd, 'out'), 'utf8')
    expect(text).toContain('slow:say')
    expect(text).not.toMatch(/\u001b|\r/)
  })

  test('a terminal that is dumb, and --json, see nothing of it', async ({ onTestFinished: finished }) => {
    const cwd = slowProject(finished)
    expect((await onTerminal(['tools'], { cwd, env: { TERM: 'dumb' } })).output).not.toMatch(frame)
    expect((await onTerminal(['tools', '--json'], { cwd })).output).not.toMatch(frame)
  })
})

describe.skipIf(noTerminal)('what waits for others is told too', () => {
  test('auth, for all servers and for one', async () => {
    const cwd = makeProject({}, { mcpServers: { far: { url: await slowAddress() } } })
    const all = await onTerminal(['auth'], { cwd })
    expectTold(all.output, 'Asking the servers', 'far')
    const one = await onTerminal(['auth', 'far'], { cwd })
    expectTold(one.output, 'Asking far', '"far" is not authorised')
  })

  test('an agent, while its model thinks and while a tool of its runs', async () => {
    const agentWith = async (...replies: readonly Reply[]) => {
      const { model } = await openAiServer(...replies)
      const files = { 'tools.ts': slowTools, 'agent.xml': '<agent name="a" tools="slow:nap"><p>Help.</p></agent>' }
      const cwd = makeProject(files, { model, functions: ['./tools.ts'] })
      const words = ['run', 'agent.xml', '--message', 'Hi', '--timeout', '2000']
      return onTerminal(words, { cwd })
    }
    const thinking = await agentWith({ hangs: true })
    expectTold(thinking.output, 'Waiting for openai-compatible:llama', '')
    const calling = await agentWith({ calls: [['slow--nap', {}]] }, { text: 'Hello.' })
    expectTold(calling.output, / slow:nap …/, 'Hello.')
  })
})

test('where nobody watches nothing is told', async () => {
  const piped = await runLegwork(['tools'], { cwd: slowProject() })
  expect(piped.stdout).toContain('slow:say')
  expect(piped.stdout + piped.stderr).not.toMatch(frame)
})
