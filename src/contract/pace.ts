// How fast steps go on: the event loop has its turn between them, and there is an end to them, however they are nested.

import { setImmediate as turn } from 'node:timers/promises'
import { ContractError } from './errors.ts'

/** Steps that wait for nothing hold up the event loop for about so long. */
const longestMs = 10
/** The clock may stand still while a person is asked; this does not. */
const maxSteps = 1_000_000

/** The pace of one run, all that it holds included. */
export class Pace {
  #taken = 0
  #turnedAt = performance.now()

  /** Before each step and each round of a loop. Throws when the signal has fired. */
  async next(signal: AbortSignal): Promise<void> {
    if (++this.#taken > maxSteps)
      throw new ContractError('too-large', `The run has taken ${maxSteps} steps and was stopped.`)
    if (performance.now() - this.#turnedAt >= longestMs) {
      await turn()
      this.#turnedAt = performance.now()
    }
    throwIfStopped(signal)
  }
}

export function throwIfStopped(signal: AbortSignal): void {
  if (signal.aborted) throw new ContractError('cancelled', 'The run was stopped.')
}

/** What somebody else's function gives, unless the signal fires first: it may not know of any signal. */
export async function unlessStopped<T>(signal: AbortSignal, work: () => T | Promise<T>): Promise<T> {
  throwIfStopped(signal)
  const { promise: stopped, reject } = Promise.withResolvers<never>()
  const stop = () => reject(new ContractError('cancelled', 'The run was stopped.'))
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([work(), stopped])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
