// Gets a person's yes for a server: opens a door on this machine for the answer, sends the person to the authorisation server,
// waits, takes the tokens, and tries again what needed them.

import { type OAuthOptions, type OAuthProvider, oauthProvider } from './oauth.ts'
import { listenForCallback } from './oauth-callback.ts'
import { oauthFetch } from './oauth-fetch.ts'
import { type Authorisation, authorisationStore, defaultAuthorisationFolder } from './oauth-store.ts'

export interface AuthoriseOptions extends Omit<OAuthOptions, 'interactive'> {
  /** Shows a person an address to open. */
  readonly open: (url: URL) => void
  /** How long a person may take. Default 300 000, five minutes. */
  readonly timeoutMs?: number
  /** Gives it up. */
  readonly signal?: AbortSignal
}

/** Does some work with a server; where that turns out to need authorisation, gets it and does the work again. */
export async function withAuthorisation<T>(
  { open, timeoutMs = 300_000, signal, ...options }: AuthoriseOptions,
  work: (provider: OAuthProvider) => Promise<T>,
): Promise<T> {
  const known = authorisationStore(options.server, options.url, options.folder ?? defaultAuthorisationFolder()).latest()
  const callback = await listenForCallback(registeredPort(known))
  let answer: Promise<URLSearchParams> | undefined
  const ask = (url: URL, state: string) => {
    answer = callback.expect(state, { timeoutMs, signal })
    answer.catch(() => {})
    open(url)
  }
  const provider = oauthProvider({ ...options, interactive: { redirectUrl: callback.url, open: ask } })
  try {
    if (known?.wantedScope !== undefined) await askForMore(provider, options.url, known.wantedScope)
    for (;;) {
      try {
        if (!provider.isPending()) return await work(provider)
      } catch (error) {
        if (!provider.isPending()) throw error
      }
      if (answer) await provider.finish(await answer)
    }
  } finally {
    await callback.close()
  }
}

/** The tokens work, but not for all that a server wanted: so they are asked for anew. */
async function askForMore(provider: OAuthProvider, url: string, scope: string): Promise<void> {
  const { auth } = await import('@modelcontextprotocol/client')
  await auth(provider, { serverUrl: url, scope, forceReauthorization: true, fetchFn: oauthFetch(url) })
}

/** The same port again, where it is free, makes the same registration do. */
function registeredPort(known: Authorisation | undefined): number | undefined {
  const { client } = known ?? {}
  const ways: unknown = client && 'redirect_uris' in client ? client.redirect_uris : undefined
  const way: unknown = Array.isArray(ways) ? ways[0] : undefined
  return typeof way === 'string' && URL.canParse(way) ? Number(new URL(way).port) : undefined
}
