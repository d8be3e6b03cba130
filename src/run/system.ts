// The read-only system that every fully confined process sees.

import { lstatSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Mount } from './bubblewrap.ts'
import { isInside, realPath } from './paths.ts'

/** Named files of /etc, and not /etc: the rest holds the hashes of passwords and private keys. */
const systemFiles = ['alternatives', 'group', 'hosts', 'ld.so.cache', 'localtime', 'passwd']
const networkFiles = ['nsswitch.conf', 'resolv.conf', 'services', 'ssl/certs', 'ssl/openssl.cnf', 'pki/tls/certs']
const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store', '/gnu/store']

const systems = new Map<boolean, readonly Mount[]>()

/** The read-only system, as this machine has it. */
export function systemMounts(network: boolean): readonly Mount[] {
  const known = systems.get(network) ?? findSystem(network)
  systems.set(network, known)
  return known
}

/** Whether a path is none of those that are there in any case. */
export function isOutsideSystem(path: string): boolean {
  return !systemFolders.some((folder) => isInside(path, folder))
}

function findSystem(network: boolean): readonly Mount[] {
  const mounts: Mount[] = []
  for (const path of systemFolders) {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (!stats) continue
    mounts.push(stats.isSymbolicLink() ? { as: 'link', path, to: readlinkSync(path) } : { as: 'read', path })
  }
  for (const name of network ? [...systemFiles, ...networkFiles] : systemFiles) {
    const path = join('/etc', name)
    const from = realPath(path)
    if (from !== undefined) mounts.push({ as: 'read', path, from })
  }
  return mounts
}
