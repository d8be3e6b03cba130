// The door `legwork/mcp`: MCP servers as tools for a program of one's own, and tools as an MCP server, with a journal in memory
// unless one is named.

import { createLegwork, type Legwork, type LegworkOptions } from '../legwork.ts'

export type { Gateway, GatewayOptions } from '../gateway/gateway.ts'
export type { StdioOptions } from '../gateway/mcp-stdio.ts'
export { gatewayToken } from '../gateway/token-file.ts'

export interface McpTools
  extends Pick<Legwork, 'call' | 'tools' | 'search' | 'sources' | 'gateway' | 'close' | typeof Symbol.asyncDispose> {
  /** Serves the tools to an MCP client over a pair of streams, until the client is gone. */
  readonly serve: Legwork['mcp']
}

/** The servers are those of `mcpServers`, as other clients write them. Each is started when it is first wanted. */
export async function connectServers(
  mcpServers: NonNullable<LegworkOptions['mcpServers']>,
  options: Omit<LegworkOptions, 'mcpServers'> = {},
): Promise<McpTools> {
  const legwork = await createLegwork({ journal: { path: ':memory:' }, ...options, mcpServers })
  const { call, tools, search, sources, gateway, close, mcp: serve } = legwork
  return { call, tools, search, sources, gateway, serve, close, [Symbol.asyncDispose]: close }
}
