// What people have answered, as the AI SDK keeps it in the messages of a conversation. Whoever sends the messages may have written
// anything into them.

import { isObject } from '../base/json.ts'

export interface AiSdkMessage {
  readonly role: string
  readonly content: unknown
}

/** A call that a person has said no to, as it stands in the messages. */
export interface AiSdkRefusal {
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
  readonly reason: string | undefined
}

/** Whether the SDK is about to carry out a call because its question was answered: it goes by the last message alone. */
export function isAnswered(messages: readonly AiSdkMessage[], toolCallId: string): boolean {
  const answered = new Set(partsOf(messages.slice(-1), 'tool-approval-response').map(({ approvalId }) => approvalId))
  if (answered.size === 0) return false
  const requests = partsOf(messages, 'tool-approval-request')
  return requests.some((request) => request.toolCallId === toolCallId && answered.has(request.approvalId))
}

export function refusalsIn(messages: readonly AiSdkMessage[]): readonly AiSdkRefusal[] {
  const requests = new Map(partsOf(messages, 'tool-approval-request').map((part) => [part.approvalId, part]))
  const calls = new Map(partsOf(messages, 'tool-call').map((part) => [part.toolCallId, part]))
  return partsOf(messages, 'tool-approval-response').flatMap(({ approvalId, approved, reason }) => {
    const { toolCallId, toolName, input } = calls.get(requests.get(approvalId)?.toolCallId) ?? {}
    if (approved !== false || typeof toolCallId !== 'string' || typeof toolName !== 'string') return []
    return [{ toolCallId, toolName, input, reason: typeof reason === 'string' ? reason : undefined }]
  })
}

function partsOf(messages: readonly AiSdkMessage[], type: string): readonly Record<string, unknown>[] {
  return messages
    .flatMap(({ content }) => (Array.isArray(content) ? content.filter(isObject) : []))
    .filter((part) => part.type === type)
}
