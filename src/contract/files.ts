// The files that a contract may touch: those inside one folder that the owner gave, by their real paths. Whoever calls these
// has asked whether it may: `file-calls.ts`.

import { constants, type Dirent } from 'node:fs'
import { open, opendir, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, matchesGlob, relative, resolve, sep } from 'node:path'
import { isObject } from '../base/json.ts'
import { makeFolder } from '../base/make-folder.ts'
import { ContractError } from './errors.ts'

export interface Files {
  /** The folder; relative paths stand in it. */
  readonly root: string
  /** Files and folders that are not there for a contract, such as the journal. Default none. */
  readonly hidden?: readonly string[]
  /** Files that may not be written, such as the configuration, whether they exist or not. Default none. */
  readonly readOnly?: readonly string[]
  /** More of them, by patterns in a folder, such as `./contracts/*.yaml`. Default none. */
  readonly readOnlyPatterns?: { readonly folder: string; readonly patterns: readonly string[] }
}

const maxFileBytes = 10 * 1_048_576
const maxEntries = 10_000

export interface ReadFile {
  readonly bytes: Buffer
  readonly modifiedAt: string
}

export async function readBytes(files: Files, path: string): Promise<ReadFile> {
  const file = await realPath(files, path)
  const handle = await opened(file, path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const { size, mtime } = await plainFile(handle, path)
    if (size > maxFileBytes) throw failed(path, `has ${size} bytes; at most ${maxFileBytes} are read`)
    return { bytes: await handle.readFile(), modifiedAt: mtime.toISOString() }
  } finally {
    await handle.close()
  }
}

export interface WriteOptions {
  readonly append: boolean
  readonly createParents: boolean
}

export async function writeBytes(
  files: Files,
  path: string,
  bytes: Buffer,
  { append, createParents }: WriteOptions,
): Promise<{ modifiedAt: string }> {
  const file = await realPath(files, path)
  if (await mayNotBeWritten(files, file)) throw refused(path, 'may not be written')
  if (createParents) {
    try {
      makeFolder(dirname(file))
    } catch (error) {
      throw failed(path, `cannot be made (${isObject(error) ? error.code : error})`)
    }
    // Somebody may have put a link in the way meanwhile.
    if ((await realPath(files, path)) !== file) throw refused(path, 'is outside the folder of this run')
  }
  const how = append ? constants.O_APPEND : 0
  const create = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const handle = await opened(file, path, create | how)
  try {
    await plainFile(handle, path)
    if (!append) await handle.truncate()
    await handle.writeFile(bytes)
    return { modifiedAt: (await handle.stat()).mtime.toISOString() }
  } finally {
    await handle.close()
  }
}

export interface Entry {
  readonly name: string
  readonly path: string
  readonly type: 'directory' | 'symlink' | 'file'
}

export interface ListOptions {
  readonly recursive: boolean
  readonly includeHidden: boolean
}

export async function listFolder(
  files: Files,
  path: string,
  { recursive, includeHidden }: ListOptions,
  signal: AbortSignal,
): Promise<readonly Entry[]> {
  const top = await realPath(files, path)
  const hidden = await realPaths(files.hidden)
  const entries: Entry[] = []
  const folders = [top]
  for (const folder of folders) {
    const found = await opendir(folder).catch((error) => {
      throw failed(path, `cannot be listed (${error.code})`)
    })
    for await (const entry of found) {
      const full = join(folder, entry.name)
      if (!includeHidden && entry.name.startsWith('.')) continue
      if (hidden.some((each) => isInside(each, full))) continue
      if (signal.aborted || entries.length >= maxEntries)
        throw failed(path, `has more than ${maxEntries} entries; no more are listed`)
      entries.push({ name: entry.name, path: join(path, relative(top, full)), type: typeOf(entry) })
      if (recursive && entry.isDirectory()) folders.push(full)
    }
  }
  return entries.sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** The real path of what is named, links followed, if it is inside the root. Its last parts may be missing. */
async function realPath(files: Files, path: string): Promise<string> {
  const root = await realpath(files.root)
  const real = await realOf(resolve(root, path))
  if (!isInside(root, real)) throw refused(path, 'is outside the folder of this run')
  if ((await realPaths(files.hidden)).some((each) => isInside(each, real))) throw failed(path, 'does not exist')
  return real
}

/** What does not exist is where its folder is. A link that leads nowhere is not followed: opening it fails. */
async function realOf(path: string): Promise<string> {
  const folder = dirname(path)
  return realpath(path).catch(async () => (folder === path ? path : join(await realOf(folder), basename(path))))
}

function realPaths(paths: readonly string[] = []): Promise<readonly string[]> {
  return Promise.all(paths.map(realOf))
}

async function mayNotBeWritten({ readOnly, readOnlyPatterns }: Files, file: string): Promise<boolean> {
  if ((await realPaths(readOnly)).some((each) => isInside(each, file))) return true
  if (!readOnlyPatterns) return false
  const { folder, patterns } = readOnlyPatterns
  const inner = relative(await realOf(folder), file)
  return patterns.some((pattern) => matchesGlob(inner, relative(folder, resolve(folder, pattern))))
}

async function opened(file: string, path: string, flags: number) {
  return open(file, flags, 0o644).catch((error) => {
    throw failed(path, error.code === 'ENOENT' ? 'does not exist' : `cannot be opened (${error.code})`)
  })
}

async function plainFile(handle: Awaited<ReturnType<typeof open>>, path: string) {
  const stats = await handle.stat()
  if (stats.isFile()) return stats
  throw failed(path, 'is not a plain file')
}

function isInside(folder: string, path: string): boolean {
  const inner = relative(folder, path)
  return inner === '' || !(inner === '..' || inner.startsWith(`..${sep}`) || isAbsolute(inner))
}

function typeOf(entry: Dirent): Entry['type'] {
  if (entry.isDirectory()) return 'directory'
  return entry.isSymbolicLink() ? 'symlink' : 'file'
}

function refused(path: string, why: string): ContractError {
  return new ContractError('denied', `"${path.slice(0, 200)}" ${why}.`)
}

function failed(path: string, why: string): ContractError {
  return new ContractError('tool-failed', `"${path.slice(0, 200)}" ${why}.`)
}
