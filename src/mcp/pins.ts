// Pins: what a server said of its tools when it was first seen is kept, and every later word of it is compared with that. A
// server could otherwise be harmless while somebody looks, and change what it tells the model afterwards.

import { messageOf } from '../base/json.ts'
import { asItIs, type Hide } from './hide.ts'
import { difference, plainly } from './pins-difference.ts'
import { entryOf, type PinEntry, pinHash } from './pins-entry.ts'
import { type PinnedServers, readPins, updatePins } from './pins-file.ts'
import type { PinnedTool, PinState, Pins } from './pins-types.ts'

/** How a server stands to its pins. */
export interface PinReport {
  readonly server: string
  readonly same: readonly string[]
  readonly changed: readonly PinChange[]
  /** Pinned, and no longer there. */
  readonly removed: readonly string[]
}

export interface PinChange {
  readonly tool: string
  readonly difference: string
}

/** How many tools of one server are pinned; any more than that ask each time. */
const maxTools = 20_000

export interface PinsPlace {
  /** The lock file, `legwork.lock` beside the configuration. */
  readonly path: string
  /** Takes secrets out of what is kept, since the file may be shared. Default: nothing is taken out. */
  readonly hide?: Hide
}

/** Pins in a lock file. While it can be neither read nor written, every tool asks. */
export function lockPins({ path, hide = asItIs }: PinsPlace): Pins {
  return {
    async check(server, tools) {
      const read = await readPins(path)
      if (!read.ok) return unpinned(tools, read.message)
      const known = read.servers.get(server)
      if (known) return statesOf(server, tools, known, { hide })
      // A server that has no tools yet is not seen yet.
      if (tools.length === 0) return new Map()
      const first = entriesOf(tools, hide)
      let pinned: ReadonlyMap<string, PinEntry> = first
      try {
        await updatePins(path, (servers) => {
          pinned = servers.get(server) ?? first
          if (pinned === first) servers.set(server, first)
        })
      } catch (error) {
        return unpinned(tools, `The tools of the server "${plainly(server)}" cannot be pinned: ${messageOf(error)}.`)
      }
      return statesOf(server, tools, pinned, { hide, unchanged: pinned === first ? 'new' : 'same' })
    },
    accept: (server, tool) => updatePins(path, (servers) => acceptTool(servers, server, tool, hide)),
  }
}

function unpinned(tools: readonly PinnedTool[], why: string): Map<string, PinState> {
  const difference = `${why} Until then, each of them asks every time.`
  return new Map(tools.map(({ name }) => [name, { state: 'changed', difference }]))
}

/** How a server's tools stand to what is pinned, with all that differs. Pins nothing. */
export async function comparePins(
  { path, hide = asItIs }: PinsPlace,
  server: string,
  tools: readonly PinnedTool[],
): Promise<PinReport> {
  const pinned = (await pinnedTools(path)).get(server) ?? new Map<string, PinEntry>()
  const today = new Set(tools.map(({ name }) => name))
  const same: string[] = []
  const changed: PinChange[] = []
  for (const [tool, state] of statesOf(server, tools, pinned, { hide, isWhole: true })) {
    if (state.state === 'changed') changed.push({ tool, difference: state.difference })
    else same.push(tool)
  }
  return { server, same, changed, removed: [...pinned.keys()].filter((tool) => !today.has(tool)) }
}

/** Takes a server's tools as they are now, or one of them; pins of tools that are gone go as well. Rejects where that fails. */
export async function acceptPins(
  { path, hide = asItIs }: PinsPlace,
  server: string,
  tools: readonly PinnedTool[],
  only?: string,
): Promise<void> {
  await updatePins(path, (servers) => {
    if (only === undefined) servers.set(server, entriesOf(tools, hide))
    else {
      const tool = tools.find(({ name }) => name === only)
      if (tool) acceptTool(servers, server, tool, hide)
      else servers.get(server)?.delete(only)
    }
  })
}

/** Everything that is pinned, by server. Rejects where it cannot be read. */
export async function pinnedTools(path: string): Promise<ReadonlyMap<string, ReadonlyMap<string, PinEntry>>> {
  const read = await readPins(path)
  if (!read.ok) throw new Error(read.message)
  return read.servers
}

function acceptTool(servers: PinnedServers, server: string, tool: PinnedTool, hide: Hide): void {
  const entry = entryOf(tool, hide)
  if (!entry) return
  const pinned = servers.get(server) ?? new Map<string, PinEntry>()
  servers.set(server, pinned.set(tool.name, entry))
}

/** Of two tools of one name the first is pinned, so that the second differs from it. */
function entriesOf(tools: readonly PinnedTool[], hide: Hide): Map<string, PinEntry> {
  const entries = new Map<string, PinEntry>()
  for (const tool of tools) {
    const entry = entries.size < maxTools && !entries.has(tool.name) ? entryOf(tool, hide) : undefined
    if (entry) entries.set(tool.name, entry)
  }
  return entries
}

function statesOf(
  server: string,
  tools: readonly PinnedTool[],
  pinned: ReadonlyMap<string, PinEntry>,
  { hide, unchanged = 'same', isWhole = false }: { hide: Hide; unchanged?: 'same' | 'new'; isWhole?: boolean },
): Map<string, PinState> {
  const states = new Map<string, PinState>()
  for (const tool of tools) {
    if (states.get(tool.name)?.state === 'changed') continue
    const before = pinned.get(tool.name)
    const isSame = before !== undefined && before.hash === pinHash(tool)
    const changed = () => explain(server, tool, before, entryOf(tool, hide, isWhole), isWhole)
    states.set(tool.name, isSame ? { state: unchanged } : { state: 'changed', difference: changed() })
  }
  return states
}

function explain(
  server: string,
  tool: PinnedTool,
  before: PinEntry | undefined,
  now: PinEntry | undefined,
  isWhole: boolean,
): string {
  const subject = `The tool "${plainly(tool.name)}" of the server "${plainly(server)}"`
  if (!now) {
    return `${subject} cannot be pinned: its name is too long, or its schema is nested too deeply. It asks each time.`
  }
  const accept = `legwork pins accept ${shellWord(server)} ${shellWord(tool.name)}`
  const next = `To see all of it: legwork pins ${shellWord(server)}\nTo accept it for good: ${accept}`
  const said = before ? 'has changed since it was pinned' : 'was not there when the server was pinned'
  return `${subject} ${said}.\n${difference(before ?? { hash: '' }, now, isWhole)}\n${next}`
}

/** A name as it can be pasted into a shell, whatever a server calls its tools. */
function shellWord(name: string): string {
  return /^\w[\w.@/-]*$/.test(name) ? name : `'${plainly(name).replaceAll("'", "'\\''")}'`
}
