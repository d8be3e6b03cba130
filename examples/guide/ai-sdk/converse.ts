import { generateText, isStepCount, type LanguageModel, type ModelMessage } from 'ai'
import type { Legwork } from 'legwork'

type Ask = (toolName: string, input: unknown, reason?: string) => Promise<boolean>

/** Goes on until the model has its answer. The Legwork is the same for the whole conversation: it knows what it has asked. */
export async function converse(legwork: Legwork, model: LanguageModel, messages: ModelMessage[], ask: Ask) {
  for (;;) {
    const offered = await legwork.aiSdk()
    const { text, content, response } = await generateText({ model, messages, ...offered, stopWhen: isStepCount(5) })
    const answers: Extract<ModelMessage, { role: 'tool' }>['content'] = []
    for (const part of content) {
      if (part.type !== 'tool-approval-request') continue
      const approved = await ask(part.toolCall.toolName, part.toolCall.input, part.reason)
      answers.push({ type: 'tool-approval-response', approvalId: part.approvalId, approved })
    }
    messages.push(...response.messages)
    if (answers.length === 0) return text
    messages.push({ role: 'tool', content: answers })
  }
}
