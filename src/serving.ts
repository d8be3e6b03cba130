// What serves clients outside this process: the gateway over HTTP, and the MCP server over the standard streams.

import type { Catalogue } from './catalogue/catalogue.ts'
import type { LoadedConfiguration } from './configuration/load.ts'
import type { Engine } from './engine/engine.ts'
import type { Gateway, GatewayOptions } from './gateway/gateway.ts'
import type { StdioOptions } from './gateway/mcp-stdio.ts'
import type { GatewayParts } from './gateway/parts.ts'
import type { LargeResults } from './model/large-result.ts'
import { limitSpecs } from './model/limits.ts'
import type { Source } from './model/tool.ts'
import type { Runs } from './runs.ts'
import { skillPlaces } from './sources.ts'

export interface Serving {
  /** Serves the tools over HTTP, on loopback unless told otherwise, until it is stopped or this Legwork is closed. */
  readonly gateway: (options?: GatewayOptions) => Promise<Gateway>
  /** Serves an MCP client over a pair of streams, until the client is gone. */
  readonly mcp: (options: StdioOptions) => Promise<void>
}

export interface ServingParts {
  readonly engine: Engine
  readonly catalogue: Catalogue
  readonly sources: readonly Source[]
  readonly loaded: LoadedConfiguration
  readonly results: LargeResults
  readonly script: Runs['script']
  readonly whileOpen: <T>(start: () => Promise<T>) => Promise<T>
}

/** Everything that goes on ends with `close`. */
export function createServing(given: ServingParts): Serving & { readonly close: () => Promise<void> } {
  const { loaded, whileOpen } = given
  const gateways = new Set<Gateway>()
  const ending = new AbortController()
  const maxInputBytes = loaded.configuration.limits?.maxInputBytes ?? limitSpecs.maxInputBytes.default

  const gateway: Serving['gateway'] = async (options) => {
    const { createGateway } = await import('./gateway/gateway.ts')
    const parts = await gatewayParts(given)
    const opened = await whileOpen(() => createGateway(parts, { maxInputBytes, ...options }))
    gateways.add(opened)
    if (ending.signal.aborted) await opened.stop()
    return opened
  }
  const mcp: Serving['mcp'] = async (options) => {
    const [{ serveMcp }, { version }] = await Promise.all([
      import('./gateway/mcp-stdio.ts'),
      import('./gateway/mcp-routes.ts'),
    ])
    const parts = await gatewayParts(given)
    const signal = options.signal ? AbortSignal.any([ending.signal, options.signal]) : ending.signal
    const bounds = { maxMessageBytes: maxInputBytes + envelopeBytes, version: version() }
    await whileOpen(() => serveMcp(parts, { ...options, signal }, bounds))
  }
  const close = async () => {
    ending.abort()
    await Promise.allSettled([...gateways].map((each) => each.stop()))
  }
  return { gateway, mcp, close }
}

/** What goes around the arguments of a call. */
const envelopeBytes = 65_536

async function gatewayParts(given: ServingParts): Promise<GatewayParts> {
  const { engine, catalogue, sources, loaded, results, script, whileOpen } = given
  const [{ engineParts }, { upstreamOf }, { discoverSkills }] = await Promise.all([
    import('./gateway/engine-parts.ts'),
    import('./mcp/source.ts'),
    import('./skill/discover.ts'),
  ])
  const parts = engineParts(
    {
      execute: async (call, listener) => whileOpen(() => engine.execute(call, listener)),
      executeTool: async (...call) => whileOpen(() => engine.executeTool(...call)),
    },
    catalogue,
  )
  return {
    ...parts,
    results,
    script: (source, options) => script(source, options),
    upstreams: sources.flatMap((source) => upstreamOf(source) ?? []),
    skills: () => discoverSkills(skillPlaces(loaded)).skills.map(({ skill: { name, base } }) => ({ name, base })),
    expose: loaded.configuration.serve?.expose,
  }
}
