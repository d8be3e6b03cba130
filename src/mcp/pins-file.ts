// The file `legwork.lock`: JSON with its keys in order, so that a change of it reads well in version control. Written whole or
// not at all, and by one process at a time, so that no entry of another is lost.

import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isObject, messageOf, parseJson, toJson } from '../base/json.ts'
import type { PinEntry } from './pins-entry.ts'

/** Tools by name, by server. */
export type PinnedServers = Map<string, Map<string, PinEntry>>

export type ReadPins =
  | { readonly ok: true; readonly servers: PinnedServers }
  /** What is wrong, and what to do. */
  | { readonly ok: false; readonly message: string }

const formatVersion = 1
const maxBytes = 268_435_456

/** A file that is not there is an empty one. */
export function readPins(path: string): ReadPins {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (!found) return { ok: true, servers: new Map() }
    if (!found.isFile()) return broken(path, 'it is no regular file')
    if (found.size > maxBytes) return broken(path, `it has ${found.size} bytes`)
    const parsed = parseJson(readFileSync(path, 'utf8'))
    if (!parsed.ok) return broken(path, parsed.message)
    const servers = serversOf(parsed.value)
    return servers ? { ok: true, servers } : broken(path, 'it is not in the form that this version writes')
  } catch (error) {
    return broken(path, messageOf(error))
  }
}

/** Changes what the file holds now, whatever was read before. Throws where that cannot be done. */
export function updatePins(path: string, change: (servers: PinnedServers) => void): void {
  const release = takeTurn(path)
  try {
    const read = readPins(path)
    if (!read.ok) throw new Error(read.message)
    change(read.servers)
    replace(path, textOf(read.servers))
  } finally {
    release()
  }
}

function broken(path: string, why: string): ReadPins {
  const next = 'Put back a good copy, for example from version control, or delete it to pin every server anew.'
  return { ok: false, message: `The pins in "${path}" cannot be read: ${why}. ${next}` }
}

function serversOf(value: unknown): PinnedServers | undefined {
  if (!isObject(value) || value.version !== formatVersion || !isObject(value.servers)) return undefined
  const servers: PinnedServers = new Map()
  for (const [server, tools] of Object.entries(value.servers)) {
    if (!isObject(tools) || !Object.values(tools).every(isEntry)) return undefined
    servers.set(server, new Map(Object.entries(tools).filter((pair): pair is [string, PinEntry] => isEntry(pair[1]))))
  }
  return servers
}

function isEntry(value: unknown): value is PinEntry {
  if (!isObject(value) || typeof value.hash !== 'string') return false
  const { description = [] } = value
  return Array.isArray(description) && description.every((line) => typeof line === 'string') && toJson(value).ok
}

/** How much text of one server's tools is kept; the tools after that have their hashes alone. */
const maxTextLength = 2_000_000

function textOf(servers: PinnedServers): string {
  const named = inOrder(servers).map(([server, tools]) => {
    let length = 0
    const entries = inOrder(tools).map(([name, entry]) => {
      length += JSON.stringify(entry).length
      return [name, length > maxTextLength ? { hash: entry.hash } : entry] as const
    })
    return [server, Object.fromEntries(entries)] as const
  })
  return `${JSON.stringify({ version: formatVersion, servers: Object.fromEntries(named) }, null, 2)}\n`
}

function inOrder<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([one], [other]) => (one < other ? -1 : 1))
}

/** A reader sees the file before or after, never half of it. Its mode stays as it was. */
function replace(path: string, text: string): void {
  const mode = lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0o644
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.new`)
  try {
    const file = openSync(temporary, 'wx', mode & 0o777)
    try {
      writeFileSync(file, text)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** A turn takes milliseconds: one that is this old was left by a process that died. */
const abandonedMs = 2_000
const patienceMs = 4_000

/** Waits until no other process is writing. Returns what ends the turn. */
function takeTurn(path: string): () => void {
  const turn = join(dirname(path), `.${basename(path)}.turn`)
  for (let waitedMs = 0; ; waitedMs += 5) {
    try {
      closeSync(openSync(turn, 'wx', 0o600))
      return () => rmSync(turn, { force: true })
    } catch (error) {
      if (!(isObject(error) && error.code === 'EEXIST')) throw error
      if (waitedMs > patienceMs)
        throw new Error(`Another process is writing "${path}". Delete "${turn}" if there is none.`)
    }
    if (ageMs(lstatSync(turn, { throwIfNoEntry: false })) > abandonedMs) rmSync(turn, { force: true })
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
  }
}

function ageMs(found: Stats | undefined): number {
  return found ? Date.now() - found.mtimeMs : 0
}
