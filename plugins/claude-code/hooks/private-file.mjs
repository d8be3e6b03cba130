// Small JSON files in the user's state folder that nobody else may read, and that are believed only if nobody else could write them.

import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/** The folder that Legwork itself uses. */
export function stateFolder() {
  const named = process.env.XDG_STATE_HOME
  return join(named && isAbsolute(named) ? named : join(homedir(), '.local', 'state'), 'legwork')
}

/** Makes the folder where it is missing. */
export function prepareStateFolder() {
  mkdirSync(stateFolder(), { recursive: true, mode: 0o700 })
}

/** The object in a file, or undefined for a file that is missing, broken or not this user's own. */
export function readPrivate(path) {
  let descriptor
  try {
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
    const stats = fstatSync(descriptor)
    if (!stats.isFile() || stats.size > 65_536) return undefined
    if (process.getuid && (stats.uid !== process.getuid() || stats.mode & 0o077)) return undefined
    const value = JSON.parse(readFileSync(descriptor, 'utf8'))
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

export function writePrivate(path, value) {
  const fresh = `${path}.${process.pid}`
  rmSync(fresh, { force: true })
  writeFileSync(fresh, `${JSON.stringify(value)}\n`, { mode: 0o600, flag: 'wx' })
  renameSync(fresh, path)
}
