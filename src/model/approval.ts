// A question that waits for a person's answer while nobody is there to give it, as it is kept beside the journal.

import type { ApprovalRequest } from './decision.ts'

/** What an answer holds for: this caller, this definition of this tool, these arguments, and nothing else. */
export interface ApprovalKey {
  /** A hash of all of that; two calls of one key are the same call. */
  readonly key: string
  /** Who asks, to be shown. */
  readonly caller: string
}

/** What a person is shown. Secrets are redacted in it. */
export type ShownRequest = Omit<ApprovalRequest, 'signal'>

/** `used` is an approval that a call has taken: it holds once. */
export const approvalStates = ['waiting', 'approved', 'refused', 'used'] as const
export type ApprovalState = (typeof approvalStates)[number]

export interface PendingApproval extends ApprovalKey {
  /** Short, to be typed: `legwork approve <id>`. */
  readonly id: string
  readonly request: ShownRequest
  readonly state: ApprovalState
  /** What the person said with their answer. */
  readonly reason?: string
  /** Both as milliseconds since the epoch. */
  readonly askedAt: number
  readonly deadline: number
}

export type Answered =
  | { readonly ok: true; readonly approval: PendingApproval }
  | { readonly ok: false; readonly code: 'unknown' | 'answered' | 'too-late'; readonly approval?: PendingApproval }

/** The questions that wait. Several processes may ask, answer and use at once; each answer counts once. */
export interface PendingApprovals {
  /** The question of this key that has not ended, or a new one; `full` where too many wait already. */
  readonly ask: (question: NewQuestion) => Promise<PendingApproval | 'full' | 'too-large'>
  readonly read: (id: string) => PendingApproval | undefined
  /** Those that wait for an answer, oldest first. */
  readonly waiting: () => readonly PendingApproval[]
  readonly answer: (id: string, answer: { readonly approved: boolean; readonly reason?: string }) => Promise<Answered>
  /** Takes an approval, once. False where somebody else did, or time is up. */
  readonly use: (id: string) => Promise<boolean>
}

export interface NewQuestion extends ApprovalKey {
  /** Whose questions it is counted with. */
  readonly asker: string
  readonly request: ShownRequest
  readonly timeoutMs: number
}

/** What a call that waits for an approval tells its caller. */
export interface PendingNotice {
  readonly id: string
  /** Until when it can be answered and used, as ISO 8601 in UTC. */
  readonly until: string
}
