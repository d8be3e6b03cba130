// The paths of the MCP server in the gateway. What it is made of is loaded when the first client comes.

import { readFileSync } from 'node:fs'
import { answerOf } from './answer.ts'
import { readJson } from './body.ts'
import type { McpHttp } from './mcp-http.ts'
import type { Expose } from './mcp-tools.ts'
import type { GatewayParts } from './parts.ts'
import { refusal, refusalAnswer } from './refusal.ts'
import type { Handler, Router } from './router.ts'

/** What goes around the arguments of a call. */
const envelopeBytes = 65_536

/** Adds `/mcp`, `/mcp/direct` and `/mcp/meta`; answers with a function that ends every session. */
export function addMcp(router: Router, parts: GatewayParts, maxInputBytes: number): () => Promise<void> {
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
    const answer: Handler = async (exchange) => {
      const read = await readJson(exchange.incoming, maxInputBytes + envelopeBytes)
      if (!read.ok) return refusalAnswer(read)
      if (exchange.incoming.method === 'POST' && read.json === undefined) {
        return refusalAnswer(refusal('bad-request', 'The request needs a body.'))
      }
      if (isClosed) return refusalAnswer(refusal('stopping', 'The gateway is stopping.'))
      return answerOf(await (await open()).answer(exchange, read.json, expose))
    }
    router.add(path, { POST: answer, GET: answer, DELETE: answer })
  }
  return async () => {
    isClosed = true
    await (await opened)?.close()
  }
}

export function version(): string {
  return String(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version)
}
