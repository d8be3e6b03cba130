// The routes that a gateway has for everybody and again for each run: what there is, what scripts import, and a call.

import type { Context, Hono } from 'hono'
import type { Outcome } from '../model/outcome.ts'
import { toolJson } from '../tool-json.ts'
import type { RunCallOptions } from '../toolscript/run-door.ts'
import type { RequestBindings } from './listener.ts'
import type { GatewayParts, RuntimeText } from './parts.ts'
import { readCall } from './read-call.ts'
import { type Refusal, refusal, refusalResponse } from './refusal.ts'

export type App = Hono<{ Bindings: RequestBindings }>
export type AppContext = Context<{ Bindings: RequestBindings }>

export interface RouteParts extends Pick<GatewayParts, 'tools' | 'search'> {
  readonly runtime: Pick<RuntimeText, 'client' | 'declarations'>
  /** The largest input of a call, in bytes. */
  readonly maxInputBytes: number
  /** Makes the call, or says why this client may not. */
  readonly call: (
    context: AppContext,
    wire: string,
    input: unknown,
    options: RunCallOptions,
  ) => Promise<Outcome> | Refusal
}

type Handler = (context: AppContext) => Promise<Response> | Response

const most = 100

export function addRoutes(app: App, parts: RouteParts): void {
  const { tools, search, runtime, maxInputBytes, call } = parts
  route(app, '/health', { GET: (c) => c.json({ ok: true }) })
  route(app, '/tools', { GET: async (c) => c.json((await tools()).map(toolJson)) })
  route(app, '/search', {
    GET: async (c) => c.json((await search(c.req.query('q') ?? '', bounded(c.req.query('most')))).map(toolJson)),
  })
  route(app, '/runtime/tools.ts', {
    GET: async (c) => c.body(await runtime.client(), 200, { ...javaScript, 'x-typescript-types': './tools.d.ts' }),
  })
  route(app, '/runtime/tools.d.ts', { GET: async (c) => c.body(await runtime.declarations(), 200, typeScript) })
  route(app, '/tools/:wire', {
    POST: async (c) => {
      const read = await readCall(c.env.incoming, maxInputBytes)
      if (!read.ok) return refusalResponse(read)
      const { input, ...options } = read.call
      const answer = await call(c, c.req.param('wire') ?? '', input, { ...options, signal: c.env.signal })
      return 'callId' in answer ? c.json(answer) : refusalResponse(answer)
    },
  })
}

/** One path with its methods; any other method is told which there are. */
export function route(app: App, path: string, handlers: Readonly<Record<string, Handler>>): void {
  const methods = Object.keys(handlers)
  for (const [method, handler] of Object.entries(handlers)) app.on(method, path, handler)
  app.all(path, () => {
    const message = `That path takes ${methods.join(' and ')} alone.`
    return refusalResponse(refusal('method-not-allowed', message, { allow: methods.join(', ') }))
  })
}

// Deno goes by the content type and not by the name, so that nothing is compiled.
const javaScript = { 'content-type': 'text/javascript; charset=utf-8' }
const typeScript = { 'content-type': 'application/typescript; charset=utf-8' }

function bounded(given: string | undefined): number {
  return given !== undefined && /^[1-9]\d?$/.test(given) ? Number(given) : given === undefined ? 20 : most
}
