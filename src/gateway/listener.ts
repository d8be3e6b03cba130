// One HTTP server with bounds on everything that a client may take its time or its fill with.

import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { within } from '../base/within.ts'
import { LegworkError } from '../model/errors.ts'
import { type Answer, isStream, writeAnswer } from './answer.ts'
import type { Check } from './guard.ts'
import { refusal, refuse } from './refusal.ts'
import type { Exchange } from './router.ts'

export interface ListenOptions {
  readonly host: string
  readonly port: number
  readonly check: Check
  readonly answer: (exchange: Omit<Exchange, 'named'>) => Promise<Answer>
  readonly bounds?: Bounds
}

export interface Bounds {
  /** How long a client may take to send its headers, in milliseconds. Default 2 000. */
  readonly headersTimeoutMs?: number
  /** How long it may take to send the whole request. Default 30 000. */
  readonly requestTimeoutMs?: number
  /** How long the answer may lie there unread. Default 30 000. */
  readonly answerTimeoutMs?: number
  /** How long a connection may lie idle between two requests; 0: for ever. Default 5 000. */
  readonly idleTimeoutMs?: number
  /** How many connections there may be at once; for one more, the oldest goes that has no request running. Default 1 024. */
  readonly maxConnections?: number
}

export interface Listener {
  readonly port: number
  /** Takes no more requests, ends those that run, waits a moment for their answers, then lets go of every connection. */
  readonly close: () => Promise<void>
}

const maxHeaderBytes = 16_384
/** How long the answers of ended requests are waited for. */
const closingMs = 3_000

// An import of this module would load all of Node's `fetch`, for the sake of the names that the module also has.
const { createServer } = process.getBuiltinModule('node:http')

export async function listen({ host, port, check, answer, bounds = {} }: ListenOptions): Promise<Listener> {
  const { headersTimeoutMs = 2_000, requestTimeoutMs = 30_000, answerTimeoutMs = 30_000 } = bounds
  const { idleTimeoutMs = 5_000 } = bounds
  const requests = new Map<Socket, { readonly controller: AbortController; readonly over: Promise<void> }>()
  let isClosing = false

  const server = createServer(
    {
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.min(500, headersTimeoutMs, requestTimeoutMs),
      keepAliveTimeout: idleTimeoutMs,
      maxHeaderSize: maxHeaderBytes,
    },
    (incoming, outgoing) => {
      const { socket } = incoming
      // Whoever asks on before the answer is there could have any number of them made and read none.
      const tooSoon = requests.has(socket) ? oneAtATime : undefined
      const refused = isClosing ? refusal('stopping', 'The gateway is stopping.') : (tooSoon ?? check(incoming))
      if (refused) return refuse(outgoing, refused)
      const controller = new AbortController()
      const over = new Promise<void>((resolve) => {
        outgoing.once('close', () => {
          requests.delete(socket)
          // With a bound of its own Node has set it by now.
          if (idleTimeoutMs === 0) socket.setTimeout(0)
          if (!outgoing.writableFinished) controller.abort()
          resolve()
        })
      })
      requests.set(socket, { controller, over })
      const exchange = { incoming, outgoing, signal: controller.signal }
      answer(exchange)
        .then((given) => {
          if (!isStream(given.headers)) socket.setTimeout(answerTimeoutMs)
          return writeAnswer(outgoing, given)
        })
        .catch(() => outgoing.destroy())
    },
  )
  // Above a bound on their number Node drops headers without a word, an Origin perhaps; their size is bounded instead.
  server.maxHeadersCount = 0
  boundConnections(server, bounds.maxConnections ?? 1_024, () => [...requests.keys()])
  server.on('timeout', (socket) => socket.destroy())
  await listening(server, host, port)

  const close = async () => {
    if (isClosing) return
    isClosing = true
    const closed = new Promise((resolve) => server.close(resolve))
    const running = [...requests.values()]
    for (const { controller } of running) controller.abort()
    await within(closingMs, Promise.all(running.map(({ over }) => over)))
    server.closeAllConnections()
    await closed
  }
  const address = server.address()
  return { port: typeof address === 'object' && address ? address.port : port, close }
}

const oneAtATime = refusal(
  'bad-request',
  'The answer to the last request on this connection is not there yet. Wait for it.',
)

/** Whoever connects and says nothing, however often, cannot keep others out: such a connection gives way to the next. */
function boundConnections(server: Server, most: number, busy: () => readonly Socket[]): void {
  const open = new Set<Socket>()
  server.on('connection', (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    if (open.size <= most) return
    const oldest = open.difference(new Set(busy())).values().next().value ?? socket
    open.delete(oldest)
    oldest.destroy()
  })
}

function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(host, port, error)))
    server.listen({ host, port, exclusive: true }, resolve)
  })
}

function cannotListen(host: string, port: number, { code, message }: NodeJS.ErrnoException): LegworkError {
  const why = code === 'EADDRINUSE' ? 'something else listens there already' : message
  const text = `The gateway cannot listen on ${host}, port ${port}: ${why}. Choose another port; 0 takes any free one.`
  return new LegworkError('invalid-configuration', text)
}
