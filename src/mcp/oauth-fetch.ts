// The requests of an authorisation, which go wherever a server says. So they are bounded in time and size, go over TLS except
// to this machine, and reach this machine only for a server that is on it: no server can have us knock at our own doors.

import { isObject, parseJson } from '../base/json.ts'
import { visibleText } from '../outcome/visible.ts'

type Fetch = typeof fetch

const maxBytes = 1_048_576
const timeoutMs = 15_000

/** Requests to the server itself pass as they are. */
export function oauthFetch(server: string, inner: Fetch = fetch): Fetch {
  const home = new URL(server)
  const refreshing = new Map<string, Promise<Response>>()
  const guarded = async (target: URL, init: RequestInit): Promise<Response> => {
    checkTarget(target, home)
    const signals = [AbortSignal.timeout(timeoutMs), init.signal].filter((signal) => signal instanceof AbortSignal)
    const response = await inner(target, { ...init, signal: AbortSignal.any(signals) })
    return bounded(target, response, init.body)
  }
  return async (input, init = {}) => {
    const target = new URL(input instanceof Request ? input.url : input)
    if (target.origin === home.origin && target.pathname === home.pathname) return inner(input, init)
    // A refresh token is often good for one use: calls that find out together that theirs has ended share one refresh.
    const refresh = refreshOf(init)
    if (refresh === undefined) return guarded(target, init)
    const key = `${target} ${refresh}`
    const shared = refreshing.get(key) ?? guarded(target, init).finally(() => refreshing.delete(key))
    refreshing.set(key, shared)
    return (await shared).clone()
  }
}

export function isLoopback({ hostname }: URL): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname) || hostname.endsWith('.localhost')
}

function checkTarget(target: URL, home: URL): void {
  if (target.origin === home.origin) return
  const where = visibleText(target.origin)
  if (isLoopback(target)) {
    if (isLoopback(home)) return
    throw new Error(`The server sends its authorisation to this machine (${where}), which is refused.`)
  }
  if (target.protocol !== 'https:') {
    throw new Error(`The server sends its authorisation to ${where}, which is not "https:", so it is refused.`)
  }
}

function refreshOf({ body }: RequestInit): string | undefined {
  return body instanceof URLSearchParams ? (body.get('refresh_token') ?? undefined) : undefined
}

/** The whole answer, if it is not too large. Of an error only what the standard knows, and nothing of what was sent. */
async function bounded(target: URL, response: Response, sent: RequestInit['body']): Promise<Response> {
  const { status, statusText, headers } = response
  const text = await readText(target, response)
  const hasBody = ![101, 204, 205, 304].includes(status)
  return new Response(hasBody ? (response.ok ? text : plainError(text, sent)) : null, { status, statusText, headers })
}

async function readText(target: URL, { body }: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new Error(`${target.origin} answered with more than ${maxBytes} bytes.`)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

function plainError(text: string, sent: RequestInit['body']): string {
  const parsed = parseJson(text)
  if (!parsed.ok || !isObject(parsed.value)) return '{}'
  const { error, error_description: description } = parsed.value
  const secrets = sent instanceof URLSearchParams ? [...sent.values()].filter(({ length }) => length >= 8) : []
  const short = (value: unknown) => {
    if (typeof value !== 'string') return undefined
    const hidden = secrets.reduce((shown, secret) => shown.replaceAll(secret, '[REDACTED]'), value)
    return visibleText(hidden).slice(0, 200)
  }
  return JSON.stringify({ error: short(error), error_description: short(description) })
}
