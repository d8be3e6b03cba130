// Asks a person, and takes nothing but a plain yes for a yes.

import { startDeadline } from '../base/deadline.ts'
import { isObject, messageOf } from '../base/json.ts'
import type { ApprovalRequest, Approve } from '../model/decision.ts'

export type Approval =
  | { readonly answer: 'approved'; readonly reason?: string }
  | { readonly answer: 'refused'; readonly reason: string }
  | { readonly answer: 'no-answer'; readonly reason: string }
  | { readonly answer: 'no-handler' }
  | { readonly answer: 'cancelled' }

export interface ApprovalOptions {
  /** How long the person has, in milliseconds. */
  readonly timeoutMs: number
  /** Fires when the call is given up. Default never. */
  readonly signal?: AbortSignal
}

/** Never throws. An answer that comes too late, or after the call was given up, changes nothing. */
export async function askApproval(
  approve: Approve | undefined,
  request: Omit<ApprovalRequest, 'signal'>,
  { timeoutMs, signal }: ApprovalOptions,
): Promise<Approval> {
  if (signal?.aborted) return { answer: 'cancelled' }
  if (!approve) return { answer: 'no-handler' }
  const deadline = startDeadline(timeoutMs, signal)
  const startedAt = performance.now()
  const over = new Promise<undefined>((resolve) => {
    deadline.signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
  const answered = ask(approve, { ...request, signal: deadline.signal })
  const approval = await Promise.race([answered, over])
  deadline.stop()
  if (deadline.cause() === 'cancelled') return { answer: 'cancelled' }
  // A handler that blocks the process also holds back the timer, so the clock has a word too.
  const isLate = deadline.cause() === 'timed-out' || performance.now() - startedAt > timeoutMs
  return approval && !isLate ? approval : noAnswer(timeoutMs)
}

async function ask(approve: Approve, request: ApprovalRequest): Promise<Approval> {
  try {
    return readAnswer(await approve(request))
  } catch (error) {
    return { answer: 'refused', reason: `The approval handler failed: ${messageOf(error)}` }
  }
}

/** `true` and `{approved: true}` are a yes. Whatever else an untyped handler may give is a no. */
function readAnswer(answer: unknown): Approval {
  if (answer === 'elsewhere') return { answer: 'no-handler' }
  const isForm = isObject(answer) && Object.hasOwn(answer, 'approved')
  const { approved, reason } = isForm ? answer : { approved: answer, reason: undefined }
  const because = typeof reason === 'string' && reason ? reason : undefined
  if (approved === true) return { answer: 'approved', ...(because && { reason: because }) }
  if (approved === false)
    return { answer: 'refused', reason: because ? `A person said no: ${because}` : 'A person said no.' }
  const shown = messageOf(answer).slice(0, 100)
  return {
    answer: 'refused',
    reason: `The approval handler answered ${shown}; only true or {approved: true} is a yes.`,
  }
}

function noAnswer(timeoutMs: number): Approval {
  return { answer: 'no-answer', reason: `No answer came within ${timeoutMs} ms, which counts as a no.` }
}
