// The routes that a gateway has for everybody and again for each run: what there is, what scripts import, and a call.

import type { Outcome } from '../model/outcome.ts'
import { toolJson } from '../tool-json.ts'
import type { RunCallOptions } from '../toolscript/run-door.ts'
import { json } from './answer.ts'
import type { GatewayParts, RuntimeText } from './parts.ts'
import { readCall } from './read-call.ts'
import { type Refusal, refusalAnswer } from './refusal.ts'
import { type Exchange, queryOf, type Router } from './router.ts'

export interface RouteParts extends Pick<GatewayParts, 'tools' | 'search'> {
  readonly runtime: Pick<RuntimeText, 'client' | 'declarations'>
  /** The largest input of a call, in bytes. */
  readonly maxInputBytes: number
  /** Makes the call, or says why this client may not. */
  readonly call: (
    exchange: Exchange,
    wire: string,
    input: unknown,
    options: RunCallOptions,
  ) => Promise<Outcome> | Refusal
}

const most = 100

export function addRoutes(router: Router, parts: RouteParts): void {
  const { tools, search, runtime, maxInputBytes, call } = parts
  router.add('/health', { GET: () => json({ ok: true }) })
  router.add('/tools', { GET: async () => json((await tools()).map(toolJson)) })
  router.add('/search', {
    GET: async (exchange) => {
      const found = await search(queryOf(exchange, 'q') ?? '', bounded(queryOf(exchange, 'most')))
      return json(found.map(toolJson))
    },
  })
  router.add('/runtime/tools.ts', {
    GET: async () => ({ status: 200, headers: javaScript, body: await runtime.client() }),
  })
  router.add('/runtime/tools.d.ts', {
    GET: async () => ({ status: 200, headers: typeScript, body: await runtime.declarations() }),
  })
  router.add('/tools/:wire', {
    POST: async (exchange) => {
      const read = await readCall(exchange.incoming, maxInputBytes)
      if (!read.ok) return refusalAnswer(read)
      const { input, ...options } = read.call
      const answer = await call(exchange, exchange.named, input, { ...options, signal: exchange.signal })
      return 'callId' in answer ? json(answer) : refusalAnswer(answer)
    },
  })
}

// Deno goes by the content type and not by the name, so that nothing is compiled.
const javaScript = { 'content-type': 'text/javascript; charset=utf-8', 'x-typescript-types': './tools.d.ts' }
const typeScript = { 'content-type': 'application/typescript; charset=utf-8' }

function bounded(given: string | undefined): number {
  return given !== undefined && /^[1-9]\d?$/.test(given) ? Number(given) : given === undefined ? 20 : most
}
