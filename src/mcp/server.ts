// One server as something that can be called: it is connected when it is first needed, and again after it was lost, with a
// longer pause each time it fails in a row.

import { setTimeout as sleep } from 'node:timers/promises'
import type { ClientCapabilities } from '@modelcontextprotocol/client'
import { messageOf } from '../base/json.ts'
import type { Ran, RunContext } from '../model/tool.ts'
import { visibleText } from '../outcome/visible.ts'
import { type Change, connect } from './connect.ts'
import type { CallEnd, Connection, Input } from './connection.ts'
import { ConnectionError } from './failure.ts'
import { asItIs, type Hide, hideInItems, hideInTools } from './hide.ts'
import type { Item, ItemKind } from './items.ts'
import type { Listed, ListedTool } from './list.ts'
import { plainly } from './pins-difference.ts'
import { pinHash } from './pins-entry.ts'
import { defaultBounds, type McpBounds, type McpSettings } from './settings.ts'
import { pinned } from './tools.ts'

/** Once lost, it is started again at once; only after that is there a pause. */
const shortestPauseMs = 250
const longestPauseMs = 30_000
/** A pause of so long is sat out by whoever calls; on a longer one the call fails. */
const bearablePauseMs = 1_000
/** Servers that change all the time are listed once in so long. */
const changesMs = 1_000
/** A connection that has held for so long proves that the server works. */
const steadyMs = 30_000

export class Server {
  readonly #name: string
  readonly #settings: McpSettings
  readonly #bounds: McpBounds
  readonly #ending = new AbortController()
  readonly #capabilities: () => ClientCapabilities
  readonly #subscribed = new Map<string, Promise<() => Promise<void>>>()
  readonly #listeners = new Set<(change: Change) => void>()
  #telling: NodeJS.Timeout | undefined
  #toldAt = Number.NEGATIVE_INFINITY
  #current: Promise<Connection> | undefined
  /** How often it has said that its tools changed. */
  #changes = 0
  #listing: Listing | undefined
  #connections = 0
  #failures = 0
  #retryAt = Number.NEGATIVE_INFINITY
  #lastFault = ''
  #isLegacy = false

  /** `capabilities` says what it may ask back when it is connected. */
  constructor(name: string, settings: McpSettings, capabilities: () => ClientCapabilities = () => ({})) {
    this.#name = name
    this.#capabilities = capabilities
    this.#settings = settings
    this.#bounds = { ...defaultBounds, ...settings.bounds }
  }

