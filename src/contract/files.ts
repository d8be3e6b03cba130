// The files that a contract may touch: those inside one folder that the owner gave, by their real paths.

import { constants, type Dirent } from 'node:fs'
import { mkdir, open, readdir, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { ContractError } from './errors.ts'

export interface Files {
  /** The folder; relative paths stand in it. */
  readonly root: string
  /** Files and folders that are not there for a contract, such as the journal. Default none. */
  readonly hidden?: readonly string[]
  /** Files that may not be written, such as the configuration. Default none. */
  readonly readOnly?: readonly string[]
}

const maxFileBytes = 10 * 1_048_576
const maxEntries = 10_000

export interface ReadFile {
  readonly bytes: Buffer
  readonly modifiedAt: string
}

export async function readBytes(files: Files | undefined, path: unknown): Promise<ReadFile> {
  const file = await realPath(files, path)
  const handle = await opened(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const { size, mtime } = await plainFile(handle, path)
    if (size > maxFileBytes) throw refused(path, `has ${size} bytes; at most ${maxFileBytes} are read`)
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
  files: Files | undefined,
  path: unknown,
  bytes: Buffer,
  { append, createParents }: WriteOptions,
): Promise<{ modifiedAt: string }> {
  const file = await realPath(files, path, createParents)
  if (files?.readOnly?.some((each) => isInside(each, file))) throw refused(path, 'may not be written')
  const how = append ? constants.O_APPEND : 0
  const create = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const handle = await opened(file, create | how)
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
  files: Files | undefined,
  path: unknown,
  { recursive, includeHidden }: ListOptions,
): Promise<readonly Entry[]> {
  const folder = await realPath(files, path)
  const found: Dirent[] = await readdir(folder, { withFileTypes: true, recursive }).catch((error) => {
    throw refused(path, `cannot be listed (${error.code})`)
  })
  const entries = found
    .map((entry) => ({ entry, inner: relative(folder, join(entry.parentPath, entry.name)) }))
    .filter(({ inner }) => includeHidden || !inner.split(sep).some((part) => part.startsWith('.')))
    .filter(({ inner }) => !files?.hidden?.some((each) => isInside(each, join(folder, inner))))
  if (entries.length > maxEntries)
    throw refused(path, `has ${entries.length} entries; at most ${maxEntries} are listed`)
  return entries
    .map(({ entry, inner }) => ({ name: entry.name, path: join(String(path), inner), type: typeOf(entry) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** The real path of what is named, if it is inside the root, links followed. Only its last part may be missing. */
async function realPath(files: Files | undefined, path: unknown, createParents = false): Promise<string> {
  if (!files) throw new ContractError('denied', 'This run has no folder of files. Give one as "root".')
  if (typeof path !== 'string' || path === '' || path.includes('\0'))
    throw new ContractError('invalid-input', 'Give a "path".')
  const root = await realpath(files.root)
  const wanted = isAbsolute(path) ? path : resolve(root, path)
  if (!isInside(root, wanted)) throw refused(path, 'is outside the folder of this run')
  if (createParents) await makeParents(root, dirname(wanted), path)
  const real = await realpath(wanted).catch(async () => join(await parentOf(wanted, path), basename(wanted)))
  if (!isInside(root, real)) throw refused(path, 'is outside the folder of this run')
  if (files.hidden?.some((each) => isInside(each, real))) throw refused(path, 'does not exist')
  return real
}

/** One after the other, so that no link on the way leads out of the root. */
async function makeParents(root: string, folder: string, path: string): Promise<void> {
  let at = root
  for (const part of relative(root, folder).split(sep).filter(Boolean)) {
    at = join(at, part)
    await mkdir(at).catch(() => {})
    if (!isInside(root, await realpath(at))) throw refused(path, 'is outside the folder of this run')
  }
}

function parentOf(file: string, path: string): Promise<string> {
  return realpath(dirname(file)).catch(() => {
    throw refused(path, 'does not exist')
  })
}

async function opened(file: string, flags: number) {
  return open(file, flags, 0o644).catch((error) => {
    throw refused(basename(file), error.code === 'ENOENT' ? 'does not exist' : `cannot be opened (${error.code})`)
  })
}

async function plainFile(handle: Awaited<ReturnType<typeof open>>, path: unknown) {
  const stats = await handle.stat()
  if (stats.isFile()) return stats
  throw refused(path, 'is not a plain file')
}

function isInside(folder: string, path: string): boolean {
  const inner = relative(folder, path)
  return inner === '' || !(inner === '..' || inner.startsWith(`..${sep}`) || isAbsolute(inner))
}

function typeOf(entry: Dirent): Entry['type'] {
  if (entry.isDirectory()) return 'directory'
  return entry.isSymbolicLink() ? 'symlink' : 'file'
}

function refused(path: unknown, why: string): ContractError {
  return new ContractError('denied', `"${String(path).slice(0, 200)}" ${why}.`)
}
