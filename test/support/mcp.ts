// MCP clients of both revisions for Legwork's own server, over HTTP, and a Legwork with a few functions behind it.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { onTestFinished } from 'vitest'
import { gatewayToken } from '../../src/gateway/token-file.ts'
import { defineTool, type Legwork, type LegworkOptions } from '../../src/index.ts'
import { openLegwork } from './legwork.ts'
import { temporaryFolder } from './temporary.ts'

export const harmless = { destructive: false, network: false, filesystem: { write: false } } as const
export const eras = ['modern', 'legacy'] as const
export type Era = (typeof eras)[number]

export interface Served {
  readonly legwork: Legwork
  readonly url: string
  readonly token: string
  /** A client that is closed when the test ends. */
  readonly connect: (era: Era, options?: ConnectOptions) => Promise<Client>
  /** One request, as text, with the token unless told otherwise. */
  readonly post: (body: unknown, headers?: Record<string, string>, path?: string) => Promise<Response>
}

export interface ConnectOptions {
  readonly path?: string
  readonly name?: string
  readonly capabilities?: Record<string, object>
  /** Set up before it connects. */
  readonly prepare?: (client: Client) => void
}

/** The folder is the workspace, and holds the token. */
export async function serve(options: LegworkOptions, folder = temporaryFolder()): Promise<Served> {
  const legwork = await openLegwork({ workspace: folder, ...options })
  const gateway = await legwork.gateway({ folder })
  const token = gatewayToken(gateway.url, { folder, environment: {} })
  const authorization = `Bearer ${token}`
  const connect: Served['connect'] = async (era, { path = '/mcp', name = 'test', capabilities = {}, prepare } = {}) => {
    const client = new Client(
      { name, version: '1' },
      {
        capabilities,
        versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' },
      },
    )
    prepare?.(client)
    const url = new URL(path, gateway.url)
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization } } }))
    onTestFinished(() => client.close())
    return client
  }
  const post: Served['post'] = (body, headers = {}, path = '/mcp') =>
    fetch(new URL(path, gateway.url), {
      method: 'POST',
      headers: {
        authorization,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  return { legwork, url: gateway.url, token, connect, post }
}

/** The text of a result. */
export function textOf(result: unknown): string {
  const { content } = result as { content: readonly { text?: string }[] }
  return content.map(({ text }) => text ?? '').join('\n')
}

export const echo = defineTool({
  name: 'demo:echo',
  description: 'Says it back',
  input: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
  output: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
  effects: harmless,
  run: ({ message }) => ({ message: String(message) }),
})
export const destroy = defineTool({
  name: 'demo:destroy',
  description: 'Destroys',
  input: { type: 'object', properties: { what: { type: 'string' } } },
  effects: { destructive: true },
  run: ({ what }) => `destroyed ${what}`,
})
