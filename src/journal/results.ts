// Results that are too long to be handed over at once, as files of this user alone beside the journal. They go when their time
// is up, the oldest first when there is no more room. Whoever knows an id may read it; ids cannot be guessed.

import { constants, type Stats } from 'node:fs'
import { lstat, open, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../base/clock.ts'
import { makeFolder } from '../base/make-folder.ts'
import { JournalError } from '../model/errors.ts'
import type { KeptResult } from '../model/large-result.ts'

type MediaType = KeptResult['mediaType']

export interface StoredResult {
  readonly id: string
  readonly mediaType: MediaType
  readonly bytes: number
}

export interface ResultBytes extends StoredResult {
  readonly part: Buffer
}

export interface ResultStore {
  /** Undefined where it is larger than all the room there is. */
  readonly put: (
    text: string,
    mediaType: MediaType,
  ) => Promise<(StoredResult & { readonly expiresAt: number }) | undefined>
  /** Undefined where there is none of that id, or no more. */
  readonly read: (id: string, offset: number, length: number) => Promise<ResultBytes | undefined>
}

export interface ResultStoreOptions {
  readonly folder: string
  readonly clock: Clock
  /** How long a result is kept, in milliseconds. Default a day. */
  readonly lifetimeMs?: number
  /** How many bytes all of them may have. Default 256 MiB. */
  readonly maxBytes?: number
}

/** How long a result is kept when nobody says. */
export const defaultLifetimeMs = 24 * 3_600_000

const extensions: { readonly [Type in MediaType]: string } = { 'application/json': 'json', 'text/plain': 'txt' }
const fileName = /^([0-9a-f-]{36})\.(json|txt)$/
const idForm = /^[0-9a-f-]{36}$/

/** Where they are, for a journal at that path. */
export function resultsFolder(journalPath: string): string {
  return `${journalPath}-results`
}

export function fileResults(options: ResultStoreOptions): ResultStore {
  const { folder, clock, lifetimeMs = defaultLifetimeMs, maxBytes = 256 * 1_048_576 } = options
  let turn: Promise<unknown> = Promise.resolve()

  const put = async (text: string, mediaType: MediaType) => {
    const bytes = Buffer.byteLength(text)
    if (bytes > maxBytes) return undefined
    await prepareFolder(folder)
    await makeRoom(bytes)
    const id = clock.id()
    const path = join(folder, `${id}.${extensions[mediaType]}`)
    await writeFile(path, text, { mode: 0o600, flag: 'wx' })
    return { id, mediaType, bytes, expiresAt: (await lstat(path)).mtimeMs + lifetimeMs }
  }
  const makeRoom = async (bytes: number) => {
    const files = await listFiles(folder)
    const old = files.toSorted((a, b) => a.stats.mtimeMs - b.stats.mtimeMs)
    let total = files.reduce((sum, { stats }) => sum + stats.size, 0)
    for (const { path, stats } of old) {
      if (total + bytes <= maxBytes && !isOver(stats)) break
      await rm(path, { force: true })
      total -= stats.size
    }
  }
  const isOver = ({ mtimeMs }: Stats) => mtimeMs + lifetimeMs <= clock.now()

  const read = async (id: string, offset: number, length: number) => {
    if (!idForm.test(id)) return undefined
    for (const mediaType of ['application/json', 'text/plain'] as const) {
      const found = await readPart(join(folder, `${id}.${extensions[mediaType]}`), offset, length)
      if (found) return isOver(found.stats) ? undefined : { id, mediaType, bytes: found.stats.size, part: found.part }
    }
    return undefined
  }

  return {
    // One after the other, so that two do not make the same room.
    put: (text, mediaType) => {
      const work = turn.then(() => put(text, mediaType))
      turn = work.catch(() => {})
      return work
    },
    read,
  }
}

/** For this user alone; what stands there already must be a folder of ours, and no link to somewhere else. */
async function prepareFolder(folder: string): Promise<void> {
  makeFolder(folder, 0o700)
  const found = await lstat(folder)
  const isOurs = process.geteuid === undefined || found.uid === process.geteuid()
  if (found.isDirectory() && isOurs && !(found.mode & 0o022)) return
  throw new JournalError(folder, `The folder "${folder}" is not this user's alone. Remove it: it is made again.`)
}

async function listFiles(folder: string): Promise<readonly { readonly path: string; readonly stats: Stats }[]> {
  const names = (await readdir(folder)).filter((name) => fileName.test(name))
  const found = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name)
      // Another process may remove it at this moment.
      const stats = await lstat(path).catch(() => undefined)
      return stats ? [{ path, stats }] : []
    }),
  )
  return found.flat()
}

async function readPart(path: string, offset: number, length: number) {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => undefined)
  if (!file) return undefined
  try {
    const stats = await file.stat()
    const part = Buffer.alloc(Math.max(0, Math.min(length, stats.size - offset)))
    const { bytesRead } = await file.read(part, 0, part.length, offset)
    return { stats, part: part.subarray(0, bytesRead) }
  } finally {
    await file.close()
  }
}
