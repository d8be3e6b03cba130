// A question that is kept until somebody answers it.

import { createHash } from 'node:crypto'
import { messageOf } from '../base/json.ts'
import type { ShownRequest } from '../model/approval.ts'
import { type Caller, libraryCaller, shownCaller } from '../model/call.ts'
import type { Asking } from './approve.ts'
import type { EngineParts } from './engine.ts'
import type { PendingCalls, Waited } from './pending.ts'
import { questionKey } from './question-key.ts'
import type { CallRecord } from './record.ts'

export async function askElsewhere(
  { redactor, policy }: EngineParts,
  pending: PendingCalls,
  record: CallRecord,
  asking: Asking,
  request: ShownRequest,
): Promise<Waited> {
  const { caller = libraryCaller, approvalWaitMs = 0, signal } = asking.call
  const timeoutMs = policy.approvalTimeoutMs
  const waiting = { waitMs: approvalWaitMs, signal, whenEnded: () => record.whenEnded() }
  try {
    const key = questionKey(asking.tool, asking.checked, asking.call)
    if (key === undefined) return { answer: 'not-kept', reason: 'The input is more than JSON can hold.' }
    const question = {
      key,
      asker: askerOf(caller),
      caller: redactor.text(shownCaller(asking.call)),
      request,
      timeoutMs,
    }
    return await pending.ask(question, waiting)
  } catch (error) {
    return { answer: 'not-kept', reason: messageOf(error) }
  }
}

/** Whose questions are counted together: nobody chooses that, as they do their name. */
function askerOf({ front, session, isOneOfMany }: Caller): string {
  const asker = session === undefined || isOneOfMany ? front : `${front} ${session}`
  return createHash('sha256').update(asker).digest('hex')
}
