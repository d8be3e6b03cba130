// Clients of older revisions: each has a session, from its first request until it says goodbye, or nothing for long.

import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import {
  isInitializeRequest,
  type McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { sentEvents } from './mcp-events.ts'
import type { McpFront } from './mcp-front.ts'
import { answeredId, cancelledIds, idsOf } from './mcp-ids.ts'
import { tellClient } from './mcp-notify.ts'
import { makeServer } from './mcp-server.ts'
import type { Expose } from './mcp-tools.ts'

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly mcp: McpServer
  readonly expose: Expose
  /** Requests that have no answer yet, streams included. */
  open: number
  /** Of requests that are worked on, whether their connection is still there or not. */
  readonly ids: Set<string | number>
  timer?: NodeJS.Timeout
}

const idleMs = 1_800_000
const maxSessions = 256
const retryMs = 500

export class McpSessions {
  readonly #front: McpFront
  readonly #sessions = new Map<string, Session>()
  #opening = 0

  constructor(front: McpFront) {
    this.#front = front
  }

  async answer(request: Request, body: unknown, expose: Expose, outgoing: ServerResponse): Promise<Response> {
    const id = request.headers.get('mcp-session-id')
    if (id === null) return this.#open(request, body, expose)
    const session = this.#sessions.get(id)
    if (session?.expose !== expose) return failure(404, -32_001, 'There is no such session. Begin a new one.')
    const ids = idsOf(body)
    if (ids.some((each) => session.ids.has(each)) || new Set(ids).size < ids.length) {
      return failure(400, -32_600, 'A request of that id is being worked on already.')
    }
    this.#use(id, session, outgoing)
    for (const each of ids) session.ids.add(each)
    const answer = await session.transport.handleRequest(request, { parsedBody: body })
    // What was refused is not worked on; what was cancelled gets no answer.
    for (const each of answer.ok ? cancelledIds(body) : ids) session.ids.delete(each)
    return answer
  }

  async close(): Promise<void> {
    const sessions = [...this.#sessions.values()]
    this.#sessions.clear()
    for (const { timer } of sessions) clearTimeout(timer)
    await Promise.allSettled(sessions.map(({ mcp }) => mcp.close()))
  }

  async #open(request: Request, body: unknown, expose: Expose): Promise<Response> {
    if (!isInitializeRequest(body)) return failure(400, -32_000, 'A session begins with "initialize".')
    if (this.#sessions.size + this.#opening >= maxSessions && !this.#dropIdle()) {
      return failure(429, -32_000, 'There are too many sessions already.')
    }
    this.#opening++
    try {
      const session = randomUUID()
      const gone = new AbortController()
      const mcp = await makeServer(this.#front, { expose, isModern: false, session, gone: gone.signal })
      const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: () => session,
        eventStore: sentEvents(),
        retryInterval: retryMs,
        onsessioninitialized: (id) => {
          const opened: Session = { transport, mcp, expose, open: 0, ids: new Set() }
          this.#sessions.set(id, opened)
          this.#restart(id, opened)
        },
      })
      const send = transport.send.bind(transport)
      transport.send = (message, options) => {
        const id = answeredId(message)
        if (id !== undefined) this.#sessions.get(session)?.ids.delete(id)
        return send(message, options)
      }
      const untold = tellClient(this.#front, mcp)
      mcp.server.onclose = () => {
        untold()
        gone.abort()
        clearTimeout(this.#sessions.get(session)?.timer)
        this.#sessions.delete(session)
        void this.#front.subscriptions.removeAll(mcp)
      }
      await mcp.connect(transport)
      return await transport.handleRequest(request, { parsedBody: body })
    } finally {
      this.#opening--
    }
  }

  #use(id: string, session: Session, outgoing: ServerResponse): void {
    session.open++
    clearTimeout(session.timer)
    outgoing.once('close', () => {
      session.open--
      if (this.#sessions.get(id) === session) this.#restart(id, session)
    })
  }

  #restart(id: string, session: Session): void {
    clearTimeout(session.timer)
    // In the order of their last use.
    this.#sessions.delete(id)
    this.#sessions.set(id, session)
    session.timer = setTimeout(() => session.open === 0 && void session.mcp.close(), idleMs).unref()
  }

  /** Makes room by the session that has been idle for longest; false where all are in use. */
  #dropIdle(): boolean {
    for (const [id, session] of this.#sessions) {
      if (session.open > 0) continue
      this.#sessions.delete(id)
      void session.mcp.close()
      return true
    }
    return false
  }
}

function failure(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status })
}
