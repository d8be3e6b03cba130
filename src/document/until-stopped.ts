// Waits for what others do, and no longer than the run lasts.

/** The answer, or an error once the signal fires: whoever does not answer is not waited for. */
export async function untilStopped<T>(work: T | Promise<T>, signal: AbortSignal): Promise<T> {
  if (!(work instanceof Promise)) return work
  const stopped = Promise.withResolvers<never>()
  const stop = () => {
    const isLate = signal.reason === 'timed-out'
    stopped.reject(new Error(isLate ? 'There was no answer in time.' : 'It was stopped before there was an answer.'))
  }
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([work, stopped.promise])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
