// `legwork serve`: the gateway, until a signal ends it.

import type { GatewayOptions } from '../gateway/gateway.ts'
import { checkToken, readTokenFile, tokenVariable } from '../gateway/token-file.ts'
import type { Legwork } from '../legwork.ts'
import { withLegwork } from './open.ts'
import { print, printJson } from './print.ts'
import type { Globals } from './program.ts'
import { UsageError } from './usage.ts'

export interface ServeOptions extends Globals {
  readonly port?: number
  readonly host?: string
  readonly tokenFile?: string
  readonly stdio?: boolean
}

export async function serveVerb(options: ServeOptions): Promise<number> {
  if (options.stdio) throw new UsageError('"serve --stdio" is not there yet. Leave --stdio out to serve over HTTP.')
  const gatewayOptions = readOptions(options)
  let hasStopped = false
  const exitCode = await withLegwork(options, async (legwork, signal) => {
    await serve(legwork, gatewayOptions, options, signal)
    hasStopped = true
    return 0
  })
  // A signal is how this command is meant to end.
  return hasStopped ? 0 : exitCode
}

async function serve(legwork: Legwork, options: GatewayOptions, { json }: Globals, signal: AbortSignal): Promise<void> {
  const gateway = await legwork.gateway(options)
  const { url, tokenFile } = gateway
  if (json) printJson({ ok: true, address: url, tokenFile, pid: process.pid })
  else {
    print(`Legwork listens at ${url}; its token is in ${tokenFile}. Ctrl-C stops it.`)
    print(`export TOOLSCRIPT_GATEWAY_URL=${url}`)
  }
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  await gateway.stop()
}

/** A token of the owner's own comes from a file or a variable, never from the command line, which everybody can read. */
function readOptions({ port, host, tokenFile }: ServeOptions): GatewayOptions {
  if (port !== undefined && port > 65_535) throw new UsageError(`"${port}" is no port. Ports go from 0 to 65535.`)
  const variable = process.env[tokenVariable]
  const token = tokenFile ? readTokenFile(tokenFile) : variable ? checkToken(variable, tokenVariable) : undefined
  return { ...(port !== undefined && { port }), ...(host !== undefined && { host }), token }
}
