// One signal for "stop now", whether time ran out or the caller gave up, which remembers which of the two it was.

export interface Deadline {
  readonly signal: AbortSignal
  /** Why the signal fired; undefined while it has not. */
  readonly cause: () => 'timed-out' | 'cancelled' | undefined
  /** How long the time has been over; 0 while it is not. Above 0 without a cause, the timer could not fire. */
  readonly lateMs: () => number
  /** Stops the clock while something else is waited for, such as a person. */
  readonly pause: () => void
  readonly resume: () => void
  /** A clock for a part of the work: it ends with this one at the latest, and stands still whenever this one does. */
  readonly part: (timeoutMs: number) => Deadline
  /** Lets go of the timer and of the caller's signal. */
  readonly stop: () => void
}

/** Starts the clock. Timers are monotonic, so a wall clock that jumps changes nothing. */
export function startDeadline(timeoutMs: number, signal: AbortSignal | undefined): Deadline {
  const controller = new AbortController()
  let cause: 'timed-out' | 'cancelled' | undefined
  let remainingMs = timeoutMs
  let startedAt = 0
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  const parts = new Set<Deadline>()

  const end = (why: 'timed-out' | 'cancelled') => {
    if (cause) return
    cause = why
    stop()
    controller.abort(why)
  }
  const cancel = () => end('cancelled')
  const resume = () => {
    if (timer || cause || stopped) return
    startedAt = performance.now()
    timer = setTimeout(end, Math.max(0, remainingMs), 'timed-out')
    for (const part of parts) part.resume()
  }
  const pause = () => {
    if (!timer) return
    clearTimeout(timer)
    timer = undefined
    remainingMs -= performance.now() - startedAt
    for (const part of parts) part.pause()
  }
  const lateMs = () => Math.max(0, (timer ? performance.now() - startedAt : 0) - remainingMs)
  const part = (partMs: number) => {
    const inner = startDeadline(partMs, controller.signal)
    if (!timer) inner.pause()
    parts.add(inner)
    const stopPart = () => {
      parts.delete(inner)
      inner.stop()
    }
    return { ...inner, stop: stopPart }
  }
  const stop = () => {
    stopped = true
    clearTimeout(timer)
    timer = undefined
    signal?.removeEventListener('abort', cancel)
  }

  if (signal?.aborted) cancel()
  else {
    signal?.addEventListener('abort', cancel, { once: true })
    resume()
  }
  return { signal: controller.signal, cause: () => cause, lateMs, pause, resume, part, stop }
}
