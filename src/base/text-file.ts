// Text files, whole: only what is surely UTF-8 is read, and what is written is there whole or not at all.

import { randomBytes } from 'node:crypto'
import { lstat, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { messageOf } from './json.ts'

/** The text with its byte order mark, so that it can be written as it was; undefined when the bytes are not UTF-8. */
export function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

export interface ReplaceOptions {
  /** What the file has to hold still; a file that holds anything else is left alone. Default: it may hold anything. */
  readonly before?: string
  /** The rights of a file that is not there yet. Default: there has to be a file. */
  readonly newMode?: number
}

export type Replaced =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: ReplaceFaultCode; readonly message: string }

export type ReplaceFaultCode = 'changed-on-disk' | 'read-only' | 'not-found' | 'write-failed'

/** Writes beside the file, syncs, and only then puts the new one in its place, with the rights of the old one. A link stays a link. */
export async function replaceFile(path: string, text: string, options: ReplaceOptions = {}): Promise<Replaced> {
  const { before, newMode } = options
  try {
    const place = await placeOf(path, newMode !== undefined)
    if (!place) return failed('not-found', `"${path}" is not there any more; nothing was written.`)
    const { file, old } = place
    // Whoever may write to the folder could replace the file all the same; its owner said no.
    if (old && (old.mode & 0o222) === 0) {
      return failed('read-only', `"${path}" is read-only. Make it writable, or write elsewhere.`)
    }
    const temporary = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}`)
    try {
      await writeSynced(temporary, text, old, newMode)
      if (old && before !== undefined && !(await readFile(file)).equals(Buffer.from(before))) {
        return failed('changed-on-disk', `"${path}" has changed since it was read; nothing was written. Run it again.`)
      }
      await rename(temporary, file)
    } finally {
      await rm(temporary, { force: true })
    }
    await syncFolder(dirname(file))
    return { ok: true }
  } catch (error) {
    const message = `"${path}" could not be written: ${messageOf(error)}`
    return failed(isMissing(error) ? 'not-found' : 'write-failed', message)
  }
}

interface Rights {
  readonly mode: number
  readonly uid: number
  readonly gid: number
}

/** The file behind a path, and its rights; without those it is a new one. */
async function placeOf(path: string, mayBeNew: boolean): Promise<{ file: string; old?: Rights } | undefined> {
  try {
    const file = await realpath(path)
    return { file, old: await stat(file) }
  } catch (error) {
    if (!isMissing(error)) throw error
    const isLinkToNothing = await lstat(path).then(
      () => true,
      () => false,
    )
    if (!mayBeNew || isLinkToNothing) return undefined
    return { file: join(await realpath(dirname(path)), basename(path)) }
  }
}

async function writeSynced(path: string, text: string, old: Rights | undefined, newMode = 0o600): Promise<void> {
  const file = await open(path, 'wx', old ? 0o600 : newMode)
  try {
    await file.writeFile(text)
    if (old) {
      // Only the superuser may give a file away; for everybody else it is theirs already, or stays theirs.
      await file.chown(old.uid, old.gid).catch(() => {})
      await file.chmod(old.mode & 0o7777)
    }
    await file.sync()
  } finally {
    await file.close()
  }
}

/** So that the new name survives a power loss; some systems cannot sync a folder. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined)
  await folder?.sync().catch(() => {})
  await folder?.close()
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

function failed(code: ReplaceFaultCode, message: string): Replaced {
  return { ok: false, code, message }
}
