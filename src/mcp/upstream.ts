// A server as a front sees it that passes on more than tools: its resources, prompts and completions. What reads them for a
// client is a call like any other, so that the policy decides on it and the journal knows of it.

import type { ClientCapabilities } from '@modelcontextprotocol/client'
import { isObject } from '../base/json.ts'
import { anySchema } from '../model/schema.ts'
import type { Ran, RunContext, ToolDefinition } from '../model/tool.ts'
import type { Change } from './connect.ts'
import type { Item, ItemKind } from './items.ts'
import { ServersOfClients } from './per-client.ts'
import { Server } from './server.ts'
import type { McpSettings } from './settings.ts'
import { placeOf } from './tools.ts'

/** What is read for a client, in the protocol's words. */
export type ReadMethod = 'resources/read' | 'prompts/get'

export interface Upstream {
  readonly name: string
  /** Whether its names are passed on as they are. */
  readonly isPlain: boolean
  /** Lets it ask back for what a client can answer. Holds from its next connection on. */
  readonly offerAnswers: () => void
  readonly items: (kind: ItemKind) => Promise<readonly Item[]>
  /** Reading from it, as a tool to be executed; the input is the request's own parameters. */
  readonly reader: (method: ReadMethod) => ToolDefinition
  /** Undefined where it completes nothing. */
  readonly complete: (params: Record<string, unknown>, signal: AbortSignal) => Promise<unknown>
  readonly subscribe: (uri: string) => Promise<void>
  readonly unsubscribe: (uri: string) => Promise<void>
  readonly onChange: (listener: (change: Change) => void) => () => void
}

/** What an older server on a connection that all clients share may ask: what names the roots of one client is not for all. */
const offered: ClientCapabilities = { elicitation: { form: {} }, sampling: {} }

export interface McpServerParts {
  readonly shared: Server
  /** The server that a call goes to: the client's own, or the one for all. */
  readonly of: (context: RunContext) => Server
  readonly upstream: Upstream
  readonly close: () => Promise<void>
}

export function serverParts(name: string, settings: McpSettings): McpServerParts {
  let isAnswered = false
  const shared = new Server(name, settings, () => (isAnswered ? offered : {}))
  const own = settings.connection === 'per-client' ? new ServersOfClients(name, settings) : undefined
  const of = ({ client }: RunContext) => (client && own?.of(client)) ?? shared
  const upstream: Upstream = {
    name,
    isPlain: settings.names === 'plain',
    offerAnswers: () => {
      isAnswered = true
    },
    items: (kind) => shared.items(kind),
    reader: (method) => reader(name, method, settings, of),
    complete: (params, signal) => shared.complete(params, signal),
    subscribe: (uri) => shared.subscribe(uri),
    unsubscribe: (uri) => shared.unsubscribe(uri),
    onChange: (listener) => shared.watch(listener),
  }
  const close = async () => void (await Promise.all([shared.close(), own?.close()]))
  return { shared, of, upstream, close }
}

const words: { readonly [Method in ReadMethod]: { readonly path: readonly string[]; readonly description: string } } = {
  'resources/read': { path: ['read', 'resource'], description: 'Reads a resource' },
  'prompts/get': { path: ['get', 'prompt'], description: 'Gets a prompt' },
}

function reader(name: string, method: ReadMethod, settings: McpSettings, of: McpServerParts['of']): ToolDefinition {
  const { path, description } = words[method]
  return {
    name: { module: name, path },
    kind: 'mcp',
    description: `${description} of the server "${name}"`,
    input: anySchema,
    // By the protocol, reading changes nothing.
    effects: { readOnly: true, destructive: false },
    trust: settings.trust ?? 'community',
    fingerprint: () => JSON.stringify(placeOf(settings)),
    run: async (input, context): Promise<Ran> => of(context).request(method, isObject(input) ? input : {}, context),
  }
}
