// A connection of its own for each client, where a server is set to `"connection": "per-client"`: what it remembers of one client,
// and what it asks, never reaches another.

import type { ClientCapabilities } from '@modelcontextprotocol/client'
import type { AskedClient } from '../model/client.ts'
import { Server } from './server.ts'
import type { McpSettings } from './settings.ts'

/** A client that says nothing for so long is taken to be gone: those of the newest revision never say goodbye. */
const idleMs = 600_000
/** Each may be a process. */
const maxServers = 64

interface Kept {
  readonly server: Server
  timer?: NodeJS.Timeout
}

export class ServersOfClients {
  readonly #name: string
  readonly #settings: McpSettings
  readonly #kept = new Map<string, Kept>()

  constructor(name: string, settings: McpSettings) {
    this.#name = name
    this.#settings = settings
  }

  /** The client's own server; undefined where there are too many already. */
  of(client: AskedClient): Server | undefined {
    const known = this.#kept.get(client.connection)
    if (!known && this.#kept.size >= maxServers) return undefined
    const kept = known ?? this.#make(client)
    clearTimeout(kept.timer)
    kept.timer = setTimeout(() => this.#drop(client.connection), idleMs).unref()
    return kept.server
  }

  async close(): Promise<void> {
    await Promise.all([...this.#kept.keys()].map((connection) => this.#drop(connection)))
  }

  #make({ connection, capabilities, gone }: AskedClient): Kept {
    const kept = { server: new Server(this.#name, this.#settings, () => capabilities as ClientCapabilities) }
    this.#kept.set(connection, kept)
    gone.addEventListener('abort', () => void this.#drop(connection), { once: true })
    return kept
  }

  async #drop(connection: string): Promise<void> {
    const kept = this.#kept.get(connection)
    if (!kept) return
    this.#kept.delete(connection)
    clearTimeout(kept.timer)
    await kept.server.close()
  }
}
