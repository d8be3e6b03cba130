// How much of the disk a program needs to be run: its folder or its installation, and never a folder of everything.

import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { exists, homes, isInside, realPath } from './paths.ts'
import { isOutsideSystem } from './system.ts'

const commonFolders = new Set([
  ...['/', '/etc', '/home', '/root', '/tmp', '/var', '/var/tmp', '/dev', '/dev/shm', '/run', '/run/shm', '/run/user'],
  ...['/boot', '/lost+found', '/media', '/mnt', '/proc', '/sys'],
])

/**
 * The folder of a program, where its links lead, and the installation that a `bin` belongs to. Of a program that lies
 * directly in a folder of everything, the file alone.
 */
export function programPaths(program: string): string[] {
  const files = [program, realPath(program) ?? program]
  const paths = files.filter(isOutsideSystem).map((file) => {
    const folder = dirname(file)
    if (holdsEverything(folder)) return file
    const installation = dirname(folder)
    const isInstallation =
      /^(s?bin|shims|libexec)$/.test(basename(folder)) &&
      basename(installation) !== '.local' &&
      !holdsEverything(installation) &&
      ['lib', 'lib64', 'libexec'].some((name) => exists(join(installation, name)))
    return isInstallation ? installation : folder
  })
  return paths.filter(exists)
}

/** A folder where things lie that have nothing to do with each other, or that holds somebody's home folder. */
function holdsEverything(folder: string): boolean {
  if (commonFolders.has(folder) || folder === tmpdir() || folder === realPath(tmpdir())) return true
  return homes().some((home) => isInside(home, folder))
}
