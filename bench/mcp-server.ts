// Legwork as an MCP server: a call against the same function on a bare server of the SDK's, a long list of tools, and one script
// against the calls that it stands for.

import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { getRequestListener } from '@hono/node-server'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { createLegwork, defineTool } from 'legwork'
import { z } from 'zod'
import { type Measurement, p50, sideBySide } from './measure.ts'

export async function benchMcpServer(): Promise<readonly Measurement[]> {
  return [...(await calling()), ...(await listing()), ...(await scripting())]
}

const harmless = { destructive: false, network: false, filesystem: { write: false } } as const
const shape = z.object({ message: z.string() })

const echo = defineTool({
  name: 'echo',
  description: 'Says it back',
  input: shape,
  effects: harmless,
  run: ({ message }) => ({ message }),
})

async function calling(): Promise<Measurement[]> {
  await using stack = new AsyncDisposableStack()
  const bare = await bareClient(stack)
  const ours = await ourClient(stack, [echo])
  const call = (client: Client) => () => client.callTool({ name: 'echo', arguments: { message: 'hello' } })
  const timings = await sideBySide({ bare: call(bare), legwork: call(ours) }, { rounds: 2_000, warmUp: 1_000 })
  const value = p50(timings.legwork) / p50(timings.bare)
  return [{ name: "tools/call against a bare server of the SDK's, p50", value, unit: '×', goal: '≤ 1.35' }]
}

async function listing(): Promise<Measurement[]> {
  await using stack = new AsyncDisposableStack()
  const tools = Array.from({ length: 1_000 }, (_, at) =>
    defineTool({
      name: `many:tool${at}`,
      description: `Does number ${at}, and says what came of it`,
      input: z.object({ name: z.string(), amount: z.number().optional(), tags: z.array(z.string()).optional() }),
      effects: harmless,
      run: () => at,
    }),
  )
  const client = await ourClient(stack, tools)
  const list = () => client.request({ method: 'tools/list', params: {} }, anything)
  const timings = await sideBySide({ list }, { rounds: 50, warmUp: 10 })
  return [{ name: 'tools/list of 1,000 tools, p50', value: p50(timings.list), unit: 'ms', goal: '≤ 30' }]
}

/** Less than any model needs. */
const modelMs = 50
const repositories = ['one', 'two', 'three', 'four', 'five']
const labels = ['bug', 'docs', 'feature', 'question']

const listIssues = defineTool({
  name: 'github:listIssues',
  description: 'Lists the open issues of a repository',
  input: z.object({ repo: z.string() }),
  output: z.array(z.object({ number: z.number(), title: z.string(), label: z.string(), body: z.string() })),
  effects: harmless,
  run: ({ repo }) =>
    Array.from({ length: 30 }, (_, at) => ({
      number: at,
      title: `Issue ${at} of ${repo}`,
      label: labels[at % labels.length] ?? '',
      body: 'It does not work as I expected it to. '.repeat(4),
    })),
})

const countLabels = `const counts: Record<string, number> = {}
const lists = await Promise.all(${JSON.stringify(repositories)}.map((repo) => tools.github.listIssues({ repo })))
for (const { label } of lists.flat()) counts[label] = (counts[label] ?? 0) + 1
return counts`

/**
 * The open issues of five repositories, counted by label. The tool itself takes no time and the client is on this machine, so that
 * the five calls are as fast as they can be; the turn that a model takes before each of them is counted once as nothing and once as
 * very short. The script's own text
 * is counted among its bytes, as are the arguments of the calls.
 */
async function scripting(): Promise<Measurement[]> {
  await using stack = new AsyncDisposableStack()
  const [direct, meta] = [await ourClient(stack, [listIssues]), await ourClient(stack, [listIssues], '/mcp/meta')]
  const bytes = { five: 0, one: 0 }
  const counted = async (client: Client, kind: keyof typeof bytes, name: string, input: Record<string, unknown>) => {
    const { content, isError } = await client.callTool({ name, arguments: input })
    if (isError) throw new Error(JSON.stringify(content))
    bytes[kind] += Buffer.byteLength(JSON.stringify([name, input, content]))
  }
  const five = async (pauseMs = 0) => {
    bytes.five = 0
    for (const repo of repositories) {
      if (pauseMs) await sleep(pauseMs)
      await counted(direct, 'five', 'github--listIssues', { repo })
    }
  }
  const one = async (pauseMs = 0) => {
    bytes.one = 0
    if (pauseMs) await sleep(pauseMs)
    await counted(meta, 'one', 'run_script', { code: countLabels })
  }
  const timings = await sideBySide({ five: () => five(), one: () => one() }, { rounds: 30, warmUp: 5 })
  const turns = await sideBySide({ five: () => five(modelMs), one: () => one(modelMs) }, { rounds: 10, warmUp: 2 })
  const name = 'run_script with five calls against five tools/call'
  return [
    { name: `${name}, p50`, value: p50(timings.one) / p50(timings.five), unit: '×', goal: '≤ 1' },
    {
      name: `the same with ${modelMs} ms for a model's turn before each call, p50`,
      value: p50(turns.one) / p50(turns.five),
      unit: '×',
      goal: '≤ 1',
    },
    { name: `${name}, bytes for the model, times fewer`, value: bytes.five / bytes.one, unit: '×', goal: '≥ 10' },
  ]
}

const anything = {
  '~standard': { version: 1, vendor: 'bench', validate: (value: unknown) => ({ value }) },
} as const

async function connect(stack: AsyncDisposableStack, url: URL, headers: Record<string, string> = {}): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
  stack.defer(() => client.close())
  return client
}

async function bareClient(stack: AsyncDisposableStack): Promise<Client> {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'bare', version: '1' })
    server.registerTool('echo', { description: 'Says it back', inputSchema: shape }, ({ message }) => {
      return { content: [{ type: 'text', text: JSON.stringify({ message }) }], structuredContent: { message } }
    })
    return server
  })
  const http = createServer(getRequestListener((request) => handler.fetch(request)))
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  stack.defer(() => void http.closeAllConnections())
  stack.defer(() => void http.close())
  const address = http.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return connect(stack, new URL(`http://127.0.0.1:${port}/mcp`))
}

async function ourClient(
  stack: AsyncDisposableStack,
  functions: readonly ReturnType<typeof defineTool>[],
  path = '/mcp/direct',
): Promise<Client> {
  const legwork = await createLegwork({ functions, journal: { path: ':memory:' } })
  stack.defer(() => legwork.close())
  const gateway = await legwork.gateway()
  const { token } = JSON.parse(readFileSync(gateway.tokenFile, 'utf8'))
  return connect(stack, new URL(path, gateway.url), { authorization: `Bearer ${token}` })
}
