// The ids by which a client tells its requests apart. Two that are worked on under one id could get each other's answers.

import { isObject } from '../base/json.ts'

export type RequestId = string | number

/** Of the requests in a message, or in several at once. */
export function idsOf(body: unknown): readonly RequestId[] {
  return messagesIn(body).flatMap((message) => ('method' in message && isId(message.id) ? [message.id] : []))
}

/** Of the requests that it gives up: they get no answer. */
export function cancelledIds(body: unknown): readonly RequestId[] {
  return messagesIn(body).flatMap(({ method, params }) => {
    const id = method === 'notifications/cancelled' && isObject(params) ? params.requestId : undefined
    return isId(id) ? [id] : []
  })
}

/** Of the request that a message answers. */
export function answeredId(message: unknown): RequestId | undefined {
  if (!isObject(message) || 'method' in message) return undefined
  return isId(message.id) ? message.id : undefined
}

function messagesIn(body: unknown): readonly Readonly<Record<string, unknown>>[] {
  return (Array.isArray(body) ? body : [body]).filter((message) => isObject(message))
}

function isId(value: unknown): value is RequestId {
  return typeof value === 'string' || typeof value === 'number'
}
