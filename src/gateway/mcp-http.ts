// MCP over HTTP: each client in its own revision, old and new, at one path for each choice of what it sees.

import type { IncomingMessage } from 'node:http'
import {
  createMcpHandler,
  isLegacyRequest,
  type McpHttpHandler,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/server'
import { isObject } from '../base/json.ts'
import { McpFront } from './mcp-front.ts'
import { makeServer } from './mcp-server.ts'
import { McpSessions } from './mcp-sessions.ts'
import { mostOfOne } from './mcp-subscriptions.ts'
import type { Expose } from './mcp-tools.ts'
import type { GatewayParts } from './parts.ts'
import type { Exchange } from './router.ts'

const never = new AbortController().signal

/** What each request asks for: its server is made for that alone. */
const methods = new WeakMap<Request, string>()

export class McpHttp {
  readonly #front: McpFront
  readonly #sessions: McpSessions
  readonly #handlers = new Map<Expose, McpHttpHandler>()
  readonly #stop: () => void

  constructor(parts: GatewayParts, version: string) {
    this.#front = new McpFront(parts, version)
    this.#sessions = new McpSessions(this.#front)
    this.#stop = this.#front.onChange((change) => {
      for (const { notify } of this.#handlers.values()) {
        if ('updated' in change) notify.resourceUpdated(change.updated)
        else notify[`${change.list}Changed`]()
      }
    })
  }

  /** `body` is the request's, parsed already. */
  async answer({ incoming, outgoing, signal }: Exchange, body: unknown, expose: Expose): Promise<Response> {
    const request = requestOf(incoming, signal)
    if (!isModern(body) && (await isLegacyRequest(request, body)))
      return this.#sessions.answer(request, body, expose, outgoing)
    if (isObject(body) && typeof body.method === 'string') methods.set(request, body.method)
    const uris = listenedUris(body)
    if (uris.length > mostOfOne) return tooManyUris(body)
    await this.#watchResources(uris, signal)
    return this.#handler(expose).fetch(request, { parsedBody: body })
  }

  async close(): Promise<void> {
    this.#stop()
    this.#front.close()
    await Promise.allSettled([
      this.#sessions.close(),
      ...[...this.#handlers.values()].map((handler) => handler.close()),
    ])
  }

  #handler(expose: Expose): McpHttpHandler {
    const known = this.#handlers.get(expose)
    if (known) return known
    const factory = ({ requestInfo }: { readonly requestInfo?: Request }) => {
      const method = requestInfo && methods.get(requestInfo)
      return makeServer(this.#front, { expose, isModern: true, gone: never, method })
    }
    const made = createMcpHandler(factory, { legacy: 'reject' })
    this.#handlers.set(expose, made)
    return made
  }

  /** The SDK answers who listens, and does not say for what: the servers behind us have to be told. */
  async #watchResources(uris: readonly string[], signal: AbortSignal): Promise<void> {
    if (uris.length === 0) return
    const subscriber = {}
    const { passed, subscriptions } = this.#front
    signal.addEventListener('abort', () => void subscriptions.removeAll(subscriber), { once: true })
    for (const uri of uris) {
      const upstream = await passed.ownerOf(uri)
      // A client that names what nobody has hears nothing of it.
      if (upstream) await subscriptions.add(subscriber, uri, upstream).catch(() => {})
    }
    if (signal.aborted) await subscriptions.removeAll(subscriber)
  }
}

/** The request as the web has it, without its body, which is read already. */
function requestOf({ method = '', url = '', headers, rawHeaders }: IncomingMessage, signal: AbortSignal): Request {
  const given = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2) given.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '')
  return new Request(`http://${headers.host}${url}`, { method, headers: given, signal })
}

/** Whether a request says itself that it is of the newest revision, whose handler then checks the rest. */
function isModern(body: unknown): boolean {
  const meta = isObject(body) && isObject(body.params) ? body.params._meta : undefined
  return isObject(meta) && typeof meta[PROTOCOL_VERSION_META_KEY] === 'string'
}

/** The resources that a client of the newest revision wants to hear of. */
export function listenedUris(body: unknown): readonly string[] {
  if (!isObject(body) || body.method !== 'subscriptions/listen' || !isObject(body.params)) return []
  const { notifications } = body.params
  const uris = isObject(notifications) ? notifications.resourceSubscriptions : undefined
  return Array.isArray(uris) ? [...new Set(uris.filter((uri) => typeof uri === 'string'))] : []
}

function tooManyUris(body: unknown): Response {
  const id = isObject(body) && (typeof body.id === 'string' || typeof body.id === 'number') ? body.id : null
  const message = `A client may watch ${mostOfOne} resources, and no more.`
  return Response.json({ jsonrpc: '2.0', id, error: { code: -32_602, message } }, { status: 400 })
}
