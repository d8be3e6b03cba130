// Watches that a script stays what it was while its interpreter opens it. A path is checked before a program starts and
// opened after that, and in between somebody who may write to the skill's folder can put a link in the place of the file.
// Whoever does so changes times that cannot be set back: then the run is ended, and nothing of it is passed on.

import { type BigIntStats, lstatSync } from 'node:fs'
import { dirname } from 'node:path'

export interface StartWatch {
  /** Fires when the caller's signal does, and when the script was exchanged. */
  readonly signal: AbortSignal
  /** Ends the watch. Says whether the script was exchanged while it started. */
  readonly stop: () => boolean
}

/** By then every interpreter has opened its script. Whoever edits a script later does no harm. */
const startMs = 1_000

/** Changes nearer to one another than this may bear the same time. */
const tickMs = 20

/** `path` is real and inside `base`. */
export function watchStart(base: string, path: string, signal: AbortSignal): StartWatch {
  const before = statsBetween(base, path)
  const controller = new AbortController()
  let exchanged: boolean | undefined
  const look = () => {
    exchanged ??= wasExchanged(before, statsBetween(base, path))
    if (exchanged) controller.abort()
  }
  const timer = setTimeout(look, startMs)
  const stop = () => {
    clearTimeout(timer)
    look()
    return exchanged === true
  }
  return { signal: AbortSignal.any([signal, controller.signal]), stop }
}

/** Whether a file was put there so lately that another change could not be told from that one. */
export function isFresh(path: string): boolean {
  const stats = statOf(path)
  return stats !== undefined && Math.abs(Date.now() - Number(stats.ctimeMs)) < tickMs
}

export const freshMs = tickMs + 5

type Stats = readonly (BigIntStats | undefined)[]

/** The file, and the folders on the way to it. */
function statsBetween(base: string, path: string): Stats {
  const stats: (BigIntStats | undefined)[] = []
  for (let at = path; at.length > base.length; at = dirname(at)) stats.push(statOf(at))
  return stats
}

function statOf(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** A script that was deleted is not exchanged. A folder also changes when files in it come and go, and that is not meant. */
function wasExchanged(before: Stats, after: Stats): boolean {
  return before.some((was, at) => {
    const is = after[at]
    if (!was || !is) return false
    if (was.ino !== is.ino || was.dev !== is.dev) return true
    return was.ctimeNs !== is.ctimeNs && (!is.isDirectory() || is.ctimeNs > is.mtimeNs)
  })
}
