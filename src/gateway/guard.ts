// The checks that every request passes before any handler sees it. A web page in the user's browser can reach a loopback port:
// what gives it away is the Origin, the Host that it was lured by, or a content type that needs no permission.

import type { IncomingMessage } from 'node:http'
import { meansHost } from './address.ts'
import { type Refusal, refusal } from './refusal.ts'

export type Check = (incoming: IncomingMessage) => Refusal | undefined

/** The first check that has something to say has the word. */
export function guard(checks: readonly Check[]): Check {
  return (incoming) => {
    for (const check of checks) {
      const refused = check(incoming)
      if (refused) return refused
    }
    return undefined
  }
}

/** A path as it is meant: no other server's address, nothing that climbs, nothing that two readers read in two ways. */
export const plainTarget: Check = ({ url = '' }) => {
  const path = pathOf(url)
  const read = path.startsWith('/') ? URL.parse(`http://gateway${path}`)?.pathname : undefined
  return read === path && !path.includes('//')
    ? undefined
    : refusal('bad-request', 'The request needs a plain path, such as "/tools".')
}

/** Exactly one Host, and one of ours: a name that was made to lead here is not. */
export function ourHost(host: string): Check {
  return ({ rawHeaders, socket }) => {
    const [given, ...more] = valuesOf(rawHeaders, 'host')
    if (given !== undefined && more.length === 0 && meansHost(given, host, socket.localPort)) return undefined
    return refusal('forbidden', 'The Host of the request is not the address of this gateway.')
  }
}

/** No page is served from here, so that no page has any business here, whatever its Origin. */
export const noBrowserPage: Check = ({ rawHeaders }) => {
  const sites = valuesOf(rawHeaders, 'sec-fetch-site')
  if (!hasHeader(rawHeaders, 'origin') && sites.every((site) => site === 'none')) return undefined
  return refusal('forbidden', 'The gateway does not answer web pages.')
}

/** The same, but that a client of the protocol for models may name our own address as its Origin, as some do. */
export function noForeignPage(host: string): Check {
  return (incoming) => {
    const { url = '', rawHeaders, socket } = incoming
    const [origin, ...more] = valuesOf(rawHeaders, 'origin')
    const isOurs = origin !== undefined && more.length === 0 && /^http:\/\//i.test(origin)
    if (!isOurs || !/^\/mcp(\/|$)/.test(pathOf(url)) || !meansHost(origin.slice(7), host, socket.localPort)) {
      return noBrowserPage(incoming)
    }
    const sites = valuesOf(rawHeaders, 'sec-fetch-site')
    return sites.every((site) => site === 'none') ? undefined : noBrowserPage(incoming)
  }
}

export const noUpgrade: Check = ({ headers }) => {
  if (!/\bwebsocket\b/i.test(headers.upgrade ?? '')) return undefined
  return refusal('bad-request', 'The gateway has no WebSocket. Send plain requests.')
}

/** Whatever has a body is JSON and says so. */
export const jsonContent: Check = ({ headers, rawHeaders }) => {
  const types = valuesOf(rawHeaders, 'content-type')
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0
  const isJson = types.length ? types.length === 1 && jsonType.test(types[0] ?? '') : !hasBody
  if (isJson && headers['content-encoding'] === undefined) return undefined
  return refusal('unsupported-media-type', 'The body must be plain JSON with the content type "application/json".')
}

const jsonType = /^application\/(json|vnd\.legwork\.call\+json)\s*(;\s*charset="?utf-8"?\s*)?$/i

/** The part of a request's target before its query. */
export function pathOf(url: string): string {
  const query = url.indexOf('?')
  return query < 0 ? url : url.slice(0, query)
}

function hasHeader(rawHeaders: readonly string[], name: string): boolean {
  return valuesOf(rawHeaders, name).length > 0
}

/** Every value that was sent under a name: of some headers Node keeps only the first. */
function valuesOf(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() === name) values.push(rawHeaders[at + 1] ?? '')
  }
  return values
}
