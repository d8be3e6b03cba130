// Finds processes by what they hold open. For those whose number nobody has told.

import { type BigIntStats, fstatSync, readdirSync, statSync } from 'node:fs'

const maxRounds = 10

/** Ends every other process that has the file behind this descriptor open. */
export function endHolders(descriptor: number): void {
  const file = fstatSync(descriptor, { bigint: true })
  // One that is just ending, or just beginning, may be seen again.
  for (let round = 0; round < maxRounds; round++) {
    const holders = holdersOf(file)
    if (holders.length === 0) return
    for (const pid of holders) kill(pid)
  }
}

function holdersOf(file: BigIntStats): number[] {
  const pids = entries('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
  return pids
    .filter((pid) => entries(`/proc/${pid}/fd`).some((name) => isSame(`/proc/${pid}/fd/${name}`, file)))
    .map(Number)
}

function isSame(path: string, file: BigIntStats): boolean {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
    return stats?.ino === file.ino && stats.dev === file.dev
  } catch {
    return false
  }
}

/** Nothing for a process that has gone, or that is another user's. */
function entries(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has gone already.
  }
}
