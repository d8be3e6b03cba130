// Why a server could not be used, in a sentence or two that begin with "It".

import { isObject, messageOf } from '../base/json.ts'
import { visibleText } from '../outcome/visible.ts'

/** A connection that could not be made, or was lost. */
export class ConnectionError extends Error {
  /** Whether the server speaks HTTP and not in the newer way, so that the old way is worth a try. */
  readonly isOtherTransport: boolean
  /** Whether it went away at the first question, as servers of older revisions may. */
  readonly isProbeTrouble: boolean

  constructor(message: string, isOtherTransport = false, isProbeTrouble = false) {
    // A part of it is what the server said.
    super(visibleText(message))
    this.name = 'ConnectionError'
    this.isOtherTransport = isOtherTransport
    this.isProbeTrouble = isProbeTrouble
  }
}

/** Whether a status is one with which a server answers that knows only the old transport. */
function isOtherTransport(status: number): boolean {
  return status === 501 || (status >= 400 && status < 500 && status !== 401 && status !== 403)
}

/** `fault` is what the transport knows of it; it knows best. */
export function connectionError(error: unknown, fault: string | undefined, server: string): ConnectionError {
  if (error instanceof ConnectionError) return error
  const status = statusOf(error)
  const code = fieldOf(error, 'code')
  const isProbeTrouble = code === 'ERA_NEGOTIATION_FAILED'
  if (fault !== undefined) return new ConnectionError(fault, false, isProbeTrouble)
  if (status === 401 || isUnauthorized(error)) {
    return new ConnectionError(`It needs authorisation. Run "legwork auth ${server}".`)
  }
  const isOther = isProbeTrouble || (status !== undefined && isOtherTransport(status)) || code === unexpectedContent
  return new ConnectionError(sentence(error, status), isOther, isProbeTrouble)
}

const unexpectedContent = 'CLIENT_HTTP_UNEXPECTED_CONTENT'

function sentence(error: unknown, status: number | undefined): string {
  if (status !== undefined) return `It answered with HTTP status ${status}.`
  if (fieldOf(error, 'code') === 'CONNECTION_CLOSED') return 'Its connection was lost.'
  const system = systemCode(error)
  if (system !== undefined) return `It could not be reached (${system}).`
  const message = messageOf(error).slice(0, 500)
  return `It could not be spoken to: ${message}${/[.!?]$/.test(message) ? '' : '.'}`
}

/** What a server wrote beside the status of a refusal, where the SDK has kept it. */
export function bodyOf(error: unknown): string {
  for (let cause = error, depth = 0; isError(cause) && depth < 5; cause = cause.cause, depth++) {
    const data = fieldOf(cause, 'data')
    if (isObject(data) && typeof data.text === 'string') return data.text.trim().slice(0, 500).toWellFormed()
  }
  return ''
}

export function statusOf(error: unknown): number | undefined {
  for (let cause = error, depth = 0; isError(cause) && depth < 5; cause = cause.cause, depth++) {
    const data = fieldOf(cause, 'data')
    const status = isObject(data) ? data.status : undefined
    if (typeof status === 'number') return status
    const told = /\(HTTP (\d{3})\)|Non-200 status code \((\d{3})\)|status (?:code )?(\d{3})\b/.exec(cause.message)
    if (told) return Number(told[1] ?? told[2] ?? told[3])
  }
  return undefined
}

/** The system's own word, such as ECONNREFUSED, from however deep inside. */
function systemCode(error: unknown): string | undefined {
  for (let cause = error, depth = 0; isError(cause) && depth < 5; cause = cause.cause, depth++) {
    const code = fieldOf(cause, 'code')
    if (typeof code === 'string' && /^(E[A-Z]+|UND_ERR_\w+)$/.test(code)) return code
    const told = /\b(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ETIMEDOUT)\b/.exec(cause.message)
    if (told?.[1]) return told[1]
  }
  return undefined
}

function isUnauthorized(error: unknown): boolean {
  for (let cause = error, depth = 0; isError(cause) && depth < 5; cause = cause.cause, depth++) {
    if (cause.name === 'UnauthorizedError') return true
  }
  return false
}

function isError(value: unknown): value is Error {
  return value instanceof Error
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}
