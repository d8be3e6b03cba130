// A wait that ends, whether or not what is waited for does.

/** What the work gives; undefined once time is up or the signal has fired. */
export async function within<T>(timeoutMs: number, work: Promise<T>, signal?: AbortSignal): Promise<T | undefined> {
  if (signal?.aborted) return undefined
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const giveUp = () => resolve(undefined)
  const timer = setTimeout(giveUp, timeoutMs)
  signal?.addEventListener('abort', giveUp, { once: true })
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', giveUp)
  }
}
