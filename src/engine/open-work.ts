// What is under way in something that can be closed: nothing begins after that, and what had begun is waited for.

import { LegworkError } from '../model/errors.ts'

export class OpenWork {
  readonly #closed: string
  readonly #running = new Set<Promise<unknown>>()
  #isShut = false

  /** `closed` is what whoever comes too late is told. */
  constructor(closed: string) {
    this.#closed = closed
  }

  /** Throws when it is shut. */
  begin<T>(start: () => Promise<T>): Promise<T> {
    if (this.#isShut) throw new LegworkError('closed', this.#closed)
    const work = start()
    this.#running.add(work)
    const done = () => this.#running.delete(work)
    work.then(done, done)
    return work
  }

  shut(): void {
    this.#isShut = true
  }

  async settled(): Promise<void> {
    await Promise.allSettled(this.#running)
  }
}
