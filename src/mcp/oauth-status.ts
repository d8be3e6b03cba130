// How a remote server stands: whether it wants authorisation, and whether it has it.

import { messageOf } from '../base/json.ts'
import { type Authorisation, authorisationStore, defaultAuthorisationFolder } from './oauth-store.ts'
import type { AddressPlace } from './settings.ts'

export interface AuthorisationStatus {
  readonly server: string
  readonly url: string
  readonly status: 'authorised' | 'expired' | 'needed' | 'not-needed' | 'header' | 'unreachable' | 'unusable'
  /** When the access token ends, where that is known. It is refreshed without asking where `refreshes` is true. */
  readonly until?: string
  readonly refreshes?: boolean
  readonly issuer?: string
  readonly scope?: string
  /** For a person. */
  readonly message: string
}

export interface StatusOptions {
  /** Default: `auth` in the user's state folder. */
  readonly folder?: string | undefined
  readonly now?: () => number
}

const patienceMs = 5_000

/** Only a server of which nothing is known is asked. */
export async function authorisationStatus(
  server: string,
  place: AddressPlace,
  { folder = defaultAuthorisationFolder(), now = Date.now }: StatusOptions = {},
): Promise<AuthorisationStatus> {
  const { url } = place
  const make = (status: AuthorisationStatus['status'], message: string) => ({ server, url, status, message })
  if (hasAuthorisationHeader(place)) return make('header', 'has an Authorization header in the configuration')
  try {
    const kept = authorisationStore(server, url, folder).latest()
    if (kept?.tokens) return { ...make(...stateOf(kept, now())), ...detailsOf(kept) }
  } catch (error) {
    return make('unusable', messageOf(error))
  }
  try {
    return (await wantsAuthorisation(place))
      ? make('needed', `needs authorisation: run "legwork auth ${server}"`)
      : make('not-needed', 'needs no authorisation')
  } catch (error) {
    return make(
      'unreachable',
      `could not be reached: ${messageOf(error instanceof Error ? (error.cause ?? error) : error)}`,
    )
  }
}

/** An owner who writes the header wants that to be used, and nothing else. */
export function hasAuthorisationHeader({ headers = {} }: AddressPlace): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
}

function stateOf({ tokens, expiresAt }: Authorisation, now: number): ['authorised' | 'expired', string] {
  if (expiresAt === undefined) return ['authorised', 'authorised']
  const until = new Date(expiresAt).toISOString()
  if (expiresAt > now) return ['authorised', `authorised until ${until}`]
  return tokens?.refresh_token === undefined
    ? ['expired', `was authorised until ${until}: run "legwork auth" for it again`]
    : ['authorised', `authorised; the token ended at ${until} and is refreshed when it is next used`]
}

function detailsOf({ tokens, expiresAt, issuer }: Authorisation) {
  return {
    issuer,
    refreshes: tokens?.refresh_token !== undefined,
    ...(expiresAt !== undefined && { until: new Date(expiresAt).toISOString() }),
    ...(tokens?.scope !== undefined && { scope: tokens.scope }),
  }
}

/** A request that starts nothing: a server that wants authorisation refuses it before it looks at it. */
async function wantsAuthorisation({ url, headers = {} }: AddressPlace): Promise<boolean> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
    redirect: 'manual',
    signal: AbortSignal.timeout(patienceMs),
  })
  await response.body?.cancel()
  return response.status === 401
}
