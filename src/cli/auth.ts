// `legwork auth`: which servers want authorisation and have it; gets it for one; forgets it.

import { messageOf } from '../base/json.ts'
import { didYouMean, nearest } from '../base/text.ts'
import type { LoadedConfiguration } from '../configuration/load.ts'
import { withAuthorisation } from '../mcp/oauth-authorise.ts'
import { type AuthorisationStatus, authorisationStatus, hasAuthorisationHeader } from '../mcp/oauth-status.ts'
import { authorisationStore, defaultAuthorisationFolder } from '../mcp/oauth-store.ts'
import { Server } from '../mcp/server.ts'
import type { AddressPlace } from '../mcp/settings.ts'
import { endAllChildren } from '../run/children.ts'
import { findProgram } from '../run/lookup.ts'
import { runProcess } from '../run/process.ts'
import { mcpSettings, oauthClient } from '../server-sources.ts'
import { readConfiguration } from '../settings.ts'
import { columns, paint, print, printAside, printJson, printPainted } from './print.ts'
import type { Globals } from './program.ts'
import { type Say, withProgress } from './progress.ts'
import { UsageError } from './usage.ts'

interface AuthOptions extends Globals {
  /** Delete the tokens instead. Default false. */
  readonly forget?: boolean
}

export async function authVerb(name: string | undefined, options: AuthOptions): Promise<number> {
  const loaded = await readConfiguration(options.config)
  if (name === undefined) {
    if (options.forget) throw new UsageError('Name the server to forget: legwork auth SERVER --forget.')
    return showAll(loaded, options)
  }
  const place = placeOf(name, loaded)
  return options.forget ? forget(name, place, options) : authorise(name, place, loaded, options)
}

const colours = {
  authorised: 'green',
  'not-needed': 'green',
  header: 'green',
  expired: 'yellow',
  needed: 'yellow',
  unreachable: 'red',
  unusable: 'red',
} as const

async function showAll(loaded: LoadedConfiguration, options: AuthOptions): Promise<number> {
  const statuses = await withProgress('Asking the servers', options, () =>
    Promise.all(remoteServers(loaded).map(([name, place]) => authorisationStatus(name, place))),
  )
  if (options.json) printJson(statuses)
  else if (statuses.length === 0) print('No server in the configuration has a "url", so none needs authorisation.')
  else for (const line of statusLines(statuses)) printPainted(line)
  return 0
}

function statusLines(statuses: readonly AuthorisationStatus[]): string[] {
  const rows = columns(statuses.map(({ server, message }) => [server, message]))
  return rows.map((row, at) => paint(colours[statuses[at]?.status ?? 'unusable'], row))
}

function forget(name: string, { url }: AddressPlace, { json }: AuthOptions): number {
  const forgotten = authorisationStore(name, url, defaultAuthorisationFolder()).forget()
  if (json) printJson({ ok: true, server: name, forgotten })
  else print(forgotten ? `The tokens of "${name}" are deleted.` : `There were no tokens of "${name}".`)
  return 0
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Speaks to the server as an ordinary run does, with a person there to say yes. */
async function authorise(
  name: string,
  place: AddressPlace,
  loaded: LoadedConfiguration,
  options: AuthOptions,
): Promise<number> {
  const { json } = options
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  for (const signal of signals) process.on(signal, stop)
  const getToken = async (say: Say) => {
    const open = (url: URL) => {
      printAside(`To authorise "${name}", open this address in a browser:\n\n${url.href}\n`)
      openBrowser(url, stopping.signal)
      say('Waiting for a yes in the browser')
    }
    await withAuthorisation(
      { server: name, url: place.url, ...oauthClient(name, loaded), open, signal: stopping.signal },
      async (provider) => {
        const server = new Server(name, { ...mcpSettings(name, loaded), authProvider: () => provider })
        const close = () => server.close()
        stopping.signal.addEventListener('abort', close, { once: true })
        await server.list().finally(close)
      },
    )
    return authorisationStatus(name, place)
  }
  try {
    const status = await withProgress(`Asking ${name}`, options, getToken)
    if (json) printJson({ ok: true, ...status })
    else print(`"${name}" ${status.message}.`)
    return 0
  } catch (error) {
    const message = `"${name}" is not authorised. ${messageOf(error)}`
    if (json) printJson({ ok: false, server: name, message })
    else printAside(message)
    return stopping.signal.aborted ? 130 : 1
  } finally {
    stop()
    for (const signal of signals) process.off(signal, stop)
    await endAllChildren()
  }
}

/** What a desktop needs to find its browser. */
const desktopVariables = [
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
  'XDG_RUNTIME_DIR',
  'DBUS_SESSION_BUS_ADDRESS',
  'BROWSER',
]

/** Where there is a terminal, and so perhaps a desktop. The address is printed anyway. */
function openBrowser(url: URL, signal: AbortSignal): void {
  const opener = process.platform === 'darwin' ? 'open' : 'xdg-open'
  if (!process.stderr.isTTY || !findProgram(opener, process.cwd(), process.env.PATH).ok) return
  const known = desktopVariables.flatMap((name) => (process.env[name] ? [[name, process.env[name]] as const] : []))
  const env = Object.fromEntries(known)
  const request = { argv: [opener, url.href], cwd: process.cwd(), env, maxOutputBytes: 1_024, signal }
  runProcess({ ...request, confine: 'off' }).catch(() => {})
}

function remoteServers({ configuration }: LoadedConfiguration): [string, AddressPlace][] {
  return Object.entries(configuration.mcpServers ?? {}).flatMap(([name, { url, headers }]) =>
    url === undefined ? [] : [[name, { url, headers }] as [string, AddressPlace]],
  )
}

function placeOf(name: string, loaded: LoadedConfiguration): AddressPlace {
  const remote = remoteServers(loaded)
  const place = remote.find(([server]) => server === name)?.[1]
  if (!place) {
    if (Object.hasOwn(loaded.configuration.mcpServers ?? {}, name)) {
      throw new UsageError(`The server "${name}" has no "url": a program that is started needs no authorisation.`)
    }
    const hint = didYouMean(
      nearest(
        name,
        remote.map(([server]) => server),
      ),
    )
    throw new UsageError(`There is no server "${name}" in the configuration.${hint}`)
  }
  if (hasAuthorisationHeader(place)) {
    throw new UsageError(
      `The server "${name}" has an Authorization header in the configuration, which is used as it is.`,
    )
  }
  return place
}
