// A document's text into its file: whole or not at all, and never over somebody else's changes.

import { randomBytes } from 'node:crypto'
import { open, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { messageOf } from '../base/json.ts'
import type { WriteFaultCode, Written } from './document.ts'

/** Writes beside the file, syncs, looks whether the file is still what was parsed, and only then puts the new one in its place. */
export async function writeDocument(path: string | undefined, before: string, make: () => string): Promise<Written> {
  if (path === undefined) return failed('no-path', 'This document is from no file. Name one: write(state, { path }).')
  const text = make()
  try {
    const file = await realpath(path)
    const { mode, uid, gid } = await stat(file)
    // Whoever may write to the folder could replace the file all the same; its owner said no.
    if ((mode & 0o222) === 0)
      return failed('read-only', `"${path}" is read-only. Make it writable, or write elsewhere.`)
    const temporary = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}`)
    try {
      await writeSynced(temporary, text, mode, { uid, gid })
      if (!(await readFile(file)).equals(Buffer.from(before))) {
        return failed('changed-on-disk', `"${path}" has changed since it was read; nothing was written. Run it again.`)
      }
      await rename(temporary, file)
    } finally {
      await rm(temporary, { force: true })
    }
    await syncFolder(dirname(file))
    return { ok: true, path, text }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      return failed('not-found', `"${path}" is not there any more; nothing was written.`)
    }
    return failed('write-failed', `"${path}" could not be written: ${messageOf(error)}`)
  }
}

async function writeSynced(
  path: string,
  text: string,
  mode: number,
  owner: { uid: number; gid: number },
): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(text)
    // Only the superuser may give a file away; for everybody else it is theirs already, or stays theirs.
    await file.chown(owner.uid, owner.gid).catch(() => {})
    await file.chmod(mode & 0o7777)
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

function failed(code: WriteFaultCode, message: string): Written {
  return { ok: false, code, message }
}
