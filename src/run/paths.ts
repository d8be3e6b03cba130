// Questions about places on the disk that have an answer whatever is there.

import { realpathSync, type Stats, statSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'

export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
}

export function exists(path: string): boolean {
  return statsOf(path) !== undefined
}

export function isFolder(path: string): boolean {
  return statsOf(path)?.isDirectory() ?? false
}

export function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path)
  } catch {
    return undefined
  }
}

function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

let knownHomes: { readonly variable: string; readonly homes: readonly string[] } | undefined

/** The home folder by the environment, and by the user database: they may differ. */
export function homes(): readonly string[] {
  const variable = homedir()
  if (knownHomes?.variable === variable) return knownHomes.homes
  let account = variable
  try {
    account = userInfo().homedir
  } catch {
    // A user without an entry in the database.
  }
  const all = new Set([variable, account].flatMap((home) => [home, realPath(home) ?? home]))
  knownHomes = { variable, homes: [...all].filter((home) => home !== '/') }
  return knownHomes.homes
}
