// Bounds on what a process may use. `prlimit` sets those of one process; how many there are, a cgroup bounds for root.

import { findSystemProgram } from './lookup.ts'
import { limitedGroup, type ProcessGroupLimit } from './process-count.ts'

export interface ResourceLimits {
  /** The most data memory of each process. */
  readonly memoryBytes?: number
  /** The most processor time of each process. */
  readonly cpuSeconds?: number
  /** The most processes and threads at once. */
  readonly maxProcesses?: number
}

export interface AppliedLimits {
  /** Goes before the command. */
  readonly prefix: readonly string[]
  /** Holds the number of processes, where `prlimit` cannot. */
  readonly group?: ProcessGroupLimit
  /** Which limits do not hold, and why. */
  readonly notes: readonly string[]
}

let prlimit: string | false | undefined

export function applyLimits(limits: ResourceLimits, containment: 'namespace' | 'group'): AppliedLimits {
  prlimit ??= findSystemProgram('prlimit') ?? false
  const { memoryBytes, cpuSeconds, maxProcesses } = limits
  const notes: string[] = []
  const flags: string[] = []
  if (memoryBytes !== undefined) flags.push(`--data=${memoryBytes}`)
  // A second more until SIGKILL: the first bound sends SIGXCPU, which says what happened.
  if (cpuSeconds !== undefined) flags.push(`--cpu=${cpuSeconds}:${cpuSeconds + 1}`)

  let group: ProcessGroupLimit | undefined
  if (maxProcesses !== undefined) {
    const isRoot = process.getuid?.() === 0
    if (isRoot) group = limitedGroup(maxProcesses)
    // Outside a namespace the number counts every process of the user.
    else if (containment === 'namespace') flags.push(`--nproc=${maxProcesses}`)
    if (!group && (isRoot || containment === 'group')) notes.push(unboundedNote(maxProcesses, isRoot))
  }
  if (flags.length && prlimit === false) {
    notes.push(
      `The limits ${flags.join(' ')} do not hold: "prlimit" is not installed where the system keeps its programs (Debian: package util-linux).`,
    )
  }
  const prefix = flags.length && prlimit ? [prlimit, ...flags, '--'] : []
  return { prefix, notes, ...(group && { group }) }
}

function unboundedNote(maxProcesses: number, isRoot: boolean): string {
  const why = isRoot
    ? 'the system does not bound root, and no cgroup for it could be made'
    : 'it needs a namespace of its own, with "confine" set to "processes" or "full"'
  return `The limit of ${maxProcesses} processes does not hold: ${why}.`
}
