// MCP over the standard streams, for a client that starts Legwork itself.

import { randomUUID } from 'node:crypto'
import type { Readable, Writable } from 'node:stream'
import type { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { McpFront } from './mcp-front.ts'
import { listenedUris } from './mcp-http.ts'
import { tellClient } from './mcp-notify.ts'
import { makeServer } from './mcp-server.ts'
import { StdioServerTransport } from './mcp-stdio-transport.ts'
import { mostOfOne } from './mcp-subscriptions.ts'
import type { Expose } from './mcp-tools.ts'
import type { GatewayParts } from './parts.ts'

export interface StdioOptions {
  readonly input: Readable
  readonly output: Writable
  /** Ends it. Default: only the client does. */
  readonly signal?: AbortSignal
  /** What the client sees. Default: what the configuration says. */
  readonly expose?: Expose
}

/** Settles when the client is gone. */
export async function serveMcp(
  parts: GatewayParts,
  { input, output, signal, expose = parts.expose ?? 'auto' }: StdioOptions,
  { maxMessageBytes, version }: { readonly maxMessageBytes: number; readonly version: string },
): Promise<void> {
  const front = new McpFront(parts, version)
  const session = randomUUID()
  const gone = new AbortController()
  const closed = Promise.withResolvers<void>()
  const transport = new StdioServerTransport(input, output, maxMessageBytes)
  const untold: (() => void)[] = []
  const factory = async ({ era }: { readonly era: 'legacy' | 'modern' }): Promise<McpServer> => {
    const mcp = await makeServer(front, { expose, isModern: era === 'modern', session, gone: gone.signal })
    untold.push(tellClient(front, mcp))
    const { onmessage } = transport
    transport.onmessage = (message, extra) => {
      watchResources(front, mcp, message)
      onmessage?.(message, extra)
    }
    return mcp
  }
  const handle = serveStdio(factory, { transport, onerror: () => {} })
  const { onclose } = transport
  transport.onclose = () => {
    onclose?.()
    closed.resolve()
  }
  const stop = () => void handle.close().finally(() => closed.resolve())
  signal?.addEventListener('abort', stop, { once: true })
  if (signal?.aborted) stop()
  await closed.promise
  signal?.removeEventListener('abort', stop)
  for (const each of untold) each()
  gone.abort()
  await handle.close().catch(() => {})
  front.close()
}

/** The SDK answers who listens, and does not say for what. They end with the connection. */
function watchResources({ passed, subscriptions }: McpFront, mcp: McpServer, message: unknown): void {
  for (const uri of listenedUris(message).slice(0, mostOfOne)) {
    const add = async () => {
      const upstream = await passed.ownerOf(uri)
      if (upstream) await subscriptions.add(mcp, uri, upstream)
    }
    add().catch(() => {})
  }
}
