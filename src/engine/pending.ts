// The calls whose question waits for a person elsewhere. Identical ones share a question, and the one run that an approval allows.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../base/clock.ts'
import type { NewQuestion, PendingApproval, PendingApprovals, PendingNotice } from '../model/approval.ts'
import type { Outcome } from '../model/outcome.ts'
import type { Approval } from '../policy/approval.ts'

export type Waited =
  | Exclude<Approval, { readonly answer: 'no-handler' }>
  /** Nobody has answered yet. */
  | { readonly answer: 'pending'; readonly notice: PendingNotice }
  /** The question could not be kept. */
  | { readonly answer: 'not-kept'; readonly reason: string }
  /** An identical call ran on the same approval. */
  | { readonly answer: 'attached'; readonly outcome: Outcome }

export interface Waiting {
  readonly waitMs: number
  readonly signal: AbortSignal | undefined
  /** How the call that waits here will end, for others that attach to it. */
  readonly whenEnded: () => Promise<Outcome>
}

interface Shared {
  readonly approval: PendingApproval
  waiters: number
  /** The question once it is answered or over; begun when a call waits for that. */
  settled?: Promise<PendingApproval>
  /** Set once a call has taken the approval. */
  outcome?: Promise<Outcome>
}

const firstPauseMs = 20
const longestPauseMs = 500

export class PendingCalls {
  readonly #journal: { readonly approvals: PendingApprovals }
  readonly #clock: Clock
  readonly #shared = new Map<string, Shared>()

  constructor(journal: { readonly approvals: PendingApprovals }, clock: Clock) {
    this.#journal = journal
    this.#clock = clock
  }

  async ask(question: NewQuestion, waiting: Waiting): Promise<Waited> {
    const shared = await this.#share(question)
    if (typeof shared === 'string') return { answer: 'not-kept', reason: notKept[shared] }
    const settled = shared.outcome ? shared.approval : await this.#wait(shared, question.key, waiting)
    if (settled === 'cancelled') return { answer: 'cancelled' }
    if (settled === 'waiting') return { answer: 'pending', notice: noticeOf(shared.approval) }
    if (shared.outcome) return attached(shared.outcome, waiting.signal)
    if (settled.state === 'approved') return this.#use(shared, question, waiting)
    this.#forget(question.key, shared)
    if (settled.state === 'used') return this.ask(question, waiting)
    if (settled.state === 'refused') return { answer: 'refused', reason: saidNo(settled.reason) }
    return { answer: 'no-answer', reason: `No answer came within ${question.timeoutMs} ms, which counts as a no.` }
  }

  /** The question that identical calls in this process wait for already, or one from the file; one more waits for it now. */
  async #share(question: NewQuestion): Promise<Shared | 'full' | 'too-large'> {
    const { key } = question
    const known = this.#shared.get(key)
    if (known) return joined(known)
    const approval = await this.#journal.approvals.ask(question)
    if (typeof approval === 'string') return approval
    const shared = this.#shared.get(key) ?? { approval, waiters: 0 }
    this.#shared.set(key, shared)
    return joined(shared)
  }

  /** Another process may give the answer, so the file is looked at again and again. */
  async #watch(shared: Shared): Promise<PendingApproval> {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
      const approval = this.#now(shared)
      const leftMs = approval.deadline - this.#clock.now()
      if (approval.state !== 'waiting' || leftMs <= 0 || shared.waiters === 0) return approval
      await sleep(Math.min(pauseMs, leftMs), undefined, { ref: false })
    }
  }

  #now({ approval }: Shared): PendingApproval {
    return this.#journal.approvals.read(approval.id) ?? approval
  }

  async #wait(
    shared: Shared,
    key: string,
    { waitMs, signal }: Waiting,
  ): Promise<PendingApproval | 'waiting' | 'cancelled'> {
    const { promise: enough, resolve } = Promise.withResolvers<'waiting' | 'cancelled'>()
    const cancel = () => resolve('cancelled')
    signal?.addEventListener('abort', cancel, { once: true })
    const timer = setTimeout(resolve, waitMs, 'waiting')
    try {
      if (signal?.aborted) return 'cancelled'
      const now = this.#now(shared)
      if (now.state !== 'waiting') return now
      if (waitMs <= 0) return 'waiting'
      shared.settled ??= this.#watch(shared)
      return await Promise.race([shared.settled, enough])
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', cancel)
      if (--shared.waiters === 0 && !shared.outcome) this.#forget(key, shared)
    }
  }

  /** Of all that wait here the first takes it; the others get what its run gives. */
  async #use(shared: Shared, question: NewQuestion, waiting: Waiting): Promise<Waited> {
    shared.outcome = waiting.whenEnded()
    this.#shared.set(question.key, shared)
    const forget = () => this.#forget(question.key, shared)
    shared.outcome.then(forget, forget)
    const { id } = shared.approval
    const { reason } = this.#journal.approvals.read(id) ?? {}
    if (await this.#journal.approvals.use(id)) return { answer: 'approved', ...(reason !== undefined && { reason }) }
    this.#forget(question.key, shared)
    return this.ask(question, waiting)
  }

  #forget(key: string, shared: Shared): void {
    if (this.#shared.get(key) === shared) this.#shared.delete(key)
  }
}

function joined(shared: Shared): Shared {
  shared.waiters++
  return shared
}

const notKept = {
  full: 'Too many questions wait for an answer already.',
  'too-large': 'The call is too large to be kept for a later answer.',
} as const

function noticeOf({ id, deadline }: PendingApproval): PendingNotice {
  return { id, until: new Date(deadline).toISOString() }
}

function saidNo(reason: string | undefined): string {
  return reason ? `A person said no: ${reason}` : 'A person said no.'
}

async function attached(outcome: Promise<Outcome>, signal: AbortSignal | undefined): Promise<Waited> {
  const { promise: given, resolve } = Promise.withResolvers<undefined>()
  const giveUp = () => resolve(undefined)
  if (signal?.aborted) giveUp()
  signal?.addEventListener('abort', giveUp, { once: true })
  const ended = await Promise.race([outcome, given])
  signal?.removeEventListener('abort', giveUp)
  return ended ? { answer: 'attached', outcome: ended } : { answer: 'cancelled' }
}
