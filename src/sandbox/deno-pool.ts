// Boxes that have started already, each for one run. Those that wait too long are ended, and so are those of another key than is
// wanted now when there are too many.

export interface Warm {
  /** Settles when it has gone, whatever the reason. */
  readonly ended: Promise<unknown>
  readonly kill: () => void
}

export interface PoolOptions<Key, Box extends Warm> {
  /** Starts a box that is ready for its program. */
  readonly start: (key: Key) => Promise<Box>
  /** How many wait for each key. Default 2; 0 for no pool. */
  readonly size?: number
  /** How long one waits, in milliseconds. Default 60,000. */
  readonly idleMs?: number
}

export interface Pool<Key, Box> {
  /** A box that is ready, started now if none waits. */
  readonly take: (key: Key) => Promise<Box>
  /** Puts back a box that was not used. */
  readonly putBack: (key: Key, box: Box) => void
  /** Starts as many as are to wait for this key. For the time after a run. */
  readonly refill: (key: Key) => Promise<void>
  /** Ends every box that waits, and settles when they have gone. */
  readonly close: () => Promise<void>
}

const maxKeys = 4

export function createPool<Key, Box extends Warm>(options: PoolOptions<Key, Box>): Pool<Key, Box> {
  const { start, size = 2, idleMs = 60_000 } = options
  const shelves = new Map<string, Set<Box>>()
  const leaving = new Set<Promise<unknown>>()
  const coming = new Map<string, Set<Promise<void>>>()
  let closed = false

  const end = (box: Box) => {
    leaving.add(box.ended)
    void box.ended.finally(() => leaving.delete(box.ended))
    box.kill()
  }
  const shelf = (name: string): Set<Box> => {
    const known = shelves.get(name) ?? new Set()
    // The key that was used last stands last; the first goes when there are too many.
    shelves.delete(name)
    shelves.set(name, known)
    const [oldest] = shelves.keys()
    if (shelves.size > maxKeys && oldest !== undefined) {
      for (const box of shelves.get(oldest) ?? []) end(box)
      shelves.delete(oldest)
    }
    return known
  }
  const putBack = (key: Key, box: Box) => {
    const waiting = shelf(JSON.stringify(key))
    if (closed || waiting.size >= Math.max(1, size)) return end(box)
    waiting.add(box)
    const timer = setTimeout(() => waiting.delete(box) && end(box), idleMs)
    timer.unref()
    void box.ended.finally(() => {
      clearTimeout(timer)
      waiting.delete(box)
    })
  }
  const refill = async (key: Key): Promise<void> => {
    const name = JSON.stringify(key)
    const started = coming.get(name) ?? new Set()
    coming.set(name, started)
    for (let missing = closed ? 0 : size - shelf(name).size - started.size; missing > 0; missing--) {
      // Whoever needs one that could not be started tries again, and is told why there is none.
      const box = start(key).then(
        (ready) => putBack(key, ready),
        () => {},
      )
      started.add(box)
      void box.then(() => started.delete(box))
    }
    await Promise.all(started)
  }
  return {
    take: async (key) => {
      const waiting = shelf(JSON.stringify(key))
      const [box] = waiting
      if (!box) return start(key)
      waiting.delete(box)
      return box
    },
    putBack,
    refill,
    close: async () => {
      closed = true
      for (const started of coming.values()) await Promise.all(started)
      for (const boxes of shelves.values()) for (const box of boxes) end(box)
      shelves.clear()
      await Promise.allSettled(leaving)
    },
  }
}
