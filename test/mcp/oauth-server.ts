// A remote MCP server with its authorisation server, both on one port of this machine, which can be made to misbehave.

import { hash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

export interface Asked {
  readonly method: string
  readonly path: string
  readonly parameters: URLSearchParams
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Text as it is, anything else as JSON. */
  readonly body?: unknown
}

type Handler = (asked: Asked) => Answer | Promise<Answer>

export interface OAuthServer {
  readonly origin: string
  readonly url: string
  /** Every request, in order. */
  readonly asked: Asked[]
  readonly requests: (path: string) => Asked[]
  /** The access tokens and refresh tokens that are good now. */
  readonly access: Set<string>
  readonly refresh: Set<string>
  /** Answers in place of the usual ones, by path. */
  readonly instead: Map<string, Handler>
  /** Changes to what the authorisation server says of itself. */
  metadata: Record<string, unknown>
  /** The issuer that the MCP server names. */
  authorisationServer: string
}

/** Ends with the test. */
export async function startOAuthServer(): Promise<OAuthServer> {
  const challenges = new Map<string, string>()
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', state.origin)
    const { method = '', headers } = request
    const asked = { method, path: pathname, parameters: searchParams, headers, body: await text(request) }
    state.asked.push(asked)
    const handler: Handler = state.instead.get(pathname) ?? routes[pathname] ?? (() => ({ status: 404 }))
    const { status = 200, headers: more = {}, body } = await handler(asked)
    const isText = typeof body === 'string'
    response.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json', ...more })
    response.end(isText || body === undefined ? body : JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  const origin = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  const state: OAuthServer = {
    origin,
    url: `${origin}/mcp`,
    asked: [],
    requests: (path) => state.asked.filter((asked) => asked.path === path),
    access: new Set(),
    refresh: new Set(),
    instead: new Map(),
    metadata: {},
    authorisationServer: origin,
  }

  const routes: Record<string, Handler> = {
    '/mcp': ({ method, headers, body }) => {
      if (!state.access.has((headers.authorization ?? '').replace('Bearer ', ''))) {
        const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`
        return { status: 401, headers: { 'www-authenticate': `Bearer resource_metadata="${metadata}"` } }
      }
      return method === 'POST' ? speak(JSON.parse(body)) : { status: 405 }
    },
    '/.well-known/oauth-protected-resource/mcp': () => ({
      body: { resource: state.url, authorization_servers: [state.authorisationServer] },
    }),
    '/.well-known/oauth-authorization-server': () => ({
      body: {
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none'],
        authorization_response_iss_parameter_supported: true,
        ...state.metadata,
      },
    }),
    '/register': ({ body }) => ({ status: 201, body: { ...JSON.parse(body), client_id: randomUUID() } }),
    '/authorize': ({ parameters }) => {
      const code = randomUUID()
      challenges.set(code, parameters.get('code_challenge') ?? '')
      const back = new URL(parameters.get('redirect_uri') ?? '')
      back.search = new URLSearchParams({ code, state: parameters.get('state') ?? '', iss: origin }).toString()
      return { status: 302, headers: { location: back.href } }
    },
    '/token': ({ body }) => {
      const given = new URLSearchParams(body)
      const isRefresh = given.get('grant_type') === 'refresh_token'
      const verifier = hash('sha256', given.get('code_verifier') ?? '', 'base64url')
      const isGood = isRefresh
        ? state.refresh.delete(given.get('refresh_token') ?? '')
        : challenges.get(given.get('code') ?? '') === verifier
      if (!isGood) return { status: 400, body: { error: 'invalid_grant' } }
      const [access, refresh] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`]
      state.access.add(access)
      state.refresh.add(refresh)
      return { body: { access_token: access, refresh_token: refresh, token_type: 'Bearer', expires_in: 3_600 } }
    },
  }
  return state
}

/** An MCP server of an older revision with one tool. */
function speak({ id, method }: { id?: number; method: string }): Answer {
  if (id === undefined) return { status: 202 }
  const reply = (result: unknown) => ({ body: { jsonrpc: '2.0', id, result } })
  if (method === 'initialize') {
    const serverInfo = { name: 'remote', version: '1' }
    return reply({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo })
  }
  if (method === 'tools/list') return reply({ tools: [{ name: 'echo', inputSchema: { type: 'object' } }] })
  if (method === 'tools/call') return reply({ content: [{ type: 'text', text: 'done' }] })
  return { body: { jsonrpc: '2.0', id, error: { code: -32_601, message: 'Unknown method' } } }
}
