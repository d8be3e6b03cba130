// What the gateway says when a request is not a call that it could make: a status, and one shape of body.

import type { ServerResponse } from 'node:http'
import { type Answer, writeAnswer } from './answer.ts'

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

export function refusalAnswer({ headers, ...body }: Refusal): Answer {
  const type = { 'content-type': 'application/json' }
  return { status: statuses[body.code], headers: { ...type, ...headers }, body: JSON.stringify(body) }
}

/** Answers before any handler has seen the request. What else the client would send is not read. */
export function refuse(outgoing: ServerResponse, refused: Refusal): void {
  const headers = { connection: 'close', ...refused.headers }
  void writeAnswer(outgoing, refusalAnswer({ ...refused, headers }))
}
