// The time that one block has: what hooks and resolvers take of it is no longer there for the tool.

import type { Clock } from '../base/clock.ts'
import type { OutcomeCode } from '../model/outcome.ts'
import type { RunContext } from '../model/tool.ts'

export interface BlockTime {
  /** Fires when the block's time is up, or the run's. */
  readonly signal: AbortSignal
  /** Why the block was given up; undefined while it is not. */
  readonly givenUp: () => { readonly code: OutcomeCode; readonly message: string } | undefined
  /** Milliseconds; undefined when the block has no time of its own. */
  readonly leftMs: () => number | undefined
  readonly stop: () => void
}

export function startBlockTime(run: RunContext, timeoutMs: number | undefined, clock: Clock): BlockTime {
  const deadline = timeoutMs === undefined ? undefined : run.deadline(timeoutMs)
  const began = clock.elapsed()
  const signal = deadline?.signal ?? run.signal
  return {
    signal,
    givenUp: () => {
      if (run.signal.aborted) return { code: 'cancelled', message: 'The block was given up before it was called.' }
      if (!signal.aborted) return undefined
      return { code: 'timed-out', message: `The block was given up before it was called: ${timeoutMs} ms are over.` }
    },
    leftMs: () => (timeoutMs === undefined ? undefined : Math.max(1, Math.ceil(timeoutMs - (clock.elapsed() - began)))),
    stop: () => deadline?.stop(),
  }
}
