// The journal's file itself: made so that nobody else can read it, refused where somebody else could change it, and
// watched, because SQLite writes on without complaint into a file that was deleted.

import { closeSync, fsyncSync, lstatSync, openSync, type Stats, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { makeFolder } from '../base/make-folder.ts'
import { JournalError } from '../model/errors.ts'

const othersMayWrite = 0o022
const anyoneMayWrite = 0o002
const sticky = 0o1000

/** Makes the file if it is missing, for this user alone, and checks that it is this user's own. */
export function prepareFile(path: string): void {
  const folder = dirname(path)
  prepareFolder(path, folder)
  checkFolder(path, folder)
  makeFile(path)
  checkFile(path, lstatSync(path))
}

/** Makes sure that a power cut does not take the new file's name away. */
export function syncFolder(path: string): void {
  const folder = openSync(dirname(path), 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

/** A file to be read may be anybody's, but must be there. */
export function checkReadable(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) throw new JournalError(path, `There is no journal at "${path}" yet: it is made by the first call.`)
  checkRegular(path, found)
}

/** Returns a check that a file of the journal is still the one that it was when the check was made. */
export function watchFile(path: string, file: string): () => void {
  const opened = statSync(file)
  return () => {
    const found = statSync(file, { throwIfNoEntry: false })
    if (found && found.ino === opened.ino && found.dev === opened.dev) return
    const what = found ? 'was replaced by another file' : 'was deleted or moved away'
    const message = `The journal's file "${file}" ${what} while it was in use, so nothing can be recorded and nothing runs. Put it back, or start again to go on with what is there now.`
    throw new JournalError(path, message)
  }
}

function prepareFolder(path: string, folder: string): void {
  const isOurs = basename(folder) === '.legwork'
  if (isOurs && lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw refused(path, 'its folder is a symbolic link', `Replace "${folder}" by a real folder`)
  }
  const made = makeFolder(folder, 0o700)
  if (made !== undefined && isOurs) writeFileSync(join(folder, '.gitignore'), '*\n', { mode: 0o600 })
}

/** Whoever may rename files in the folder may put another in the journal's place. A group is taken to be the user's own. */
export function checkFolder(path: string, folder: string): void {
  const { uid, mode } = statSync(folder)
  if (isSomeoneElse(uid) && uid !== 0) {
    throw refused(path, `its folder "${folder}" belongs to another user (id ${uid})`, 'Choose a folder of your own')
  }
  if (mode & anyoneMayWrite && !(mode & sticky)) {
    throw refused(path, `anybody may write in its folder "${folder}"`, `Run "chmod o-w '${folder}'"`)
  }
}

/**
 * Only a new file is opened here: closing a descriptor of a file that SQLite has open in this process would
 * silently release SQLite's locks on it.
 */
function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}

function checkFile(path: string, found: Stats): void {
  if (found.isSymbolicLink()) throw refused(path, 'it is a symbolic link', 'Set "journal.path" to the real file')
  checkRegular(path, found)
  if (isSomeoneElse(found.uid)) {
    throw refused(path, `it belongs to another user (id ${found.uid})`, 'Set "journal.path" to a file of your own')
  }
  if (found.mode & othersMayWrite) {
    throw refused(path, 'other users may write to it', `Run "legwork audit verify", then "chmod 600 '${path}'"`)
  }
}

function checkRegular(path: string, found: Stats): void {
  if (found.isFile()) return
  const what = found.isDirectory() ? 'a folder' : 'no regular file'
  throw refused(path, `it is ${what}`, 'Set "journal.path" to a file')
}

function isSomeoneElse(uid: number): boolean {
  return process.geteuid !== undefined && uid !== process.geteuid()
}

function refused(path: string, why: string, next: string): JournalError {
  return new JournalError(path, `The journal "${path}" is not used: ${why}. ${next}.`)
}
