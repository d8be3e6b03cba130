// A person's yes or no. Whatever is not a plain yes is a no.

import { toJson } from '../base/json.ts'
import type { Call } from '../model/call.ts'
import type { Decision } from '../model/decision.ts'
import type { Tool } from '../model/tool.ts'
import type { Ending } from '../outcome/finish.ts'
import { askApproval } from '../policy/approval.ts'
import type { Valid } from './check.ts'
import type { EngineParts } from './engine.ts'
import type { Waited } from './pending.ts'
import { askElsewhere } from './pending-question.ts'
import { questionKey } from './question-key.ts'
import type { CallRecord } from './record.ts'
import { approvalNeeded, approvalPending, sameEnding } from './refusals.ts'

export type Approved = { readonly ok: true } | { readonly ok: false; readonly ending: Ending }

/** What is asked about. */
export interface Asking {
  readonly tool: Tool
  readonly checked: Valid
  readonly decision: Decision
  readonly call: Call
  /** The tool again where it is in no catalogue, such as a script: without a fingerprint, what it would do is not all in its definition. */
  readonly given: Tool | undefined
}

export async function approve(parts: EngineParts, record: CallRecord, asking: Asking): Promise<Approved> {
  const { tool, decision } = asking
  const answer = await record.running.whileAsking(() => ask(parts, record, asking))
  switch (answer.answer) {
    case 'approved':
      record.decided({ ...decision, verdict: 'allow', reasons: [...decision.reasons, approvedBecause(answer.reason)] })
      return { ok: true }
    case 'cancelled':
      return refused({ ok: false, code: 'cancelled', message: `"${tool.id}" was cancelled before it ran.` })
    case 'no-handler':
      return refused(approvalNeeded(tool.id, decision, 'there is nobody to ask'))
    case 'not-kept':
      return refused(approvalNeeded(tool.id, decision, `there is nobody to ask now. ${answer.reason}`))
    case 'pending':
      return refused(approvalPending(tool.id, decision, answer.notice))
    case 'attached': {
      const reason = `An identical call was approved, once, and ran: ${answer.outcome.callId}.`
      record.decided({ ...decision, verdict: 'allow', reasons: [...decision.reasons, reason] })
      return refused(sameEnding(answer.outcome))
    }
    case 'refused':
    case 'no-answer': {
      const reason = answer.reason
      record.decided({ ...decision, verdict: 'deny', rule: 'approval', reasons: [reason, ...decision.reasons] })
      return refused({ ok: false, code: 'denied', message: `"${tool.id}" did not run. ${reason}` })
    }
    default:
      return answer satisfies never
  }
}

function refused(ending: Ending): Approved {
  return { ok: false, ending }
}

/** Whoever is there is asked; else the question is kept, where that is wanted. */
async function ask(parts: EngineParts, record: CallRecord, asking: Asking): Promise<Waited | { answer: 'no-handler' }> {
  const { tool, checked, decision, call, given } = asking
  const { content = '', signal, approved } = call
  if (approved !== undefined) return questionKey(tool, checked, call) === approved ? approvedElsewhere : changedSince
  // Copies: whoever is asked cannot change what then runs.
  const request = parts.redactor.value({
    callId: record.callId,
    tool: tool.id,
    ...(tool.title !== undefined && { title: tool.title }),
    description: tool.description,
    input: plainly(checked.input),
    ...(content !== '' && { content }),
    ...(checked.plan?.argv && { argv: [...checked.plan.argv] }),
    effects: record.effects(),
    trust: tool.trust,
    rule: decision.rule,
    reasons: decision.reasons,
  })
  const timeoutMs = parts.policy.approvalTimeoutMs
  const answer = await askApproval(call.approve ?? parts.approve, request, { timeoutMs, ...(signal && { signal }) })
  const isKept = parts.pending && (!given || given.fingerprint)
  if (answer.answer !== 'no-handler' || !parts.pending || !isKept) return answer
  return askElsewhere(parts, parts.pending, record, asking, request)
}

const approvedElsewhere = { answer: 'approved', reason: 'they were asked by the program that made the call.' } as const
const changedSince = {
  answer: 'refused',
  reason: 'What a person approved was another question: the tool, its code or its input has changed since. Ask again.',
} as const

/** What a schema made of the input may be more than JSON can hold. */
function plainly(input: unknown): unknown {
  const made = toJson(input)
  return made.ok ? made.json : `(${made.message})`
}

function approvedBecause(reason: string | undefined): string {
  return reason ? `A person approved it: ${reason}` : 'A person approved it.'
}
