// What a handler answers with, and how that is written.

import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Default: none. */
  readonly body?: string | ReadableStream<Uint8Array>
}

export function json(value: unknown, status = 200): Answer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) }
}

/** In every answer: nothing is kept by a cache, guessed at by a browser or used by another site's page. */
const commonHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
} as const

/** Settles when all of it is written or the client is gone. */
export async function writeAnswer(outgoing: ServerResponse, { status, headers, body = '' }: Answer): Promise<void> {
  if (typeof body === 'string') {
    const length = status === 204 ? {} : { 'content-length': Buffer.byteLength(body) }
    outgoing.writeHead(status, { ...headers, ...commonHeaders, ...length }).end(body)
    return
  }
  outgoing.writeHead(status, { ...headers, ...commonHeaders }).flushHeaders()
  await pipeline(Readable.fromWeb(body), outgoing)
}

/** An answer that the web's own kind of server gives. Only what may go on for long is passed on as it comes. */
export async function answerOf(response: Response): Promise<Answer> {
  const { status } = response
  const headers = Object.fromEntries(response.headers)
  if (!response.body || !isStream(headers)) return { status, headers, body: await response.text() }
  return { status, headers, body: response.body }
}

/** A stream of events is quiet for as long as nothing happens. */
export function isStream(headers: Answer['headers'] = {}): boolean {
  return /^text\/event-stream\b/i.test(headers['content-type'] ?? '')
}