  /** Calls the listener whenever something of it may have changed, until the returned function is called. */
  watch(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async list(): Promise<Listed> {
    const connection = await this.#connection()
    // One that a call has just asked for serves the catalogue as well.
    const known = this.#fresh(connection)
    const listing = known && !known.isTaken ? known : this.#list(connection)
    listing.isTaken = true
    return listing.listed
  }

  async items(kind: ItemKind): Promise<readonly Item[]> {
    const connection = await this.#connection()
    return hideInItems(await connection.items(kind, this.#bounds), this.#hide)
  }

  /** Nothing runs that is not, now, what was decided on: a server that was started anew, or that has changed, is listed first. */
  call(tool: ListedTool, input: Input, context: RunContext): Promise<Ran> {
    const run = (connection: Connection) => connection.call(tool, input, context)
    return this.#twice(context, (connection) => {
      if (this.#isUnasked || this.#fresh(connection)?.byName?.get(tool.name) === tool) return run(connection)
      const same = unlessAborted(this.#isSame(tool, connection), context.signal)
      return same.then((isSame) => (isSame ? run(connection) : changedSince(tool, this.#name)))
    })
  }

  /** A request other than a call, passed on as it is; the value is the answer as it came. */
  request(method: string, params: Input, context: RunContext): Promise<Ran> {
    return this.#twice(context, (connection) => connection.request(method, params, context))
  }

  async complete(params: Input, signal: AbortSignal): Promise<unknown> {
    const connection = await unlessAborted(this.#connection(), signal)
    return this.#hide(await connection.complete(params, signal))
  }

  /** Has it say when a resource changes: also after it was lost, once it is connected again. */
  async subscribe(uri: string): Promise<void> {
    if (this.#subscribed.has(uri)) return
    const subscribed = this.#connection().then((connection) => connection.subscribe(uri))
    this.#subscribed.set(uri, subscribed)
    await subscribed.catch((error: unknown) => {
      this.#subscribed.delete(uri)
      throw error
    })
  }

  async unsubscribe(uri: string): Promise<void> {
    const subscribed = this.#subscribed.get(uri)
    this.#subscribed.delete(uri)
    await subscribed?.then((end) => end()).catch(() => {})
  }

  async close(): Promise<void> {
    this.#ending.abort()
    clearTimeout(this.#telling)
    const connection = await this.#current?.catch(() => undefined)
    await connection?.leave()
  }

  /** A server that no longer knows us has not carried anything out: it is asked once more. */
  async #twice({ signal }: RunContext, use: (connection: Connection) => Promise<CallEnd>): Promise<Ran> {
    const once = async (): Promise<CallEnd> => {
      try {
        return await use(await unlessAborted(this.#connection(), signal))
      } catch (error) {
        return unusable(this.#name, messageOf(error))
      }
    }
    const first = await once()
    const second = first === 'session-lost' ? await once() : first
    return second === 'session-lost' ? unusable(this.#name, 'It does not know its own session.') : second
  }

  get #hide(): Hide {
    return this.#settings.hide ?? asItIs
  }

  /** Where nobody is asked about changes, none stands in the way. */
  get #isUnasked(): boolean {
    return this.#settings.pin === 'off' || this.#settings.pin === 'warn'
  }

  async #isSame(tool: ListedTool, connection: Connection): Promise<boolean> {
    const listing = this.#fresh(connection) ?? this.#list(connection)
    listing.byName ??= new Map((await listing.listed).tools.map((listed) => [listed.name, listed]))
    const now = listing.byName.get(tool.name)
    if (now === tool || (now && isSameTool(now, tool))) return true
    this.#tell({ list: 'tools' })
    return false
  }

  /** The list as it is known, unless it is another connection's or has changed since it was asked for. */
  #fresh(connection: Connection): Listing | undefined {
    const listing = this.#listing
    return listing?.connection === connection && listing.changes === this.#changes ? listing : undefined
  }

  #list(connection: Connection): Listing {
    const listed = connection.list(this.#bounds).then((given) => hideInTools(given, this.#hide))
    const listing: Listing = { connection, changes: this.#changes, listed, isTaken: false }
    this.#listing = listing
    listed.catch(() => {
      if (this.#listing === listing) this.#listing = undefined
    })
    return listing
  }

  #connection(): Promise<Connection> {
    if (this.#current) return this.#current
    const opening = this.#open()
    this.#current = opening
    opening.then(
      (connection) => this.#opened(connection),
      () => this.#forget(opening),
    )
    return opening
  }

  async #open(): Promise<Connection> {
    const pauseMs = this.#retryAt - performance.now()
    if (pauseMs > bearablePauseMs) {
      throw new ConnectionError(`${this.#lastFault} It is started again after ${Math.ceil(pauseMs / 1_000)} s.`)
    }
    const { signal } = this.#ending
    if (pauseMs > 0) await sleep(pauseMs, undefined, { signal })
    if (signal.aborted) throw new Error('It was closed.')
    try {
      return await connect({
        name: this.#name,
        settings: this.#settings,
        bounds: this.#bounds,
        signal,
        onChange: (change) => this.#changed(change),
        capabilities: this.#capabilities(),
        isLegacy: this.#isLegacy,
      })
    } catch (error) {
      this.#isLegacy = false
      this.#failed(messageOf(error))
      throw error
    }
  }

  #opened(connection: Connection): void {
    const current = this.#current
    const since = performance.now()
    this.#isLegacy = connection.isLegacy
    void connection.closed.then(() => {
      this.#forget(current)
      if (performance.now() - since > steadyMs) this.#failures = 0
      this.#failed(connection.fault())
    })
    // Started anew, it may be another version of itself.
    if (this.#connections++ === 0) return
    for (const list of ['tools', 'prompts', 'resources'] as const) this.#changed({ list })
    for (const uri of this.#subscribed.keys()) {
      const subscribed = connection.subscribe(uri)
      this.#subscribed.set(uri, subscribed)
      subscribed.catch(() => this.#subscribed.delete(uri))
    }
  }

  #changed(change: Change): void {
    if (this.#ending.signal.aborted) return
    if (!('list' in change) || change.list !== 'tools') {
      this.#tell(change)
      return
    }
    this.#changes++
    if (this.#telling) return
    const tell = () => {
      this.#telling = undefined
      this.#toldAt = performance.now()
      this.#tell(change)
    }
    this.#telling = setTimeout(tell, Math.max(0, this.#toldAt + changesMs - performance.now())).unref()
  }

  #tell(change: Change): void {
    for (const listener of this.#listeners) listener(change)
  }

  #forget(opening: Promise<Connection> | undefined): void {
    if (this.#current === opening) this.#current = undefined
  }

  #failed(fault: string): void {
    this.#lastFault = fault
    const pauseMs = this.#failures === 0 ? 0 : Math.min(longestPauseMs, shortestPauseMs * 2 ** (this.#failures - 1))
    this.#failures++
    this.#retryAt = performance.now() + pauseMs
  }
}

/** A list of its tools, as it was asked for on one connection. */
interface Listing {
  readonly connection: Connection
  readonly changes: number
  readonly listed: Promise<Listed>
  byName?: ReadonlyMap<string, ListedTool>
  /** Whether the catalogue has it. */
  isTaken: boolean
}

function isSameTool(one: ListedTool, other: ListedTool): boolean {
  const hash = pinHash(pinned(one))
  return hash !== undefined && hash === pinHash(pinned(other))
}

function changedSince({ name }: ListedTool, server: string): Ran {
  const what = `The tool "${plainly(name)}" of the server "${server}"`
  const message = `${what} is no longer what it was when this call was decided on, so it did not run. Call it again, to have that decided anew.`
  return { ok: false, code: 'tool-failed', message }
}

function unusable(name: string, why: string): Ran {
  return { ok: false, code: 'tool-failed', message: visibleText(`The server "${name}" cannot be used. ${why}`) }
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((settle, reject) => {
    const stop = () => reject(new Error('The call was stopped.'))
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    const done = () => signal.removeEventListener('abort', stop)
    work.then(settle, reject).finally(done)
  })
}
