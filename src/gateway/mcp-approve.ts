// A person's yes or no, asked through an MCP client that can put a form to them.

import { isObject } from '../base/json.ts'
import type { Questions } from '../model/client.ts'
import type { ApprovalRequest, Approve } from '../model/decision.ts'
import { makeSecret } from './capability.ts'

type Ask = (questions: Questions, signal: AbortSignal) => Promise<Readonly<Record<string, unknown>>>

const maxShown = 4_000

/** Whether a client can put a form to a person. One that only opens addresses cannot. */
export function canApprove({ elicitation }: Readonly<Record<string, unknown>>): boolean {
  return isObject(elicitation) && (isObject(elicitation.form) || !isObject(elicitation.url))
}

/** Only an accepted form with a yes in it is a yes. */
export function approveBy(ask: Ask): Approve {
  return async (request) => {
    // The key cannot be guessed, so that no answer is there before the question.
    const key = `legwork_approval_${makeSecret().slice(0, 16)}`
    const params = { message: messageOf(request), requestedSchema: form }
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

/** All that the call would do, with nothing hidden in it. What is too long is cut, and said to be. */
function messageOf({ tool, title, description, input, content, argv, reasons }: ApprovalRequest): string {
  const lines = [
    `${title ?? tool} asks to run: ${description}`,
    ...reasons,
    `${tool} ${argv ? argv.map((word) => JSON.stringify(word)).join(' ') : JSON.stringify(input, null, 2)}`,
    ...(content === undefined ? [] : [content]),
  ]
  return lines.map((line) => shortened(unhidden(line))).join('\n')
}

function shortened(text: string): string {
  return text.length <= maxShown ? text : `${text.slice(0, maxShown)}… (${text.length - maxShown} more characters)`
}

/** What a person says yes to must be what runs: characters that would be obeyed or hidden are spelt out. */
function unhidden(text: string): string {
  return text.replace(/[^\P{C}\n]|[\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, (letter) => {
    return `\\u{${letter.codePointAt(0)?.toString(16)}}`
  })
}
