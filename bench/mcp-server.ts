// Legwork as an MCP server: a call against the same function on a bare server of the SDK's, and a long list of tools.

import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { createLegwork, defineTool } from 'legwork'
import { z } from 'zod'
import { type Measurement, p50, sideBySide } from './measure.ts'

export async function benchMcpServer(): Promise<readonly Measurement[]> {
  return [...(await calling()), ...(await listing())]
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
): Promise<Client> {
  const legwork = await createLegwork({ functions, journal: { path: ':memory:' } })
  stack.defer(() => legwork.close())
  const gateway = await legwork.gateway()
  const { token } = JSON.parse(readFileSync(gateway.tokenFile, 'utf8'))
  return connect(stack, new URL('/mcp/direct', gateway.url), { authorization: `Bearer ${token}` })
}
