// Where tokens and client registrations are kept: one file for each server and issuer, which nobody but this user can read.
// The server's address is a part of its identity, so that a token never goes to another server of the same name.

import { hash } from 'node:crypto'
import { lstatSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { StoredOAuthClientInformation, StoredOAuthTokens } from '@modelcontextprotocol/client'
import { isObject, parseJson } from '../base/json.ts'
import { makeFolder } from '../base/make-folder.ts'
import { checkPrivate, readPrivate, writeBeside } from '../base/private-file.ts'
import { defaultJournalPath } from '../journal/default-path.ts'

/** What is kept of one issuer. */
export interface Authorisation {
  readonly server: string
  readonly url: string
  readonly issuer: string
  readonly client?: StoredOAuthClientInformation | undefined
  readonly tokens?: StoredOAuthTokens | undefined
  /** When the tokens came, and when the access token ends, in milliseconds since the epoch. */
  readonly savedAt?: number | undefined
  readonly expiresAt?: number | undefined
  /** What a server asked for that the tokens do not cover. */
  readonly wantedScope?: string | undefined
}

export interface AuthorisationStore {
  /** The one whose tokens came last; without tokens, any. */
  readonly latest: () => Authorisation | undefined
  readonly read: (issuer: string) => Authorisation | undefined
  readonly save: (issuer: string, change: Partial<Authorisation>) => void
  /** Deletes everything that is kept of the server. Says whether there was anything. */
  readonly forget: () => boolean
}

/** Where authorisations are kept when nobody says: the user's state folder. */
export function defaultAuthorisationFolder(): string {
  return join(dirname(defaultJournalPath()), 'auth')
}

export function authorisationStore(server: string, address: string, folder: string): AuthorisationStore {
  const url = new URL(address).href
  const prefix = `${server.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 40)}-${digest([server, url])}-`
  const pathOf = (issuer: string) => join(folder, `${prefix}${digest([issuer])}.json`)
  const read = (path: string) => {
    const text = readIn(folder, path)
    if (text === undefined) return undefined
    const found = authorisationOf(text)
    if (found?.server === server && found.url === url && pathOf(found.issuer) === path) return found
    throw new Error(
      `The file "${path}" holds no authorisation of "${server}". Delete it and run "legwork auth ${server}".`,
    )
  }
  const all = () => {
    const names = lstatSync(folder, { throwIfNoEntry: false }) ? readdirSync(folder) : []
    return names.filter((name) => name.startsWith(prefix) && name.endsWith('.json')).map((name) => join(folder, name))
  }
  return {
    read: (issuer) => read(pathOf(issuer)),
    latest: () =>
      all()
        .map(read)
        .filter((found) => found !== undefined)
        .sort((one, other) => (other.savedAt ?? 0) - (one.savedAt ?? 0))[0],
    save: (issuer, change) => {
      prepareFolder(folder)
      const path = pathOf(issuer)
      writeBeside(path, JSON.stringify({ ...read(path), ...change, server, url, issuer }, null, 2), 0o600)
    },
    forget: () => {
      const files = all()
      for (const file of files) rmSync(file, { force: true })
      return files.length > 0
    },
  }
}

/** Every token that is kept, for hiding it wherever it may turn up. A file that cannot be used has none. */
export function knownTokens(folder: string): string[] {
  const names = lstatSync(folder, { throwIfNoEntry: false }) ? readdirSync(folder) : []
  return names.flatMap((name) => {
    try {
      const text = name.endsWith('.json') ? readIn(folder, join(folder, name)) : undefined
      const { tokens, client } = (text !== undefined && authorisationOf(text)) || {}
      return [tokens?.access_token, tokens?.refresh_token, client?.client_secret].filter(
        (secret) => secret !== undefined,
      )
    } catch {
      return []
    }
  })
}

const digest = (parts: readonly string[]) => hash('sha256', JSON.stringify(parts)).slice(0, 16)

const maxBytes = 1_048_576

function readIn(folder: string, path: string): string | undefined {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  if (found) checkPrivate(folder, found, '700')
  return readPrivate(path, maxBytes)
}

function prepareFolder(folder: string): void {
  makeFolder(folder, 0o700)
  const found = lstatSync(folder)
  if (!found.isDirectory()) throw new Error(`"${folder}" is not used: it is no folder.`)
  checkPrivate(folder, found, '700')
}

function authorisationOf(text: string): Authorisation | undefined {
  const parsed = parseJson(text)
  if (!parsed.ok || !isObject(parsed.value)) return undefined
  const { server, url, issuer, client, tokens } = parsed.value
  const isClient = client === undefined || (isObject(client) && typeof client.client_id === 'string')
  const isTokens = tokens === undefined || (isObject(tokens) && typeof tokens.access_token === 'string')
  const isNamed = [server, url, issuer].every((name) => typeof name === 'string')
  return isNamed && isClient && isTokens ? (parsed.value as unknown as Authorisation) : undefined
}
