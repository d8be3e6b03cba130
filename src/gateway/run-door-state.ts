// One run's door from the inside: what may come through it, and when.

import type { Outcome } from '../model/outcome.ts'
import type { RunCallOptions, RunService } from '../toolscript/run-door.ts'
import type { Answer } from './answer.ts'
import { type Refusal, refusal, refusalAnswer } from './refusal.ts'

/** A script that asks for more at once than its client ever would must not crowd out the others. */
const maxRequestsAtOnce = 64

export class RunDoorState {
  readonly isReady: Promise<void>
  readonly #tellReady: () => undefined
  #service: RunService | undefined
  #hasEnded = false
  #requests = 0

  constructor() {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.isReady = promise
    this.#tellReady = () => void resolve()
  }

  open(service: RunService): void {
    this.#service = service
  }

  /** Counts a request for as long as it takes. */
  async during(answer: () => Promise<Answer>): Promise<Answer> {
    if (this.#requests >= maxRequestsAtOnce) {
      return refusalAnswer(refusal('too-busy', `A run may have ${maxRequestsAtOnce} requests under way at once.`))
    }
    this.#requests++
    try {
      return await answer()
    } finally {
      this.#requests--
    }
  }

  ready(): undefined {
    return this.#tellReady()
  }

  call(wire: string, input: unknown, options: RunCallOptions): Promise<Outcome> | Refusal {
    if (this.#hasEnded) return isOver
    return this.#service?.call(wire, input, options) ?? notOpen
  }

  /** The first end counts. */
  end(how: 'value' | 'error', body: string): Refusal | undefined {
    if (!this.#service) return notOpen
    if (this.#hasEnded) return isOver
    this.#hasEnded = true
    this.#service.end(how, body)
    return undefined
  }
}

const notOpen: Refusal = refusal('conflict', 'This run has not begun: its tools cannot be called yet.')
const isOver: Refusal = refusal('conflict', 'This run has said already how it ended.')
