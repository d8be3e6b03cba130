// What SQLite complains of, in sentences that say what to do. Its errors are told apart by `errcode`: the rest is alike.

import { messageOf } from '../base/json.ts'
import { JournalError, LegworkError } from '../model/errors.ts'

const busy = 5
const readOnly = 8
const cannotOpen = 14
/** No error of SQLite, but of the file system, or of an entry that is none. */
const fromElsewhere = -1

const sentences: { readonly [code: number]: (path: string, detail: string) => string } = {
  [busy]: (path) =>
    `The journal "${path}" is locked by another process. End the process that holds it (it may be a database viewer), then call again.`,
  [readOnly]: (path) =>
    `The journal "${path}" cannot be written: the file or its folder is read-only. Make both writable for this user, or set "journal.path" to another file.`,
  10: (path, detail) =>
    `Reading or writing the journal "${path}" failed (${detail}). Check the disk; calls run again as soon as it can be written.`,
  11: (path) => `The journal "${path}" is damaged. Move it away, with its "-wal" and "-shm" files, to begin a new one.`,
  13: (path) =>
    `The journal "${path}" cannot be written: the disk is full. Free some space; calls run again as soon as there is room.`,
  [cannotOpen]: (path) =>
    `The journal "${path}" cannot be opened. Make the file and its folder readable and writable for this user, or set "journal.path" to another file.`,
  [fromElsewhere]: (path, detail) =>
    `The journal "${path}" cannot be used: ${detail}. Make its folder writable for this user, or set "journal.path" to another file.`,
  26: (path) => `The file "${path}" is not an SQLite database. Move it away, or set "journal.path" to another file.`,
}

const unknownError = (path: string, detail: string) =>
  `The journal "${path}" cannot be used: ${detail}. Run "legwork audit verify" to see whether it is whole.`

/** Whether another process holds the file, so that it is worth trying again. */
export function isBusy(thrown: unknown): boolean {
  return primaryCode(thrown) === busy
}

/** Whether the file, or what stands beside it, is not ours to write. */
export function isUnwritable(thrown: unknown): boolean {
  const code = primaryCode(thrown)
  return code === readOnly || code === cannotOpen
}

/** Anything that went wrong with the journal, as the one error that callers know. */
export function journalError(path: string, thrown: unknown): LegworkError {
  if (thrown instanceof LegworkError) return thrown
  const detail = messageOf(thrown)
  const message = (sentences[primaryCode(thrown) ?? fromElsewhere] ?? unknownError)(path, detail)
  return new JournalError(path, message, { cause: thrown })
}

/** The low byte is the kind of error; the rest are details of it. */
function primaryCode(thrown: unknown): number | undefined {
  if (!(thrown instanceof Error) || !('errcode' in thrown) || typeof thrown.errcode !== 'number') return undefined
  return thrown.errcode & 0xff
}
