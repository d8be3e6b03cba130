// The requests of an authorisation, which go wherever a server says. So they are bounded in time and size, go over TLS except
// to this machine, and never reach nearer than the server itself is: one on the internet cannot have us knock at the doors of
// this machine or of its network. Names are looked up for that first. Whoever answers for a name may answer otherwise a moment
// later, when the request itself is made: against that, only TLS stands.

import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { type Reach, reachOf } from '../base/host.ts'
import { isObject, parseJson } from '../base/json.ts'
import { within } from '../base/within.ts'
import { visibleText } from '../outcome/visible.ts'

type Fetch = typeof fetch
/** The addresses of a name. */
type Resolve = (name: string) => Promise<readonly string[]>

const maxBytes = 1_048_576
const timeoutMs = 15_000
const lookupMs = 5_000
const maxRedirects = 5

/** Requests to the server itself pass as they are. */
export function oauthFetch(server: string, inner: Fetch = fetch, resolve: Resolve = addressesOf): Fetch {
  const home = new URL(server)
  const refreshing = new Map<string, Promise<Response>>()
  const guarded = async (first: URL, init: RequestInit): Promise<Response> => {
    const signals = [AbortSignal.timeout(timeoutMs), init.signal].filter((signal) => signal instanceof AbortSignal)
    const options = { ...init, redirect: 'manual', signal: AbortSignal.any(signals) } as const
    let target = first
    for (let redirects = 0; ; redirects++) {
      await checkTarget(target, home, resolve)
      const response = await inner(target, options)
      const next = nextOf(target, response)
      if (!next) return bounded(target, response, init.body)
      await response.body?.cancel()
      const isReading = (init.method ?? 'GET') === 'GET'
      if (!isReading || redirects >= maxRedirects) throw new Error(`${visibleText(target.origin)} sends us elsewhere.`)
      target = next
    }
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

const nearness: { readonly [R in Reach]: number } = { internet: 0, network: 1, machine: 2 }

async function checkTarget(target: URL, home: URL, resolve: Resolve): Promise<void> {
  if (target.origin === home.origin) return
  const where = visibleText(target.origin)
  const refuse = (why: string) => new Error(`The server sends its authorisation to ${where}, ${why}.`)
  const named = reachOf(target.hostname)
  if (named === 'machine') {
    if (reachOf(home.hostname) === 'machine') return
    throw refuse('which is this machine, so it is refused')
  }
  if (target.protocol !== 'https:') throw refuse('which is not "https:", so it is refused')
  if (target.hostname.endsWith('.')) throw refuse('whose name ends in a dot, so it is refused')
  const reaches = [named, ...(await resolvedReaches(target, resolve))]
  const nearest = Math.max(...reaches.map((reach) => nearness[reach]))
  if (nearest === nearness.internet) return
  // Its own addresses count by the farthest of them: one that is near does not open what is near.
  const own = await resolvedReaches(home, resolve)
  const allowed = own.length ? Math.min(...own.map((reach) => nearness[reach])) : nearness[reachOf(home.hostname)]
  if (nearest > allowed) throw refuse('which is in a nearer network than the server itself, so it is refused')
}

/** Nothing for an address in numbers, which says it all, and for a name that is not found here: a proxy may know it. */
async function resolvedReaches({ hostname }: URL, resolve: Resolve): Promise<readonly Reach[]> {
  if (isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0) return []
  const addresses = await within(
    lookupMs,
    resolve(hostname).catch(() => []),
  )
  return (addresses ?? []).map(reachOf)
}

async function addressesOf(name: string): Promise<readonly string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address)
}

function nextOf(target: URL, { status, headers }: Response): URL | undefined {
  const location = headers.get('location')
  if (![301, 302, 303, 307, 308].includes(status) || location === null) return undefined
  return URL.canParse(location, target.href) ? new URL(location, target.href) : undefined
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
