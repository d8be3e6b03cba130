// The authorisation of one remote server, over files: uses its tokens, has them refreshed, and, where somebody is there to say
// yes, gets new ones by the authorization code flow with PKCE. The SDK does the protocol; here is what it leaves to others: the
// state, the bound on attempts, which credentials belong to which issuer, and where a browser may be sent.

import { randomBytes } from 'node:crypto'
import type { OAuthClientMetadata, OAuthClientProvider, OAuthDiscoveryState } from '@modelcontextprotocol/client'
import { type Clock, systemClock } from '../base/clock.ts'
import { isLoopback } from '../base/host.ts'
import { visibleText } from '../outcome/visible.ts'
import { oauthFetch } from './oauth-fetch.ts'
import { authorisationStore, defaultAuthorisationFolder } from './oauth-store.ts'

export interface OAuthOptions {
  /** The server's name in the configuration. */
  readonly server: string
  readonly url: string
  /** Where tokens are kept. Default: `auth` in the user's state folder. */
  readonly folder?: string | undefined
  /** A client that the owner has registered with the authorisation server. Default: one is registered when it is needed. */
  readonly client?: { readonly id: string; readonly secret?: string } | undefined
  /** The address of a client metadata document, used as the client's id where the authorisation server takes one. Default none. */
  readonly clientMetadataUrl?: string | undefined
  /** Somebody who can say yes. Default nobody: a server that needs authorisation is an error that says what to run. */
  readonly interactive?: Interactive | undefined
  /** Told of every token that comes in, so that it can be hidden. */
  readonly onSecret?: ((value: string) => void) | undefined
  readonly clock?: Pick<Clock, 'now'> | undefined
}

export interface Interactive {
  /** Where the browser comes back to. */
  readonly redirectUrl: string
  /** Sends a person to an address; the answer will carry this state. */
  readonly open: (url: URL, state: string) => void
}

export interface OAuthProvider extends OAuthClientProvider {
  /** Whether a person was sent to an authorisation server and has not come back. */
  readonly isPending: () => boolean
  /** Takes the answer that a person came back with, once its state was found to be the right one. */
  readonly finish: (answer: URLSearchParams) => Promise<void>
}

/** A server that cannot be used before a person has said yes to it. */
export class AuthorisationNeeded extends Error {
  constructor(server: string) {
    super(`The server "${server}" needs authorisation. Run: legwork auth ${server}`)
    // As the SDK calls its own: whoever connects looks for it.
    this.name = 'UnauthorizedError'
  }
}

const maxAttempts = 3

