// Why bubblewrap, though installed, cannot shut anything in here, as far as the system's own settings tell, and what to change.

import { existsSync, readFileSync } from 'node:fs'

/** Reads one of the system's files; undefined where it is not there. */
export type ReadSetting = (file: string) => string | undefined

/** In the order in which they are looked at; the first that is set so is what is in the way. */
const obstacles = [
  ['/proc/sys/user/max_user_namespaces', '0', 'sudo sysctl user.max_user_namespaces=15000'],
  ['/proc/sys/kernel/unprivileged_userns_clone', '0', 'sudo sysctl kernel.unprivileged_userns_clone=1'],
  [
    '/proc/sys/kernel/apparmor_restrict_unprivileged_userns',
    '1',
    'sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0',
  ],
] as const

export function howToConfineHere(read: ReadSetting = readSetting): string {
  const found = obstacles.find(([file, value]) => read(file) === value)
  if (found) return `this system lets nobody make user namespaces; let them with "${found[2]}"`
  if (isContainer(read)) {
    return 'a container has to be started so that it may make namespaces, for Docker with "--security-opt seccomp=unconfined --security-opt systempaths=unconfined"'
  }
  return 'try "bwrap --ro-bind / / true" and see what it says; it needs user namespaces'
}

function isContainer(read: ReadSetting): boolean {
  return read('/.dockerenv') !== undefined || read('/run/.containerenv') !== undefined
}

function readSetting(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined
}
