// A person's yes or no, asked through an MCP client that can put a form to them.

import { isObject } from '../base/json.ts'
import type { Questions } from '../model/client.ts'
import type { Approve } from '../model/decision.ts'
import { describeRequest } from '../policy/describe-request.ts'
import { makeSecret } from './capability.ts'

type Ask = (questions: Questions, signal: AbortSignal) => Promise<Readonly<Record<string, unknown>>>

/** A question that is longer is not put through a client, because a person must see all of it before they say yes. */
const maxLength = 16_000

/** Whether a client can put a form to a person. One that only opens addresses cannot. */
export function canApprove({ elicitation }: Readonly<Record<string, unknown>>): boolean {
  return isObject(elicitation) && (isObject(elicitation.form) || !isObject(elicitation.url))
}

/** Only an accepted form with a yes in it is a yes. */
export function approveBy(ask: Ask): Approve {
  return async (request) => {
    const message = describeRequest(request)
    if (message.length > maxLength) return 'elsewhere'
    // The key cannot be guessed, so that no answer is there before the question.
    const key = `legwork_approval_${makeSecret().slice(0, 16)}`
    const params = { message, requestedSchema: form }
    const { [key]: answer } = await ask({ [key]: { method: 'elicitation/create', params } }, request.signal)
    if (!isObject(answer) || answer.action !== 'accept') return { approved: false, reason: refusalOf(answer) }
    return isObject(answer.content) && answer.content.approve === true
  }
}

const form = {
  type: 'object',
  properties: {
    approve: { type: 'boolean', title: 'Run it', description: 'Yes, once, exactly this.', default: false },
  },
  required: ['approve'],
}

function refusalOf(answer: unknown): string {
  const isDeclined = isObject(answer) && answer.action === 'decline'
  return isDeclined ? 'they declined.' : 'they closed the question without an answer.'
}
