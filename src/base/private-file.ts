// Files that hold secrets, or that must never be seen half written.

import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs'
import { isObject } from './json.ts'

/**
 * The text of a small file that nobody but this user can have read or written; undefined where there is none. Throws a sentence
 * that says what is wrong with any other file, and what to do.
 */
export function readPrivate(path: string, maxBytes: number): string | undefined {
  let file: number
  try {
    // A link is not followed, and a FIFO not waited for.
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    if (isObject(error) && error.code === 'ENOENT') return undefined
    throw error
  }
  try {
    const found = fstatSync(file)
    if (!found.isFile() || found.size > maxBytes) throw new Error(`"${path}" is no small regular file. Delete it.`)
    checkPrivate(path, found, '600')
    return readFileSync(file, 'utf8')
  } finally {
    closeSync(file)
  }
}

/** What somebody else could have read is no secret any more, and what somebody else could have written is not ours. */
export function checkPrivate(path: string, { uid, mode }: Stats, wanted: '600' | '700'): void {
  if (isSomeoneElse(uid)) {
    throw new Error(`"${path}" is not used: it belongs to another user (id ${uid}). Delete it, or take another folder.`)
  }
  if (process.geteuid && mode & 0o077) {
    const next = `Run "chmod ${wanted} '${path}'"${wanted === '600' ? ', and use a new secret' : ''}.`
    throw new Error(`Other users may read or write "${path}", so it is not used. ${next}`)
  }
}

export function isSomeoneElse(uid: number): boolean {
  return process.geteuid !== undefined && uid !== process.geteuid()
}

/** Writes the text beside the file and renames it: a reader sees the file before or after, never half of it. */
export function writeBeside(path: string, text: string, mode: number): void {
  const fresh = `${path}.${randomBytes(6).toString('hex')}.new`
  try {
    const file = openSync(fresh, 'wx', mode)
    try {
      writeFileSync(file, text)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(fresh, path)
  } catch (error) {
    rmSync(fresh, { force: true })
    throw error
  }
}
