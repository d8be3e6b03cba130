// A row of the table of approvals as the question it holds.

import { isObject } from '../base/json.ts'
import { type ApprovalState, approvalStates, type PendingApproval, type ShownRequest } from '../model/approval.ts'

type Row = Readonly<Record<string, unknown>>

export function readApproval(row: Row): PendingApproval {
  const reason = row.reason
  return {
    id: String(row.id),
    key: String(row.key),
    caller: String(row.caller),
    request: requestOf(row),
    state: stateOf(row),
    ...(typeof reason === 'string' && { reason }),
    askedAt: Number(row.asked_at),
    deadline: Number(row.deadline),
  }
}

/** Written by this file's own program and no other: what does not read as such is a damaged file. */
function requestOf({ id, request }: Row): ShownRequest {
  const read: unknown = JSON.parse(String(request))
  if (isObject(read) && typeof read.tool === 'string' && Array.isArray(read.reasons))
    return read as unknown as ShownRequest
  throw new Error(`the question ${String(id)} is damaged`)
}

function stateOf({ state }: Row): ApprovalState {
  const known = approvalStates.find((each) => each === state)
  if (known === undefined) throw new Error(`"${String(state)}" is no state of a question`)
  return known
}
