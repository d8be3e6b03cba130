// The file `legwork.lock`: JSON with its keys in order, so that a change of it reads well in version control. It is changed by one
// process at a time, so that no entry of another is lost; and in its place, without being replaced: a tool that is shut in sees
// the file through a mount, which would go with the old one and leave the new one to be written by anybody.

import { randomBytes } from 'node:crypto'
import {
  accessSync,
  closeSync,
  constants,
  fsyncSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { isObject, messageOf, parseJson, toJson } from '../base/json.ts'
import { makeFolder } from '../base/make-folder.ts'
import { inTurn } from '../base/turn.ts'
import { defaultJournalPath } from '../journal/default-path.ts'
import type { PinEntry } from './pins-entry.ts'

/** Tools by name, by server. */
export type PinnedServers = Map<string, Map<string, PinEntry>>

export type ReadPins =
  | { readonly ok: true; readonly servers: PinnedServers }
  /** What is wrong, and what to do. */
  | { readonly ok: false; readonly message: string }

const formatVersion = 1
const maxBytes = 268_435_456

/** A file that is not there is an empty one. One that another process is just writing is read once it has done so. */
export async function readPins(path: string): Promise<ReadPins> {
  const read = readNow(path)
  return read.ok ? read : inTurn(turnsFile(), () => readNow(path)).catch(() => read)
}

/** Changes what the file holds now, whatever was read before. Rejects where that cannot be done. */
export async function updatePins(path: string, change: (servers: PinnedServers) => void): Promise<void> {
  await inTurn(turnsFile(), () => {
    const read = readNow(path)
    if (!read.ok) throw new Error(read.message)
    change(read.servers)
    write(path, textOf(read.servers))
  })
}

/** Makes an empty file where there is none, before anything runs that could put one of its own there. */
export function createPins(path: string): void {
  const fresh = `${path}.${randomBytes(6).toString('hex')}.new`
  try {
    if (lstatSync(path, { throwIfNoEntry: false })) return
    writeFileSync(fresh, textOf(new Map()), { flag: 'wx', mode: 0o644 })
    try {
      linkSync(fresh, path)
    } finally {
      rmSync(fresh, { force: true })
    }
  } catch {
    // There is one by now, or there can be none: then nothing can be pinned, which is told when something is to be.
  }
}

function readNow(path: string): ReadPins {
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

/** Where that fails halfway, as on a disk that is full, what was there is put back. */
function write(path: string, text: string): void {
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0), 0o644)
  try {
    const before = readFileSync(file)
    try {
      overwrite(file, Buffer.from(text))
    } catch (error) {
      overwrite(file, before)
      throw error
    }
  } finally {
    closeSync(file)
  }
}

function overwrite(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, at)
  ftruncateSync(file, bytes.length)
  fsyncSync(file)
}

/** One for all lock files of this user, where nothing that is shut in can reach it. */
function turnsFile(): string {
  const user = process.geteuid?.() ?? 'user'
  for (const folder of [dirname(defaultJournalPath()), join(tmpdir(), `legwork-${user}`)]) {
    try {
      makeFolder(folder, 0o700)
      accessSync(folder, constants.W_OK)
      return join(folder, 'pins.turns')
    } catch {
      // A home folder that cannot be written to leaves the other.
    }
  }
  throw new Error(`Neither "${dirname(defaultJournalPath())}" nor "${tmpdir()}" can be written to.`)
}
