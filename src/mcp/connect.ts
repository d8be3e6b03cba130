// Opens a connection to a server: starts its program or calls its address, in the newest way that it understands.

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import type { ClientCapabilities } from '@modelcontextprotocol/client'
import { type Channel, Connection } from './connection.ts'
import { ConnectionError, connectionError } from './failure.ts'
import { eventsTransport, type HttpTransport, streamableTransport } from './http-transport.ts'
import { nestingBelow, nestingVariable } from './nesting.ts'
import type { AddressPlace, McpBounds, McpCommonSettings, McpSettings, ProgramPlace } from './settings.ts'
import { stdioTransport } from './stdio-transport.ts'

type Sdk = typeof import('@modelcontextprotocol/client')

/** What a server says of itself at any time: a list of it is another one now, or one of its resources. */
export type Change =
  | { readonly list: 'tools' | 'prompts' | 'resources' }
  /** A resource, by its address. */
  | { readonly updated: string }

export interface ConnectRequest {
  readonly name: string
  readonly settings: McpSettings
  readonly bounds: McpBounds
  /** Ends the attempt. */
  readonly signal: AbortSignal
  /** Called when the server says that something of it changed. */
  readonly onChange: (change: Change) => void
  /** What a server of an older revision may ask back. Default nothing. */
  readonly capabilities?: ClientCapabilities
  /** Whether it is known to be of an older revision. */
  readonly isLegacy: boolean
}

/** Rejects with a `ConnectionError` that says why not; nothing is left running then. */
export async function connect(request: ConnectRequest): Promise<Connection> {
  const sdk = await import('@modelcontextprotocol/client')
  const { settings } = request
  return 'command' in settings ? connectProgram(sdk, request, settings) : connectAddress(sdk, request, settings)
}

/** A server that ends itself at the first question is started again and asked in the old way. */
async function connectProgram(
  sdk: Sdk,
  request: ConnectRequest,
  settings: ProgramPlace & McpCommonSettings,
): Promise<Connection> {
  const { isLegacy, bounds } = request
  const { probeMs, connectMs } = bounds
  const first = programChannel(sdk, settings, bounds)
  const since = performance.now()
  return open(sdk, request, first, { probeMs, isLegacy }).catch((error: unknown) => {
    const tookMs = performance.now() - since
    // One that is slow to start has not read the first question when it gets the next, and goes at it all the same.
    const wentLate = first.fault() !== undefined && tookMs >= probeMs && tookMs < connectMs
    const again = error instanceof ConnectionError && (error.isProbeTrouble || wentLate)
    if (!again || isLegacy || request.signal.aborted) throw error
    return open(sdk, request, programChannel(sdk, settings, bounds), { probeMs, isLegacy: true })
  })
}

/** A server that does not know streamable HTTP is tried with the transport from before it. */
async function connectAddress(
  sdk: Sdk,
  request: ConnectRequest,
  settings: AddressPlace & McpCommonSettings,
): Promise<Connection> {
  const { bounds, isLegacy, signal } = request
  const probing = { probeMs: bounds.connectMs, isLegacy }
  const openEvents = () => {
    const events = httpChannel(eventsTransport(sdk, settings, bounds.maxMessageBytes))
    return open(sdk, request, events, { ...probing, isLegacy: true })
  }
  if (settings.transport === 'sse') return openEvents()
  const streamable = httpChannel(streamableTransport(sdk, settings, bounds.maxMessageBytes))
  return open(sdk, request, streamable, probing).catch(async (error: unknown) => {
    if (!(error instanceof ConnectionError) || !error.isOtherTransport || signal.aborted) throw error
    return openEvents().catch(() => {
      throw error
    })
  })
}

interface Probing {
  readonly probeMs: number
  readonly isLegacy: boolean
}

async function open(
  sdk: Sdk,
  request: ConnectRequest,
  channel: Channel,
  { probeMs, isLegacy }: Probing,
): Promise<Connection> {
  const { name, bounds, signal, onChange, capabilities = {} } = request
  const watched = (list: 'tools' | 'prompts' | 'resources') => {
    return { autoRefresh: false as const, debounceMs: 0, onChanged: () => onChange({ list }) }
  }
  const client = new sdk.Client(
    { name: 'legwork', version: version() },
    {
      capabilities,
      // The client that made the call is asked, in as many rounds as it takes.
      inputRequired: { autoFulfill: false },
      versionNegotiation: { mode: 'auto', probe: { timeoutMs: probeMs } },
      listChanged: { tools: watched('tools'), prompts: watched('prompts'), resources: watched('resources') },
    },
  )
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => onChange({ updated: params.uri }))
  const connection = new Connection(sdk, client, channel, name)
  const stop = () => void connection.close()
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    stop()
  }, bounds.connectMs)
  signal.addEventListener('abort', stop, { once: true })
  try {
    const prior = isLegacy ? { prior: { kind: 'legacy' as const } } : {}
    const connected = client.connect(channel.transport, { timeout: bounds.connectMs, signal, ...prior })
    await Promise.race([connected, connection.closed.then(lost)])
    if (isLate || signal.aborted) throw new Error('Too late.')
    connection.listenToLogs()
    return connection
  } catch (error) {
    const late = new ConnectionError(lateness(bounds.connectMs, channel))
    const failure = isLate ? late : connectionError(error, channel.fault(), name)
    await connection.close()
    throw failure
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}

/** What the client says of it itself goes first. */
async function lost(): Promise<never> {
  await turn()
  throw new Error('The connection was closed.')
}

function lateness(connectMs: number, { said }: Channel): string {
  const words = said()
  const how = `It did not answer within ${connectMs / 1_000} s of its start.`
  return words ? `${how} It said: ${words}` : how
}

function programChannel(sdk: Sdk, settings: ProgramPlace & McpCommonSettings, bounds: McpBounds): Channel {
  const { command, args = [], cwd = '.', workspace, confine = 'off', hidden = [], readOnly = [] } = settings
  const env = { ...settings.env, ...nestingBelow(settings.configuration, process.env[nestingVariable]) }
  const profile = { readable: readOnly, writable: [workspace], hidden, workspace }
  const transport = stdioTransport(
    { argv: [command, ...args], env, cwd: resolve(workspace, cwd), confine, profile },
    {
      parse: sdk.deserializeMessage,
      serialize: sdk.serializeMessage,
      maxMessageBytes: bounds.maxMessageBytes,
    },
  )
  return { transport, fault: transport.fault, said: transport.said, leave: async () => {} }
}

function httpChannel({ transport, fault, leave }: HttpTransport): Channel {
  return { transport, fault, leave, said: () => '' }
}

let known: string | undefined

function version(): string {
  known ??= String(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version)
  return known
}
