// Finds the configuration file, and refuses one that somebody else may have put in the way.

import { lstatSync, type Stats, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { ConfigurationError } from '../model/errors.ts'

/** The names it may have; where both stand, neither is read. */
export const fileNames = ['legwork.jsonc', 'legwork.json'] as const

/**
 * The nearest configuration file, from a folder upwards to the root. It decides which programs run, so one that belongs
 * to another user than us and root throws, as does a link of theirs: anybody may put one into `/tmp`.
 */
export function findConfiguration(from: string, uid: number | undefined = process.getuid?.()): string | undefined {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    for (const name of fileNames) {
      const path = join(folder, name)
      const entry = entryAt(path)
      if (!entry) continue
      refuseForeign(path, entry, uid)
      const target = entry.isSymbolicLink() ? statSync(path, { throwIfNoEntry: false }) : undefined
      if (target) refuseForeign(path, target, uid)
      return path
    }
    if (folder === dirname(folder)) return undefined
  }
}

export function refuseForeign(path: string, { uid: owner }: Stats, uid: number | undefined): void {
  if (uid === undefined || owner === uid || owner === 0) return
  const advice = 'If you trust it, name it with "--config" or make it yours with "chown"; else remove it.'
  const message = `The file belongs to another user (${owner}, you are ${uid}), so it was not read. ${advice}`
  throw new ConfigurationError(path, [{ path: '', message }])
}

/** A folder that may not be looked into holds no configuration for us. */
function entryAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
