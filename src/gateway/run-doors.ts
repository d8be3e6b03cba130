// The runs' own listener. It serves what lies below a run's capability and nothing else, because a script can ask for any path of
// the port that it may reach.

import { limitSpecs } from '../model/limits.ts'
import { type MakeRunDoor, maxEndBytes, type RunDoor } from '../toolscript/run-door.ts'
import { addressOf } from './address.ts'
import type { Answer } from './answer.ts'
import { readText } from './body.ts'
import { hashOf, isSecret, makeSecret } from './capability.ts'
import { type Check, guard, jsonContent, noBrowserPage, noUpgrade, ourHost, pathOf, plainTarget } from './guard.ts'
import { type Bounds, listen } from './listener.ts'
import { type GatewayParts, runtimeText } from './parts.ts'
import { type Refusal, refusal, refusalAnswer } from './refusal.ts'
import { type Exchange, Router } from './router.ts'
import { addRoutes } from './routes.ts'
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
  const doorOf = ({ incoming }: Pick<Exchange, 'incoming'>): RunDoorState | undefined => {
    const [, , secret] = capabilityPath.exec(pathOf(incoming.url ?? '')) ?? []
    if (secret === undefined) return undefined
    const door = doors.get(hashOf(secret).toString('hex'))
    return door && isSecret(secret, door.hash) ? door.state : undefined
  }
  const knownDoor: Check = (incoming) => (doorOf({ incoming }) ? undefined : noDoor)

  const runtime = runtimeText(parts)
  const router = new Router()
  addRoutes(router, {
    tools: parts.tools,
    search: parts.search,
    runtime,
    maxInputBytes,
    call: (exchange, wire, input, options) => doorOf(exchange)?.call(wire, input, options) ?? noDoor,
  })
  const through = (exchange: Exchange, use: (door: RunDoorState) => Refusal | undefined): Answer => {
    const door = doorOf(exchange)
    const refused = door ? use(door) : noDoor
    return refused ? refusalAnswer(refused) : { status: 204 }
  }
  router.add('/ready', { POST: (exchange) => through(exchange, (door) => door.ready()) })
  for (const how of ['value', 'error'] as const) {
    router.add(`/end/${how}`, {
      POST: async (exchange) => {
        const read = await readText(exchange.incoming, maxEndBytes)
        return read.ok ? through(exchange, (door) => door.end(how, read.text)) : refusalAnswer(read)
      },
    })
  }

  const listener = await listen({
    host,
    port: 0,
    check: guard([plainTarget, ourHost(host), noBrowserPage, noUpgrade, knownDoor, jsonContent]),
    answer: async (exchange) => {
      const path = pathOf(exchange.incoming.url ?? '').replace(capabilityPath, '$3')
      return doorOf(exchange)?.during(exchange, () => router.answer(exchange, path)) ?? refusalAnswer(noDoor)
    },
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
