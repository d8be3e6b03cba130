// The paths of the MCP server in the gateway. What it is made of is loaded when the first client comes.

import { readFileSync } from 'node:fs'
import { readJson } from './body.ts'
import type { McpHttp } from './mcp-http.ts'
import type { Expose } from './mcp-tools.ts'
import type { GatewayParts } from './parts.ts'
import { refusal, refusalResponse } from './refusal.ts'
import { type App, route } from './routes.ts'

/** What goes around the arguments of a call. */
const envelopeBytes = 65_536

/** Adds `/mcp`, `/mcp/direct` and `/mcp/meta`; answers with a function that ends every session. */
export function addMcp(app: App, parts: GatewayParts, maxInputBytes: number): () => Promise<void> {
  let opened: Promise<McpHttp> | undefined
  let isClosed = false
  const open = () => {
    opened ??= import('./mcp-http.ts').then(({ McpHttp }) => new McpHttp(parts, version()))
    return opened
  }
  const paths: Readonly<Record<string, Expose>> = {
    '/mcp': parts.expose ?? 'auto',
    '/mcp/direct': 'direct',
    '/mcp/meta': 'meta',
  }
  for (const [path, expose] of Object.entries(paths)) {
    const answer: Parameters<typeof route>[2][string] = async (c) => {
      const read = await readJson(c.env.incoming, maxInputBytes + envelopeBytes)
      if (!read.ok) return refusalResponse(read)
      if (c.req.method === 'POST' && read.json === undefined) {
        return refusalResponse(refusal('bad-request', 'The request needs a body.'))
      }
      if (isClosed) return refusalResponse(refusal('stopping', 'The gateway is stopping.'))
      return (await open()).answer(c, read.json, expose)
    }
    route(app, path, { POST: answer, GET: answer, DELETE: answer })
  }
  return async () => {
    isClosed = true
    await (await opened)?.close()
  }
}

export function version(): string {
  return String(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version)
}