export function oauthProvider(options: OAuthOptions): OAuthProvider {
  const { server, url, client, clientMetadataUrl, interactive, onSecret, clock = systemClock } = options
  const store = authorisationStore(server, url, options.folder ?? defaultAuthorisationFolder())
  const redirectUrl = interactive?.redirectUrl ?? 'http://127.0.0.1/callback'
  const clientMetadata: OAuthClientMetadata = {
    client_name: 'Legwork',
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }
  let attempts = 0
  let issuer: string | undefined
  let question: { readonly state: string; verifier?: string; isOpen?: boolean } | undefined
  let discovery: OAuthDiscoveryState | undefined
  let finishing = false
  /** The tokens that were last tried, so that newer ones of another process are not thrown away in their place. */
  let tried: string | undefined

  /** A registered client belongs to the issuer that it was first used with: no other one gets its secret. */
  const ownersClient = ({ id, secret }: { id: string; secret?: string }, asked: string) => {
    const known = store.latest()
    const bound = known?.client?.client_id === id ? known.issuer : asked
    if (bound === asked && store.read(asked)?.client?.client_id !== id) {
      store.save(asked, { client: { client_id: id, issuer: asked } })
    }
    return { client_id: id, ...(secret !== undefined && { client_secret: secret }), issuer: bound }
  }

  const registeredClient = (asked: string) => {
    const kept = store.read(asked)?.client
    if (!interactive) return kept
    // One that was registered with another way back would be turned away.
    const ways: unknown = kept && 'redirect_uris' in kept ? kept.redirect_uris : undefined
    return Array.isArray(ways) && !ways.includes(redirectUrl) ? undefined : kept
  }

  const provider: OAuthProvider = {
    redirectUrl,
    clientMetadata,
    ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),

    clientInformation(context) {
      issuer = context?.issuer ?? issuer
      const asked = issuer ?? ''
      const found = client ? ownersClient(client, asked) : registeredClient(asked)
      if (!found && !interactive) throw new AuthorisationNeeded(server)
      return found
    },
    saveClientInformation(information, context) {
      if (client) return
      store.save(context?.issuer ?? information.issuer ?? '', { client: information })
    },

    tokens(context) {
      const kept = context ? store.read(context.issuer)?.tokens : store.latest()?.tokens
      if (context) tried = kept?.refresh_token
      return kept
    },
    saveTokens(tokens, context) {
      const { expires_in: seconds, access_token: access, refresh_token: refresh } = tokens
      const savedAt = clock.now()
      const expiresAt = seconds === undefined ? undefined : savedAt + seconds * 1_000
      for (const secret of [access, refresh]) if (secret !== undefined) onSecret?.(secret)
      store.save(context?.issuer ?? tokens.issuer ?? '', { tokens, savedAt, expiresAt, wantedScope: undefined })
    },
    invalidateCredentials(scope) {
      if (scope === 'verifier' || scope === 'discovery' || issuer === undefined) return
      const kept = store.read(issuer)
      if (!kept) return
      const isNewer = kept.tokens?.refresh_token !== tried
      if (scope !== 'client' && !isNewer) store.save(issuer, { tokens: undefined, expiresAt: undefined })
      if (scope !== 'tokens' && !client) store.save(issuer, { client: undefined })
    },

    state() {
      question = { state: randomBytes(32).toString('base64url') }
      return question.state
    },
    saveCodeVerifier(verifier) {
      if (question) question.verifier = verifier
    },
    codeVerifier() {
      if (question?.verifier === undefined) throw new Error('No authorisation is under way.')
      return question.verifier
    },
    // Kept for the way back alone: a server may name another authorisation server the next time.
    saveDiscoveryState(state) {
      discovery = state
    },
    discoveryState: () => (finishing ? discovery : undefined),

    redirectToAuthorization(address) {
      if (!interactive) {
        const wantedScope = address.searchParams.get('scope') ?? undefined
        if (issuer !== undefined && store.read(issuer)) store.save(issuer, { wantedScope })
        throw new AuthorisationNeeded(server)
      }
      if (++attempts > maxAttempts) {
        throw new Error(
          `The server "${server}" still wants authorisation after ${maxAttempts} times. Nothing more is tried.`,
        )
      }
      checkAddress(server, address)
      if (!question) return
      question.isOpen = true
      interactive.open(address, question.state)
    },

    isPending: () => question?.isOpen === true,
    async finish(answer) {
      const { auth, validateAuthorizationResponseIssuer } = await import('@modelcontextprotocol/client')
      const iss = answer.get('iss') ?? undefined
      const code = answer.get('code')
      finishing = true
      try {
        const metadata = discovery?.authorizationServerMetadata
        validateAuthorizationResponseIssuer({
          iss,
          expectedIssuer: metadata?.issuer,
          issParameterSupported: metadata?.authorization_response_iss_parameter_supported === true,
        })
        if (!code) throw new Error(refusal(server, answer))
        const given = { serverUrl: url, authorizationCode: code, fetchFn: oauthFetch(url) }
        await auth(provider, iss === undefined ? given : { ...given, iss })
      } finally {
        finishing = false
        question = undefined
      }
    },
  }
  return provider
}

/** A browser, and whatever else opens addresses on a desktop, is only sent to web pages. */
function checkAddress(server: string, address: URL): void {
  if (address.protocol === 'https:' || (address.protocol === 'http:' && isLoopback(address.hostname))) return
  const shown = visibleText(address.href).slice(0, 100)
  throw new Error(
    `The server "${server}" sends its authorisation to "${shown}", which is no "https:" page. It is refused.`,
  )
}

function refusal(server: string, answer: URLSearchParams): string {
  const error = visibleText(answer.get('error') ?? 'no code').slice(0, 100)
  return `The authorisation of "${server}" was refused (${error}). Run: legwork auth ${server}`
}
