// One run's door from the inside: what may come through it, and when.

import type { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Outcome } from '../model/outcome.ts'
import { maxEndBytes, type RunCallOptions, type RunService } from '../toolscript/run-door.ts'
import type { Answer } from './answer.ts'
import { type Refusal, refusal, refusalAnswer } from './refusal.ts'

/** A script that asks for more at once than its client ever would must not crowd out the others. */
const maxRequestsAtOnce = 64
const maxLengthAtOnce = 2 * maxEndBytes

/** What is looked at of an exchange. */
interface Asked {
  readonly incoming: Pick<IncomingMessage, 'headers'>
  readonly outgoing: EventEmitter
}

export class RunDoorState {
  readonly isReady: Promise<void>
  readonly #tellReady: () => undefined
  #service: RunService | undefined
  #hasEnded = false
  #requests = 0
  #length = 0

  constructor() {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.isReady = promise
    this.#tellReady = () => void resolve()
  }

  open(service: RunService): void {
    this.#service = service
  }

  /** Counts a request, and what it may hold, until its answer is read. */
  async during({ incoming, outgoing }: Asked, answer: () => Promise<Answer>): Promise<Answer> {
    const length = Number(
      incoming.headers['content-length'] ?? (incoming.headers['transfer-encoding'] ? maxEndBytes : 0),
    )
    if (this.#requests >= maxRequestsAtOnce || (this.#requests > 0 && this.#length + length > maxLengthAtOnce)) {
      return refusalAnswer(tooMuch)
    }
    this.#requests++
    this.#length += length
    outgoing.once('close', () => {
      this.#requests--
      this.#length -= length
    })
    return answer()
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

const tooMuch: Refusal = refusal(
  'too-busy',
  `A run may have ${maxRequestsAtOnce} requests with 64 MB under way at once. Wait for some of them.`,
  { connection: 'close' },
)
const notOpen: Refusal = refusal('conflict', 'This run has not begun: its tools cannot be called yet.')
const isOver: Refusal = refusal('conflict', 'This run has said already how it ended.')
