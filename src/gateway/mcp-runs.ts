// Scripts that may run longer than a client waits for them: each is kept for whoever asks later, and what has to be asked meanwhile
// is asked of the client that waits for it then.

import { randomUUID } from 'node:crypto'
import type { ApprovalAnswer, ApprovalRequest, Approve } from '../model/decision.ts'
import type { Outcome } from '../model/outcome.ts'
import type { Work } from './mcp-peer.ts'

/** Clients give a request up after a minute: a run that takes longer is told of before that, and asked for later. */
const usualPatienceMs = 45_000
const maxKeptRuns = 256

type Waiter = Pick<Work, 'approve'>

export type RunEnd =
  | { readonly outcome: Outcome; readonly claim: string | undefined }
  /** It goes on. */
  | { readonly id: string }

export class KeptRuns {
  readonly #patienceMs: number
  readonly #runs = new Map<string, KeptRun>()

  constructor(patienceMs = usualPatienceMs) {
    this.#patienceMs = patienceMs
  }

  /** Starts a run for a client, which waits for it as long as it can. */
  async begin(work: Waiter & Pick<Work, 'claim'>, start: (approve?: Approve) => Promise<Outcome>): Promise<RunEnd> {
    const run = new KeptRun(start, work)
    const id = randomUUID()
    this.#runs.set(id, run)
    this.#makeRoom()
    return this.#within(id, run, work)
  }

  /** Waits for it again; undefined where there is none. */
  async again(id: string, work: Waiter): Promise<RunEnd | undefined> {
    const run = this.#runs.get(id)
    return run && this.#within(id, run, work)
  }

  async #within(id: string, run: KeptRun, work: Waiter): Promise<RunEnd> {
    const { promise: enough, resolve } = Promise.withResolvers<undefined>()
    const timer = setTimeout(resolve, this.#patienceMs, undefined)
    const leave = run.join(work)
    const outcome = await Promise.race([run.outcome, enough]).finally(() => {
      clearTimeout(timer)
      leave()
    })
    return outcome ? { outcome, claim: run.claim } : { id }
  }

  /** Kept for whoever asks late, but not for ever. */
  #makeRoom(): void {
    for (const [old, { isOver }] of this.#runs) {
      if (this.#runs.size <= maxKeptRuns) break
      if (isOver) this.#runs.delete(old)
    }
  }
}

class KeptRun {
  readonly outcome: Promise<Outcome>
  readonly claim: string | undefined
  isOver = false

  readonly #waiters = new Set<Waiter>()
  #came = Promise.withResolvers<void>()

  /** A client that cannot ask a person when it starts the run is not asked later either: its questions are kept elsewhere. */
  constructor(start: (approve?: Approve) => Promise<Outcome>, { approve, claim }: Waiter & Pick<Work, 'claim'>) {
    this.claim = claim
    this.outcome = start(approve && ((request) => this.#approve(request)))
    const over = () => {
      this.isOver = true
    }
    this.outcome.then(over, over)
  }

  /** Until the returned function is called, questions are for this one. */
  join(waiter: Waiter): () => void {
    this.#waiters.add(waiter)
    this.#came.resolve()
    this.#came = Promise.withResolvers()
    return () => this.#waiters.delete(waiter)
  }

  /** Asks whoever waits for the run now, else whoever comes next; one that has left meanwhile need not have heard it. */
  async #approve(request: ApprovalRequest): Promise<ApprovalAnswer> {
    for (;;) {
      const waiter = await this.#whoCanAsk(request.signal)
      try {
        return await waiter.approve(request)
      } catch (error) {
        if (request.signal.aborted || this.#waiters.has(waiter)) throw error
      }
    }
  }

  async #whoCanAsk(signal: AbortSignal): Promise<Required<Waiter>> {
    for (;;) {
      signal.throwIfAborted()
      const found = [...this.#waiters].findLast(canAsk)
      if (found) return found
      const given = Promise.withResolvers<void>()
      signal.addEventListener('abort', () => given.resolve(), { once: true })
      await Promise.race([this.#came.promise, given.promise])
    }
  }
}

function canAsk(waiter: Waiter): waiter is Required<Waiter> {
  return waiter.approve !== undefined
}
