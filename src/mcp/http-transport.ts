// Joins a server at an address to the SDK. The SDK's own transports do the speaking; here they get bounds, and calls whose
// stream ends without an answer are told so instead of being left to wait.

import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { boundedFetch } from './bounded-fetch.ts'
import { oauthFetch } from './oauth-fetch.ts'
import type { AddressPlace, McpCommonSettings } from './settings.ts'

type Sdk = typeof import('@modelcontextprotocol/client')

export interface HttpTransport {
  readonly transport: Transport
  /** What was wrong with an answer, where the SDK does not say. */
  readonly fault: () => string | undefined
  /** Says goodbye to a server that keeps a session. */
  readonly leave: () => Promise<void>
}

/** A stream that breaks is taken up again twice, and within a second. */
const reconnectionOptions = {
  initialReconnectionDelay: 200,
  reconnectionDelayGrowFactor: 2,
  maxReconnectionDelay: 400,
  maxRetries: 2,
}

const leavingMs = 500

export function streamableTransport(
  sdk: Sdk,
  place: AddressPlace & McpCommonSettings,
  maxMessageBytes: number,
): HttpTransport {
  const { options, fault } = requestsTo(place, maxMessageBytes)
  const transport = new sdk.StreamableHTTPClientTransport(new URL(place.url), { ...options, reconnectionOptions })
  const send = transport.send.bind(transport)
  transport.send = (message, sendOptions) => {
    const id = requestId(message)
    if (id === undefined || sendOptions?.onRequestStreamEnd) return send(message, sendOptions)
    // To a call that has its answer by now, this one is of no interest.
    const onRequestStreamEnd = () => transport.onmessage?.(unanswered(id, fault()))
    return send(message, { ...sendOptions, onRequestStreamEnd })
  }
  const leave = async () => {
    if (transport.sessionId === undefined) return
    const patience = new Promise<void>((settle) => setTimeout(settle, leavingMs).unref())
    await Promise.race([transport.terminateSession().catch(() => {}), patience])
  }
  return { transport, fault, leave }
}

/** The old transport: one stream of events from the server, and requests beside it. */
export function eventsTransport(
  sdk: Sdk,
  place: AddressPlace & McpCommonSettings,
  maxMessageBytes: number,
): HttpTransport {
  const { options, fault } = requestsTo(place, maxMessageBytes)
  const transport = new sdk.SSEClientTransport(new URL(place.url), options)
  answersLast(transport)
  return { transport, fault, leave: async () => {} }
}

/** How requests to a server are made, whichever transport makes them. */
function requestsTo({ url, headers = {}, authProvider }: AddressPlace & McpCommonSettings, maxMessageBytes: number) {
  const { fetch: bounded, fault } = boundedFetch(maxMessageBytes)
  const fetch = authProvider ? oauthFetch(url, bounded) : bounded
  const auth = authProvider && { authProvider: authProvider() }
  return { options: { requestInit: { headers: { ...headers } }, fetch, ...auth }, fault }
}

/** The SDK looks at a notification a moment later; one about a call must come before its answer. */
function answersLast(transport: Transport): void {
  let handler: Transport['onmessage']
  Object.defineProperty(transport, 'onmessage', {
    get: () => handler,
    set: (set: Transport['onmessage']) => {
      handler =
        set &&
        ((message, extra) => {
          if ('method' in message) set(message, extra)
          else queueMicrotask(() => set(message, extra))
        })
    },
  })
}

function requestId(message: JSONRPCMessage | readonly JSONRPCMessage[]): string | number | undefined {
  return 'method' in message && 'id' in message ? message.id : undefined
}

/** Known by its identity, which nothing that comes from a server has. */
export const unansweredMark = Object.freeze({ unanswered: true })

function unanswered(id: string | number, fault: string | undefined): JSONRPCMessage {
  const message = fault ?? 'The server ended the connection before it answered.'
  return { jsonrpc: '2.0', id, error: { code: -32_000, message, data: unansweredMark } }
}
