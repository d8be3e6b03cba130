// The HTTP server that `legwork serve` starts: the catalogue and the one path for clients of this user on this machine, and, on a
// port of its own, a door for each run.

import { isLoopbackAddress } from '../base/host.ts'
import { LegworkError } from '../model/errors.ts'
import { limitSpecs } from '../model/limits.ts'
import type { MakeRunDoor } from '../toolscript/run-door.ts'
import { addressOf, listenHost } from './address.ts'
import { hashOf, isSecret, makeSecret } from './capability.ts'
import { addClientRuns } from './client-runs.ts'
import { type Check, guard, jsonContent, noForeignPage, noUpgrade, ourHost, pathOf, plainTarget } from './guard.ts'
import { type Bounds, listen } from './listener.ts'
import { addMcp } from './mcp-routes.ts'
import { type GatewayParts, runtimeText } from './parts.ts'
import { refusal } from './refusal.ts'
import { Router } from './router.ts'
import { addRoutes } from './routes.ts'
import { openRunDoors } from './run-doors.ts'
import { checkToken, removeGatewayFile, stateFolder, writeGatewayFile } from './token-file.ts'

export interface GatewayOptions {
  /** Where to listen. Default 127.0.0.1; anything but loopback needs a `token`. */
  readonly host?: string
  /** Default 0: any free one. */
  readonly port?: number
  /** The secret that clients show. Default: 32 random bytes, told to this user's clients by a file. */
  readonly token?: string | undefined
  /** Where that file is kept. Default: the user's state folder. */
  readonly folder?: string
  /** The workspace that the file names, so that clients find the gateway of a folder. Default: none. */
  readonly workspace?: string
  /** The largest input of a call, in bytes. Default 10 MiB. */
  readonly maxInputBytes?: number
  readonly bounds?: Bounds
}

export interface Gateway {
  /** `http://127.0.0.1:PORT`: what `TOOLSCRIPT_GATEWAY_URL` is outside a run. */
  readonly url: string
  /** The file that holds the token, for clients of this user. */
  readonly tokenFile: string
  readonly makeRunDoor: MakeRunDoor
  /** Takes no more requests, cancels those that run, and leaves no port and no file behind. */
  readonly stop: () => Promise<void>
}

export async function createGateway(parts: GatewayParts, options: GatewayOptions = {}): Promise<Gateway> {
  const { port = 0, folder = stateFolder(), maxInputBytes = limitSpecs.maxInputBytes.default, bounds = {} } = options
  const { workspace } = options
  const host = listenHost(options.host ?? '127.0.0.1')
  const token = tokenFor(host, options.token)
  await using opened = new AsyncDisposableStack()
  const doors = await openRunDoors(parts, { maxInputBytes, bounds })
  opened.defer(doors.close)
  const runtime = runtimeText(parts)
  opened.defer(runtime.close)

  const router = new Router()
  addRoutes(router, {
    tools: parts.tools,
    search: parts.search,
    runtime,
    maxInputBytes,
    call: (_, tool, input, options) => parts.execute({ ...options, tool, input, caller: { front: 'gateway' } }),
  })
  opened.defer(addClientRuns(router, parts, doors.makeRunDoor))
  const closeMcp = addMcp(router, parts, maxInputBytes)

  const listener = await listen({
    host,
    port,
    check: guard([plainTarget, ourHost(host), noForeignPage(host), noUpgrade, hasToken(token), jsonContent]),
    answer: (exchange) => router.answer(exchange),
    bounds,
  })
  opened.defer(listener.close)
  // First of all, because its streams would stay open for as long as they may.
  opened.defer(closeMcp)
  const url = addressOf(host, listener.port)
  const tokenFile = writeGatewayFile(folder, { address: url, pid: process.pid, token, ...(workspace && { workspace }) })
  opened.defer(() => removeGatewayFile(tokenFile, token))

  // What is open when something above fails is closed again; here it stays.
  const kept = opened.move()
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= kept.disposeAsync()
    return stopped
  }
  return { url, tokenFile, makeRunDoor: doors.makeRunDoor, stop }
}

function tokenFor(host: string, given: string | undefined): string {
  if (given !== undefined) return checkToken(given, "The gateway's token")
  if (isLoopbackAddress(host)) return makeSecret()
  throw new LegworkError(
    'invalid-configuration',
    `The gateway does not listen on "${host}" without a token of your own: whoever reaches it could call every tool. Give one with --token-file, or leave --host out.`,
  )
}

/** Everything but the sign of life needs the token, in the one header that no page and no log has. */
function hasToken(token: string): Check {
  const hash = hashOf(token)
  return ({ url = '', method, headers }) => {
    if (pathOf(url) === '/health' && (method === 'GET' || method === 'HEAD')) return undefined
    const [, given] = /^Bearer ([^\s]+)$/i.exec(headers.authorization ?? '') ?? []
    if (given !== undefined && isSecret(given, hash)) return undefined
    const message = 'The request needs the header "Authorization: Bearer TOKEN", with the token of this gateway.'
    return refusal('unauthorized', message, { 'www-authenticate': 'Bearer' })
  }
}
