// A person's yes or no. Whatever is not a plain yes is a no.

import { toJson } from '../base/json.ts'
import type { Call } from '../model/call.ts'
import type { Decision } from '../model/decision.ts'
import type { Tool } from '../model/tool.ts'
import type { Ending } from '../outcome/finish.ts'
import { askApproval } from '../policy/approval.ts'
import type { Valid } from './check.ts'
import type { EngineParts } from './engine.ts'
import type { CallRecord } from './record.ts'

export type Approved = { readonly ok: true } | { readonly ok: false; readonly ending: Ending }

export async function approve(
  { approve: handler, redactor, policy }: EngineParts,
  record: CallRecord,
  tool: Tool,
  { input, plan }: Valid,
  decision: Decision,
  { content = '', signal, approve: own }: Call,
): Promise<Approved> {
  // Copies: whoever is asked cannot change what then runs.
  const request = redactor.value({
    callId: record.callId,
    tool: tool.id,
    description: tool.description,
    input: plainly(input),
    ...(content !== '' && { content }),
    ...(plan?.argv && { argv: [...plan.argv] }),
    effects: record.effects(),
    trust: tool.trust,
    rule: decision.rule,
    reasons: decision.reasons,
  })
  const answer = await record.running.whileAsking(() =>
    askApproval(own ?? handler, request, { timeoutMs: policy.approvalTimeoutMs, ...(signal && { signal }) }),
  )
  const why = decision.reasons.join(' ')
  switch (answer.answer) {
    case 'approved':
      record.decided({ ...decision, verdict: 'allow', reasons: [...decision.reasons, approvedBecause(answer.reason)] })
      return { ok: true }
    case 'cancelled':
      return {
        ok: false,
        ending: { ok: false, code: 'cancelled', message: `"${tool.id}" was cancelled before it ran.` },
      }
    case 'no-handler':
      return {
        ok: false,
        ending: {
          ok: false,
          code: 'approval-needed',
          message: `"${tool.id}" needs a person's approval, and there is nobody to ask. ${why} Allow it by a rule, or give an approval handler.`,
        },
      }
    case 'refused':
    case 'no-answer': {
      const reason = answer.reason
      record.decided({ ...decision, verdict: 'deny', rule: 'approval', reasons: [reason, ...decision.reasons] })
      return { ok: false, ending: { ok: false, code: 'denied', message: `"${tool.id}" did not run. ${reason}` } }
    }
    default:
      return answer satisfies never
  }
}

/** What a schema made of the input may be more than JSON can hold. */
function plainly(input: unknown): unknown {
  const made = toJson(input)
  return made.ok ? made.json : `(${made.message})`
}

function approvedBecause(reason: string | undefined): string {
  return reason ? `A person approved it: ${reason}` : 'A person approved it.'
}
