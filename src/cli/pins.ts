// `legwork pins`: what is pinned of each server and what differs now; accepts what it says today.

import { messageOf } from '../base/json.ts'
import { count, didYouMean, nearest } from '../base/text.ts'
import type { LoadedConfiguration } from '../configuration/load.ts'
import { acceptPins, comparePins, type PinReport, type PinsPlace, pinnedTools } from '../mcp/pins.ts'
import { plainly } from '../mcp/pins-difference.ts'
import type { PinnedTool, Pins } from '../mcp/pins-types.ts'
import { mcpSource } from '../mcp/source.ts'
import { createRedactor, type Redactor } from '../outcome/redact.ts'
import { endAllChildren } from '../run/children.ts'
import { mcpSettings } from '../server-sources.ts'
import { readConfiguration, secretValues } from '../settings.ts'
import { lockFile } from '../sources.ts'
import { confirm } from './confirm.ts'
import { paint, print, printAside, printJson, printPainted } from './print.ts'
import type { Globals } from './program.ts'
import { withProgress } from './progress.ts'
import { UsageError } from './usage.ts'

type ServerReport = { readonly server: string } & (
  | ({ readonly status: 'same' | 'differs' } & Omit<PinReport, 'server'>)
  | { readonly status: 'not-pinned' | 'off' | 'unreachable' | 'not-configured'; readonly message: string }
)

/** Exits with 1 when something differs or could not be compared. */
export async function pinsVerb(name: string | undefined, options: Globals): Promise<number> {
  const loaded = await readConfiguration(options.config)
  if (name !== undefined) checkName(name, loaded)
  const names = name === undefined ? await allNames(loaded) : [name]
  const reports = await withProgress('Asking the servers', options, () =>
    Promise.all(names.map((server) => reportOn(server, loaded))),
  ).finally(() => endAllChildren())
  if (options.json) printJson(reports)
  else if (reports.length === 0) print('No server is configured, and none is pinned.')
  else for (const report of reports) printReport(report)
  return reports.some(({ status }) => status === 'differs' || status === 'unreachable') ? 1 : 0
}

export interface AcceptOptions extends Globals {
  /** Accept without being asked. Default false. */
  readonly yes?: boolean
}

/** Whoever accepts sees first what: at a terminal they are asked, elsewhere a yes has to be said. */
export async function acceptVerb(name: string, tool: string | undefined, options: AcceptOptions): Promise<number> {
  const loaded = await readConfiguration(options.config)
  checkName(name, loaded)
  const place = placeOf(loaded)
  const ask = () => toolsToday(name, loaded).finally(() => endAllChildren())
  const tools = await withProgress(`Asking ${name}`, options, ask)
  const report = await comparePins(place, name, tools)
  const names = tools.map((each) => each.name)
  if (tool !== undefined && !names.includes(tool) && !report.removed.includes(tool)) {
    throw new UsageError(`The server "${name}" has no tool "${tool}".${didYouMean(nearest(tool, names))}`)
  }
  const isChosen = (each: string) => tool === undefined || each === tool
  const changed = report.changed.filter((change) => isChosen(change.tool))
  const removed = report.removed.filter(isChosen)
  for (const { difference } of changed) printAside(`${difference}\n`)
  for (const each of removed) printAside(`The tool ${quoted(each)} is gone, and its pin goes.\n`)
  const facts = `${count(changed.length, 'tool')} of "${name}", and ${count(removed.length, 'pin')} to remove`
  if (changed.length + removed.length > 0 && !options.yes && !(await isYes(facts))) return 1
  await acceptPins(place, name, tools, tool)
  const accepted = names.filter(isChosen)
  if (options.json) printJson({ ok: true, server: name, accepted, removed, changed })
  else print(`Accepted ${count(accepted.length, 'tool')} of "${name}"; ${count(removed.length, 'pin')} removed.`)
  return 0
}

async function isYes(facts: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new UsageError('There is no terminal to ask at. Read what differs, then say yes with --yes.')
  }
  if (await confirm(`Accept ${facts}?`)) return true
  printAside('Nothing was accepted.')
  return false
}

async function reportOn(server: string, loaded: LoadedConfiguration): Promise<ServerReport> {
  const entry = configured(server, loaded)
  if (!entry) return { server, status: 'not-configured', message: 'is pinned, and not in the configuration' }
  if (entry.legwork?.pin === 'off') return { server, status: 'off', message: 'is not pinned: "pin" is "off"' }
  const place = placeOf(loaded)
  if (!(await pinnedTools(place.path)).has(server)) {
    return { server, status: 'not-pinned', message: 'is not pinned yet: it is when its tools are first listed' }
  }
  try {
    const { same, changed, removed } = await comparePins(place, server, await toolsToday(server, loaded))
    return { server, status: changed.length || removed.length ? 'differs' : 'same', same, changed, removed }
  } catch (error) {
    return { server, status: 'unreachable', message: `could not be compared. ${messageOf(error)}` }
  }
}

/** What the server says today, taken from where a run would compare it with its pins. Pins nothing. */
async function toolsToday(server: string, loaded: LoadedConfiguration): Promise<readonly PinnedTool[]> {
  let today: readonly PinnedTool[] = []
  const pins: Pins = {
    check: (_server, tools) => {
      today = tools
      return new Map()
    },
    accept: () => {},
  }
  const hide = redactorOf(loaded, false).value
  const source = mcpSource(server, { ...mcpSettings(server, loaded), pin: 'warn', pins, hide })
  try {
    await source.load()
  } finally {
    await source.close?.()
  }
  return today
}

function printReport(report: ServerReport): void {
  if ('message' in report) {
    const colour = report.status === 'unreachable' ? 'red' : 'reset'
    printPainted(paint(colour, `"${report.server}" ${report.message}`))
    return
  }
  const { server, same, changed, removed, status } = report
  const facts = [`${same.length} as pinned`, `${changed.length} changed or new`, `${removed.length} gone`].join(', ')
  printPainted(paint(status === 'same' ? 'green' : 'yellow', `"${server}": ${facts}`))
  for (const { difference } of changed) print(`\n${difference}`)
  for (const tool of removed)
    print(`\nThe tool ${quoted(tool)} is gone. Its pin goes with: legwork pins accept ${server}`)
}

const quoted = (name: string) => `"${plainly(name)}"`

function placeOf(loaded: LoadedConfiguration): PinsPlace {
  return { path: lockFile(loaded), hide: redactorOf(loaded, true).value }
}

function redactorOf(loaded: LoadedConfiguration, shapes: boolean): Redactor {
  const patterns = loaded.configuration.redact?.patterns ?? []
  return createRedactor({ values: secretValues(loaded), patterns, shapes })
}

async function allNames(loaded: LoadedConfiguration): Promise<string[]> {
  const pinned = (await pinnedTools(lockFile(loaded))).keys()
  return [...new Set([...Object.keys(loaded.configuration.mcpServers ?? {}), ...pinned])].sort()
}

function configured(name: string, { configuration: { mcpServers = {} } }: LoadedConfiguration) {
  return Object.hasOwn(mcpServers, name) ? mcpServers[name] : undefined
}

function checkName(name: string, loaded: LoadedConfiguration): void {
  if (configured(name, loaded)) return
  const names = Object.keys(loaded.configuration.mcpServers ?? {})
  throw new UsageError(`There is no server "${name}" in the configuration.${didYouMean(nearest(name, names))}`)
}
