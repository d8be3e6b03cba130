// Whether bubblewrap works here. An installed binary proves nothing, so each profile is tried once for real.

import { execFile } from 'node:child_process'
import { fullFlags, processesFlags, statusDescriptor } from './bubblewrap.ts'
import { findSystemProgram } from './lookup.ts'
import { viewOf } from './profile.ts'
import { systemMounts } from './system.ts'

export const confinements = ['full', 'auto', 'processes', 'off'] as const
/**
 * `full`: a view of its own of files, processes and network, or no run. `auto`: the same where bubblewrap works, else as `off`.
 * `processes`: files and network as they are, and nothing outlives the call where bubblewrap works. `off`: a process group alone.
 */
export type Confinement = (typeof confinements)[number]

export type ConfinementAvailability =
  | { readonly available: true; readonly bubblewrap: string }
  | { readonly available: false; readonly reason: string }

const tried = new Map<string, Promise<ConfinementAvailability>>()
const trialMs = 5_000

/** Whether this machine can confine processes so, with the reason when it cannot. Tried once. */
export function confinementAvailable(kind: 'full' | 'processes' = 'full'): Promise<ConfinementAvailability> {
  let answer = tried.get(kind)
  if (!answer) {
    answer = tryOut(kind)
    tried.set(kind, answer)
  }
  return answer
}

/** Said of a process that was to be shut in and was not. Where bubblewrap cannot be had, everybody knows. */
export const unconfinedNote = (reason: string): readonly string[] =>
  process.platform === 'linux'
    ? [`It ran with everything this user may do, not shut in. ${reason} Set "confine" to "off" if that is meant.`]
    : []

export const howToConfine =
  'Install bubblewrap (Debian, Ubuntu: "apt install bubblewrap"; Fedora: "dnf install bubblewrap"), or set "confine" to "auto" or "off".'

const missing = 'Bubblewrap (bwrap) is not installed where the system keeps its programs.'

async function tryOut(kind: 'full' | 'processes'): Promise<ConfinementAvailability> {
  if (process.platform !== 'linux') return { available: false, reason: 'Bubblewrap exists for Linux alone.' }
  const program = findSystemProgram('bwrap')
  if (program === undefined) return { available: false, reason: missing }
  const flags = kind === 'full' ? fullFlags(systemMounts(false), viewOf({}, '/', []), '/') : processesFlags('/')
  // Nobody reads the status here; the trial's own standard error serves.
  const args = flags.map((flag) => (flag === String(statusDescriptor) ? '2' : flag))
  return new Promise((settle) => {
    execFile(
      program,
      [...args, findSystemProgram('true') ?? '/bin/true'],
      { timeout: trialMs, cwd: '/' },
      (error, _output, complaint) => {
        if (!error) return settle({ available: true, bubblewrap: program })
        const line = complaint.split('\n').find((text) => text.startsWith('bwrap:')) ?? error.message
        settle({ available: false, reason: `Bubblewrap is installed and does not work here: ${line.trim()}` })
      },
    )
  })
}
