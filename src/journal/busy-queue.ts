// Work that needs the database's write lock. It is done at once where the lock is free, as it almost always is; else it
// waits its turn without blocking the event loop, and is given up when it has waited too long.

import { setTimeout as sleep } from 'node:timers/promises'

export interface BusyQueue {
  /** Does the work now and returns nothing, or returns a promise for when it is done. */
  run(work: () => void): void | Promise<void>
  /** Fails everything that waits. */
  close(reason: Error): void
}

export interface BusyQueueOptions {
  readonly timeoutMs: number
  /** Whether what the work threw means that the lock was taken. */
  readonly isBusy: (thrown: unknown) => boolean
}

interface Waiting {
  readonly work: () => void
  readonly deadline: number
  readonly resolve: () => void
  readonly reject: (thrown: unknown) => void
}

const longestPauseMs = 250

export function createBusyQueue({ timeoutMs, isBusy }: BusyQueueOptions): BusyQueue {
  let waiting: Waiting[] = []

  function run(work: () => void): void | Promise<void> {
    if (waiting.length > 0) return wait(work)
    try {
      work()
    } catch (error) {
      if (!isBusy(error)) throw error
      return wait(work)
    }
  }

  function wait(work: () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      waiting.push({ work, deadline: performance.now() + timeoutMs, resolve, reject })
      if (waiting.length === 1) void tryUntilEmpty()
    })
  }

  async function tryUntilEmpty(): Promise<void> {
    for (let pauseMs = 5; waiting.length > 0; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      await sleep(pauseMs)
      tryInOrder()
    }
  }

  function tryInOrder(): void {
    for (let first = waiting[0]; first; first = waiting[0]) {
      try {
        first.work()
        first.resolve()
      } catch (error) {
        if (isBusy(error)) {
          giveUpLate(error)
          return
        }
        first.reject(error)
      }
      waiting.shift()
    }
  }

  /** Those whose time is up are not tried again one by one: each try may itself wait for the lock. */
  function giveUpLate(error: unknown): void {
    const now = performance.now()
    for (const { deadline, reject } of waiting) if (deadline <= now) reject(error)
    waiting = waiting.filter(({ deadline }) => deadline > now)
  }

  function close(reason: Error): void {
    for (const { reject } of waiting) reject(reason)
    waiting = []
  }

  return { run, close }
}

/** The same for the moment of opening, when there is nothing else to do: blocks. */
export function runPatiently<T>(work: () => T, { timeoutMs, isBusy }: BusyQueueOptions): T {
  const deadline = performance.now() + timeoutMs
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs)
  }
}
