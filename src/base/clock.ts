// Time and randomness, as a parameter, so that a test can hold them still.

import { randomBytes } from 'node:crypto'

export interface Clock {
  /** Milliseconds since the epoch, by the wall clock, which may jump. */
  readonly now: () => number
  /** Milliseconds that only ever go forward, for durations. */
  readonly elapsed: () => number
  /** A new unguessable id. */
  readonly id: () => string
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  id: () => timeOrderedId(Date.now()),
}

const pool = { bytes: new Uint8Array(0), at: 0 }

/** A UUID of version 7: unguessable, and later ones sort after earlier ones, which keeps an index of them small and near. */
function timeOrderedId(now: number): string {
  if (pool.at + 10 > pool.bytes.length) {
    pool.bytes = randomBytes(1_280)
    pool.at = 0
  }
  const random = Buffer.from(pool.bytes.buffer, pool.bytes.byteOffset + pool.at, 10).toString('hex')
  pool.at += 10
  const time = now.toString(16).padStart(12, '0')
  const variant = '89ab'[Number.parseInt(random[3] ?? '0', 16) % 4]
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-${variant}${random.slice(4, 7)}-${random.slice(7, 19)}`
}
