// Lets a bounded number of calls run, a bounded number wait, first come first served, and says no to the rest.

import type { Limits } from '../model/limits.ts'

export interface Turn {
  readonly leave: () => void
}

export interface Queue {
  /** A turn at once, or when it is free, or when the caller no longer wants it; `full` when too many wait. */
  readonly enter: (signal?: AbortSignal) => Turn | 'full' | Promise<Turn>
}

export function createQueue({ maxConcurrentCalls, maxQueuedCalls }: Limits): Queue {
  const waiting = new Set<() => void>()
  let running = 0

  const take = (): Turn => {
    running++
    let left = false
    const leave = () => {
      if (left) return
      left = true
      running--
      const [next] = waiting
      next?.()
    }
    return { leave }
  }

  return {
    enter: (signal) => {
      // A call that was given up goes ahead at once: its run ends before it begins.
      if (running < maxConcurrentCalls || signal?.aborted) return take()
      if (waiting.size >= maxQueuedCalls) return 'full'
      return new Promise((resolve) => {
        const go = () => {
          waiting.delete(go)
          signal?.removeEventListener('abort', go)
          resolve(take())
        }
        waiting.add(go)
        signal?.addEventListener('abort', go, { once: true })
      })
    },
  }
}
