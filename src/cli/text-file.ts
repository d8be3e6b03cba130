// Text files as the command reads and writes them: what cannot be done is told with what would help.

import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { messageOf } from '../base/json.ts'
import { makeFolder } from '../base/make-folder.ts'
import { decodeText, replaceFile } from '../base/text-file.ts'
import { FileError } from './file-error.ts'

/** The text; undefined where there is no such file. With `maxBytes`, nothing but a plain file of at most that size is read. */
export function readTextFile(file: string, maxBytes?: number): string | undefined {
  if (!isThere(file)) return undefined
  const bytes = attempt(file, 'read', () => (maxBytes === undefined ? readFileSync(file) : readPlain(file, maxBytes)))
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    throw new FileError(`"${file}" is written in UTF-16. Save it as UTF-8, then try again.`)
  }
  const text = decodeText(bytes)
  if (text === undefined) throw new FileError(`"${file}" is not written in UTF-8. Save it as UTF-8, then try again.`)
  return text
}

/** A new file is for its owner alone; its folder is made where there is none. A file that holds anything but `before` is left alone. */
export async function replaceTextFile(file: string, text: string, before: string): Promise<void> {
  checkFolder(dirname(existsSync(file) ? realpathSync(file) : file))
  const replaced = await replaceFile(file, text, { newMode: 0o600, before })
  if (!replaced.ok) throw new FileError(replaced.message)
}

/** Throws where nothing can be put into a folder, and says which folder it is; one that is missing is made. */
export function checkFolder(folder: string): void {
  try {
    makeFolder(folder)
    accessSync(folder, constants.W_OK)
  } catch (error) {
    throw new FileError(folderFault(nearestThere(folder), error))
  }
}

function folderFault(folder: string, error: unknown): string {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    return `"${folder}" is no folder, so nothing can be put there. Move it away, then try again.`
  }
  if (codeOf(error) === 'EROFS') return `The folder "${folder}" lies on a disk that is read-only. Nothing was written.`
  if (!['EACCES', 'EPERM'].includes(codeOf(error))) return `Nothing can be put into "${folder}": ${messageOf(error)}`
  return `You may not write to the folder "${folder}". Make it writable, with "chmod u+w" where it is yours, then try again.`
}

function nearestThere(path: string): string {
  for (let here = path; ; here = dirname(here)) {
    if (here === dirname(here) || lstatSync(here, { throwIfNoEntry: false })) return here
  }
}

function isThere(file: string): boolean {
  try {
    if (statSync(file, { throwIfNoEntry: false })) return true
    if (!lstatSync(file, { throwIfNoEntry: false })) return false
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') return false
    throw new FileError(`"${file}" cannot be read: ${reasonOf(error)}`)
  }
  const target = readlinkSync(file)
  throw new FileError(`"${file}" is a link to "${target}", where nothing is. Remove the link or make that file.`)
}

/** A pipe would wait for its other end, and a device has no end. */
function readPlain(file: string, maxBytes: number): Buffer {
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const stats = fstatSync(descriptor)
    if (!stats.isFile()) throw new FileError(`"${file}" is ${kindOf(stats)}, not a file. Move it away, then try again.`)
    if (stats.size > maxBytes) {
      throw new FileError(`"${file}" has ${stats.size} bytes; at most ${maxBytes} are read. Is it the right file?`)
    }
    return readFileSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder'
  return stats.isFIFO() ? 'a pipe' : 'a device'
}

function attempt<T>(file: string, what: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof FileError) throw error
    throw new FileError(`"${file}" cannot be ${what}: ${reasonOf(error)}`)
  }
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'you may not. Give yourself the right to, with "chmod u+r" where it is yours.',
  EISDIR: 'it is a folder.',
  ELOOP: 'it is a link that leads back to itself. Remove it.',
  ENXIO: 'it is a socket. Move it away, then try again.',
}

function reasonOf(error: unknown): string {
  return reasons[codeOf(error)] ?? messageOf(error)
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
