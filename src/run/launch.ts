// Starts one process. Everything that this package runs outside itself passes here.
// A process is made by copying the host's page tables, which takes time that grows with the host's memory and during which the
// host does nothing else. So a host that has grown large has its processes started by a small helper.

import { helper, startHelper } from './helper.ts'
import { type Launch, type Launched, launchHere } from './launch-here.ts'

const largeHostBytes = 300 * 1_048_576
const measureEveryMs = 100

/**
 * The child leads a session and a process group of its own. `cut-short`: it runs no longer, if it ever did; the signal has
 * fired, or the helper has gone. Never throws.
 */
export async function launch(request: Launch, signal: AbortSignal): Promise<Launched | 'cut-short'> {
  if (!isLarge() || request.stdio.includes('pipe')) return launchHere(request)
  const ready = helper()
  // While the helper comes up, and where there can be none, things go on as before.
  if (!ready) void startHelper()
  const launched = await ready?.launch(request, signal)
  return launched ?? (signal.aborted ? 'cut-short' : launchHere(request))
}

let measuredAt = Number.NEGATIVE_INFINITY
let large = false

function isLarge(): boolean {
  const now = performance.now()
  if (now - measuredAt > measureEveryMs) {
    measuredAt = now
    large = process.platform === 'linux' && process.memoryUsage.rss() > largeHostBytes
  }
  return large
}
