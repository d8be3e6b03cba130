// The runs' own listener. It serves what lies below a run's capability and nothing else, because a script can ask for any path of
// the port that it may reach.

import { getPath } from 'hono/utils/url'
import { limitSpecs } from '../model/limits.ts'
import { type MakeRunDoor, maxEndBytes, type RunDoor } from '../toolscript/run-door.ts'
import { addressOf } from './address.ts'
import { createApp } from './app.ts'
import { readText } from './body.ts'
import { hashOf, isSecret, makeSecret } from './capability.ts'
import { type Check, guard, jsonContent, noBrowserPage, noUpgrade, ourHost, pathOf, plainTarget } from './guard.ts'
import { type Bounds, listen, type RequestBindings } from './listener.ts'
import { type GatewayParts, runtimeText } from './parts.ts'
import { type Refusal, refusal, refusalResponse } from './refusal.ts'
import { type AppContext, addRoutes, route } from './routes.ts'
import { RunDoorState } from './run-door-state.ts'

export interface RunDoors {
  readonly makeRunDoor: MakeRunDoor
  /** Shuts every door, and the listener. */
  readonly close: () => Promise<void>
}

export interface RunDoorsOptions {
  /** The largest input of a call, in bytes. Default 10 MiB, as the limit of the calls themselves. */
  readonly maxInputBytes?: number
  readonly bounds?: Bounds
}

const host = '127.0.0.1'
const capabilityPath = /^(\/run\/([\w-]{43}))(\/.*)$/

export async function openRunDoors(
  parts: Pick<GatewayParts, 'tools' | 'search' | 'onChange' | 'runtime'>,
  { maxInputBytes = limitSpecs.maxInputBytes.default, bounds = {} }: RunDoorsOptions = {},
): Promise<RunDoors> {
  const doors = new Map<string, { readonly hash: Buffer; readonly state: RunDoorState }>()
  const doorOf = ({ incoming }: Pick<RequestBindings, 'incoming'>): RunDoorState | undefined => {
    const [, , secret] = capabilityPath.exec(pathOf(incoming.url ?? '')) ?? []
    if (secret === undefined) return undefined
    const door = doors.get(hashOf(secret).toString('hex'))
    return door && isSecret(secret, door.hash) ? door.state : undefined
  }
  const knownDoor: Check = (incoming) => (doorOf({ incoming }) ? undefined : noDoor)

  const runtime = runtimeText(parts)
  const app = createApp((request) => getPath(request).replace(capabilityPath, '$3'))
  app.use(async (c, next) => {
    const door = doorOf(c.env)
    if (!door) return refusalResponse(noDoor)
    return door.during(next)
  })
  addRoutes(app, {
    tools: parts.tools,
    search: parts.search,
    runtime,
    maxInputBytes,
    call: (c, wire, input, options) => doorOf(c.env)?.call(wire, input, options) ?? noDoor,
  })
  const through = (c: AppContext, use: (door: RunDoorState) => Refusal | undefined): Response => {
    const door = doorOf(c.env)
    const refused = door ? use(door) : noDoor
    return refused ? refusalResponse(refused) : c.body(null, 204)
  }
  route(app, '/ready', { POST: (c) => through(c, (door) => door.ready()) })
  for (const how of ['value', 'error'] as const) {
    route(app, `/end/${how}`, {
      POST: async (c) => {
        const read = await readText(c.env.incoming, maxEndBytes)
        return read.ok ? through(c, (door) => door.end(how, read.text)) : refusalResponse(read)
      },
    })
  }

  const listener = await listen({
    host,
    port: 0,
    check: guard([plainTarget, ourHost(host), noBrowserPage, noUpgrade, knownDoor, jsonContent]),
    fetch: (request, bindings) => app.fetch(request, bindings),
    // A script that is started ahead of its time keeps its connection until it is wanted.
    bounds: { ...bounds, idleTimeoutMs: 0 },
  })

  const makeRunDoor = async (): Promise<RunDoor> => {
    const secret = makeSecret()
    const hash = hashOf(secret)
    const key = hash.toString('hex')
    const state = new RunDoorState()
    doors.set(key, { hash, state })
    return {
      url: `${addressOf(host, listener.port)}/run/${secret}`,
      host: `${host}:${listener.port}`,
      open: (service) => state.open(service),
      ready: state.isReady,
      close: () => doors.delete(key),
    }
  }
  const close = async () => {
    doors.clear()
    runtime.close()
    await listener.close()
  }
  return { makeRunDoor, close }
}

const noDoor: Refusal = refusal('not-found', 'There is nothing at that path.')
