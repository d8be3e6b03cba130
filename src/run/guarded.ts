// Keeps what lies inside a folder that a process is given from being seen, or from being replaced.

import { dirname, join, relative } from 'node:path'
import type { Mount } from './bubblewrap.ts'
import { exists, isFolder, isInside, realPath } from './paths.ts'

/** A mount, and where its links lead. */
interface Shown {
  readonly path: string
  readonly real: string
}

export const withReal = ({ path }: Mount): Shown => ({ path, real: realPath(path) ?? path })

/** Covers each path wherever a mount shows it. Only what exists: covering what does not would create it on the user's disk. */
export function hiddenMounts(paths: readonly string[], shown: readonly Shown[]): Mount[] {
  const hidden = new Map<string, Mount>()
  for (const path of paths) {
    if (!exists(path)) continue
    const as = isFolder(path) ? 'hidden-folder' : 'hidden-file'
    for (const place of placesInside(path, shown)) hidden.set(place, { as, path: place })
  }
  return [...hidden.values()].sort((a, b) => a.path.length - b.path.length)
}

/** Every spelling by which these mounts show a path. */
export function placesInside(path: string, shown: readonly Shown[]): string[] {
  const real = realPath(path)
  if (real === undefined) return []
  return shown.flatMap((mount) => (isInside(real, mount.real) ? [join(mount.path, relative(mount.real, real))] : []))
}

/**
 * The folders between a writable one and what is guarded in it, each a mount of its own. What is mounted cannot be renamed;
 * a folder above it can, and then something else could be put in its place.
 */
export function heldFolders(guarded: readonly string[], mounts: readonly Mount[]): Mount[] {
  const held = new Set<string>()
  for (const path of guarded) {
    for (let folder = dirname(path); folder !== '/'; folder = dirname(folder)) {
      if (isWritable(folder, mounts)) held.add(folder)
    }
  }
  return Array.from(held, (path) => ({ as: 'write', path }))
}

/** Whether a folder lies in a writable mount, with no read-only one between, and is none itself. */
function isWritable(folder: string, mounts: readonly Mount[]): boolean {
  const around = mounts.filter(({ path }) => isInside(folder, path))
  const nearest = around.sort((a, b) => b.path.length - a.path.length)[0]
  return nearest?.as === 'write' && nearest.path !== folder
}
