// A call that failed inside another, as whoever made the outer one hears of it.

import type { Failure } from './outcome.ts'
import type { Ran } from './tool.ts'

/** What went wrong, with every fault of the input. */
export function failureMessage(failure: Pick<Failure, 'message'> & { readonly issues?: unknown }): string {
  const issues = Array.isArray(failure.issues) ? failure.issues : []
  return [failure.message, ...issues.map(({ path, message }) => (path ? `${path}: ${message}` : message))].join(' ')
}

/** The failure that a run ended with, if it is one of its own calls: whatever the run says of it, only what happened counts. */
export function innerFailure(failures: readonly Failure[], thrown: unknown): Failure | undefined {
  return failures.findLast((failure) => failureMessage(failure) === thrown)
}

/** A run that was not let do what it wanted, or had no time for it, ends in that way; any other has failed. */
export function endedBy(
  inner: Failure | undefined,
  message: string,
  value?: unknown,
): Extract<Ran, { readonly ok: false }> {
  const common = { ok: false, message, ...(value !== undefined && { value }) } as const
  switch (inner?.code) {
    case 'timed-out':
      return { ...common, code: 'timed-out', afterMs: inner.afterMs }
    case 'denied':
      return { ...common, code: 'denied', ...(inner.reason && { reason: inner.reason }) }
    case 'approval-needed':
      return { ...common, code: 'approval-needed', ...(inner.approval && { approval: inner.approval }) }
    case 'too-busy':
      return { ...common, code: 'too-busy' }
    default:
      return { ...common, code: 'tool-failed' }
  }
}
