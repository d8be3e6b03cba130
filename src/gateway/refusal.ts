// What the gateway says when a request is not a call that it could make: a status, and one shape of body.

import type { ServerResponse } from 'node:http'

const statuses = {
  'bad-request': 400,
  unauthorized: 401,
  forbidden: 403,
  'not-found': 404,
  'method-not-allowed': 405,
  conflict: 409,
  'too-large': 413,
  'unsupported-media-type': 415,
  'too-busy': 429,
  internal: 500,
  stopping: 503,
} as const

export type RefusalCode = keyof typeof statuses

export interface Refusal {
  readonly ok: false
  readonly code: RefusalCode
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
}

export function refusal(code: RefusalCode, message: string, headers?: Refusal['headers']): Refusal {
  return { ok: false, code, message, ...(headers && { headers }) }
}

/** In every answer: nothing is kept by a cache, guessed at by a browser or used by another site's page. */
export const commonHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
} as const

export function refusalResponse({ headers, ...body }: Refusal): Response {
  return Response.json(body, { status: statuses[body.code], headers: { ...commonHeaders, ...headers } })
}

/** Answers before any handler has seen the request. What else the client would send is not read. */
export function refuse(outgoing: ServerResponse, { headers, ...body }: Refusal): void {
  const text = JSON.stringify(body)
  outgoing.writeHead(statuses[body.code], {
    ...commonHeaders,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    connection: 'close',
    ...headers,
  })
  outgoing.end(text)
}
