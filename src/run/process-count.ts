// Bounds how many processes a run may have, by a cgroup of its own. For root nothing else does.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface ProcessGroupLimit {
  /** Goes before the command: enters the group, then becomes the command. */
  readonly prefix: readonly string[]
  /** Ends what is left in the group and removes it. */
  readonly remove: () => void
}

/** Version 1 has a tree for each controller, version 2 one tree for all. */
const trees = ['/sys/fs/cgroup/pids', '/sys/fs/cgroup', '/sys/fs/cgroup/unified']
const removalDelaysMs = [2, 10, 50, 200, 1_000]
/** Bubblewrap's own two processes. */
const ownProcesses = 2

let tree: string | false | undefined
let made = 0

/** A new group with room for so many processes, or nothing where none can be made. */
export function limitedGroup(maxProcesses: number): ProcessGroupLimit | undefined {
  tree ??= trees.find(isUsable) ?? false
  if (!tree) return undefined
  const folder = join(tree, `legwork-${process.pid}-${++made}`)
  try {
    mkdirSync(folder)
    writeFileSync(join(folder, 'pids.max'), String(maxProcesses + ownProcesses))
  } catch {
    removeGroup(folder, removalDelaysMs)
    return undefined
  }
  const enter = 'echo 0 > "$0" && exec "$@"'
  const prefix = ['/bin/sh', '-c', enter, join(folder, 'cgroup.procs')]
  return { prefix, remove: () => removeGroup(folder, removalDelaysMs) }
}

function isUsable(path: string): boolean {
  if (!existsSync(join(path, 'cgroup.procs'))) return false
  removeAbandoned(path)
  const trial = join(path, `legwork-${process.pid}-0`)
  try {
    mkdirSync(trial)
    if (!existsSync(join(trial, 'pids.max'))) writeFileSync(join(path, 'cgroup.subtree_control'), '+pids')
    return existsSync(join(trial, 'pids.max'))
  } catch {
    return false
  } finally {
    removeGroup(trial, [])
  }
}

/** A process that is just ending keeps its group for a moment. */
function removeGroup(folder: string, [delayMs, ...delaysMs]: readonly number[]): void {
  try {
    for (const pid of readFileSync(join(folder, 'cgroup.procs'), 'utf8').split('\n')) {
      if (pid !== '' && pid !== '0') process.kill(Number(pid), 'SIGKILL')
    }
    rmdirSync(folder)
  } catch {
    if (delayMs !== undefined && existsSync(folder)) setTimeout(removeGroup, delayMs, folder, delaysMs)
  }
}

/** Groups of hosts that were killed. */
function removeAbandoned(path: string): void {
  for (const name of readdirSync(path)) {
    const owner = /^legwork-(\d+)-\d+$/.exec(name)?.[1]
    if (owner !== undefined && !existsSync(join('/proc', owner))) removeGroup(join(path, name), [])
  }
}
