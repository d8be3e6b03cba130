// The few numbers that the host and a thread share: read and written while the guest is busy and no message gets through.

/** In 8 bytes each. */
const [stopAt, busySinceAt, busyAt, takenAt] = [0, 1, 2, 3]

export class Shared {
  readonly buffer: SharedArrayBuffer
  readonly #numbers: BigInt64Array

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(32)) {
    this.buffer = buffer
    this.#numbers = new BigInt64Array(buffer)
  }

  /** Before a run begins. */
  clear(): void {
    this.#numbers.fill(0n)
  }

  /** The host's: the run must end now. */
  stop(): void {
    Atomics.store(this.#numbers, stopAt, 1n)
  }

  get isStopped(): boolean {
    return Atomics.load(this.#numbers, stopAt) !== 0n
  }

  /** The thread's: the guest begins to compute, or is done for now. */
  enter(): void {
    Atomics.store(this.#numbers, busySinceAt, process.hrtime.bigint())
  }

  leave(): void {
    const since = Atomics.exchange(this.#numbers, busySinceAt, 0n)
    if (since) Atomics.add(this.#numbers, busyAt, process.hrtime.bigint() - since)
  }

  /** How long the guest has computed in this run. */
  busyMs(): number {
    const since = Atomics.load(this.#numbers, busySinceAt)
    const now = since ? process.hrtime.bigint() - since : 0n
    return Number(Atomics.load(this.#numbers, busyAt) + now) / 1e6
  }

  /** The thread's: how much of the host's answers it has taken in. */
  take(length: number): void {
    Atomics.add(this.#numbers, takenAt, BigInt(length))
  }

  taken(): number {
    return Number(Atomics.load(this.#numbers, takenAt))
  }
}
