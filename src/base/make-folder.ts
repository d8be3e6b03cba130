// A folder with all that lead to it. Node's own way to make them never comes back where a parent refuses as if it were missing,
// as everything below /proc does.

import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** The first folder that had to be made; undefined where there was nothing to do. Throws what the disk says. */
export function makeFolder(folder: string, mode = 0o777): string | undefined {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return undefined
  const parent = dirname(folder)
  const first = parent === folder ? undefined : makeFolder(parent, mode)
  try {
    mkdirSync(folder, mode)
    return first ?? folder
  } catch (error) {
    // Somebody else may have made it meanwhile.
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return first
    throw error
  }
}
