// `legwork serve`: the gateway, until a signal ends it, or with --stdio the MCP server for the client that started this command.

import { closeSync, fstatSync, openSync } from 'node:fs'
import { Socket } from 'node:net'
import { resolve } from 'node:path'
import { Writable } from 'node:stream'
import { findConfiguration } from '../configuration/find.ts'
import type { GatewayOptions } from '../gateway/gateway.ts'
import { checkToken, readTokenFile, tokenVariable } from '../gateway/token-file.ts'
import type { Legwork } from '../legwork.ts'
import { nestingFault, nestingVariable } from '../mcp/nesting.ts'
import { ConfigurationError } from '../model/errors.ts'
import { withLegwork } from './open.ts'
import { print, printJson } from './print.ts'
import type { Globals } from './program.ts'
import { withProgress } from './progress.ts'
import { UsageError } from './usage.ts'

export interface ServeOptions extends Globals {
  readonly port?: number
  readonly host?: string
  readonly tokenFile?: string
  readonly stdio?: boolean
}

export async function serveVerb(options: ServeOptions): Promise<number> {
  if (options.stdio) return serveStdio(options)
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

/** Ends when the client does. Standard output is the client's alone: whatever else is printed goes to standard error. */
async function serveStdio(options: ServeOptions): Promise<number> {
  const { port, host, tokenFile, json } = options
  if (port !== undefined || host !== undefined || tokenFile !== undefined || json) {
    throw new UsageError(
      '"serve --stdio" has no address, no token and no --json: it speaks to the client that started it.',
    )
  }
  const configuration = options.config === undefined ? findConfiguration(process.cwd()) : resolve(options.config)
  const fault = nestingFault(configuration, process.env[nestingVariable])
  if (fault) throw new ConfigurationError(configuration, [{ path: 'mcpServers', message: fault }])
  const output = takeStdout()
  let isOver = false
  const exitCode = await withLegwork(options, async (legwork, signal) => {
    await legwork.mcp({ input: process.stdin, output, signal })
    isOver = true
    return 0
  })
  return isOver ? 0 : exitCode
}

/**
 * Standard output for whoever calls this; everybody else writes to standard error from now on. Where the client gave us a pipe, that
 * holds for the descriptor itself, and so for whoever writes past `process.stdout` and for what is started with our descriptors. A
 * socket cannot be opened a second time: there it holds for `process.stdout` and the console alone.
 */
function takeStdout(): Writable {
  const moved = moveDescriptor()
  if (moved !== undefined) return new Socket({ fd: moved, readable: false, writable: true })
  const { stdout, stderr } = process
  const write = stdout.write.bind(stdout)
  stdout.write = stderr.write.bind(stderr)
  const output = new Writable({ write: (chunk: Buffer, _, done) => void write(chunk, done) })
  stdout.on('error', (error) => output.destroy(error))
  return output
}

/** Makes descriptor 1 another name of standard error, and gives back what it was before; undefined where that cannot be. */
function moveDescriptor(): number | undefined {
  if (!fstatSync(1).isFIFO()) return undefined
  try {
    const kept = openSync('/dev/fd/1', 'w')
    closeSync(1)
    // The lowest number that is free is given out first.
    openStandardError()
    return kept
  } catch {
    return undefined
  }
}

/** Where it cannot be opened again, what others write is dropped rather than sent to the client. */
function openStandardError(): number {
  try {
    return openSync('/dev/fd/2', 'a')
  } catch {
    return openSync('/dev/null', 'w')
  }
}

async function serve(legwork: Legwork, options: GatewayOptions, globals: Globals, signal: AbortSignal): Promise<void> {
  const { json } = globals
  const gateway = await withProgress('Starting the gateway', globals, () =>
    legwork.gateway({ ...options, workspace: legwork.workspace }),
  )
  const { url, tokenFile } = gateway
  if (json) printJson({ ok: true, address: url, tokenFile, pid: process.pid })
  else {
    print(`Legwork listens at ${url}; its token is in ${tokenFile}. Ctrl-C stops it.`)
    print(`export TOOLSCRIPT_GATEWAY_URL=${url}`)
  }
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  await withProgress('Stopping the gateway', globals, () => gateway.stop())
}

/** A token of the owner's own comes from a file or a variable, never from the command line, which everybody can read. */
function readOptions({ port, host, tokenFile }: ServeOptions): GatewayOptions {
  if (port !== undefined && port > 65_535) throw new UsageError(`"${port}" is no port. Ports go from 0 to 65535.`)
  const variable = process.env[tokenVariable]
  const token = tokenFile ? readTokenFile(tokenFile) : variable ? checkToken(variable, tokenVariable) : undefined
  return { ...(port !== undefined && { port }), ...(host !== undefined && { host }), token }
}
