// Conversations with the AI SDK's own mock model: what it says and calls, what it was told, what a person answers.

import { generateText, isStepCount, type ModelMessage, type streamText } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import type { AiSdkTools } from '../../src/adapters/ai-sdk.ts'
import { usage } from './models.ts'

type Calls = readonly (readonly [toolName: string, input: unknown, toolCallId?: string])[]

export const say = (text: string) => ({
  content: [{ type: 'text' as const, text }],
  finishReason: { unified: 'stop' as const, raw: 'stop' },
  usage,
  warnings: [],
})

/** Calls tools, all at once; an input that is a text goes as it is. */
export const callAll = (...calls: Calls) => ({
  content: calls.map(([toolName, input, toolCallId = 'c1']) => {
    const written = typeof input === 'string' ? input : JSON.stringify(input)
    return { type: 'tool-call' as const, toolCallId, toolName, input: written }
  }),
  finishReason: { unified: 'tool-calls' as const, raw: 'tool_calls' },
  usage,
  warnings: [],
})

export const modelThat = (...turns: ReturnType<typeof callAll | typeof say>[]) =>
  new MockLanguageModelV4({ doGenerate: turns })

/** What the model was last told about the tools it called. */
export const toldTo = (model: MockLanguageModelV4) =>
  model.doGenerateCalls.at(-1)?.prompt.flatMap((message) => (message.role === 'tool' ? message.content : []))

/** Lets a model call tools once, and then be done. */
export async function converse(offered: Partial<AiSdkTools>, ...calls: Calls) {
  const model = modelThat(callAll(...calls), say('done'))
  const result = await generateText({ model, ...offered, prompt: 'x', stopWhen: isStepCount(3) })
  return { model, result, told: toldTo(model) }
}

/** A conversation up to where a person is asked. */
export async function untilAsked(offered: AiSdkTools, ...calls: Calls) {
  const messages: ModelMessage[] = [{ role: 'user', content: 'x' }]
  const model = modelThat(callAll(...calls))
  const result = await generateText({ model, ...offered, messages, stopWhen: isStepCount(3) })
  messages.push(...result.response.messages)
  return { messages, questions: questionsIn(result.content) }
}

type Asked = Awaited<ReturnType<typeof generateText>>['content'] | Awaited<ReturnType<typeof streamText>['content']>

export const questionsIn = (content: Asked) =>
  content.flatMap((part) => (part.type === 'tool-approval-request' ? [part] : []))

/** The message with which a person answers some questions. */
export function answer(
  approvalIds: readonly string[],
  approved: boolean | readonly boolean[],
  reason?: string,
): ModelMessage {
  const content = approvalIds.map((approvalId, at) => {
    const isYes = typeof approved === 'boolean' ? approved : (approved[at] ?? false)
    return { type: 'tool-approval-response' as const, approvalId, approved: isYes, ...(reason && { reason }) }
  })
  return { role: 'tool', content }
}

/** Goes on with a conversation; the model only talks, or calls what it is told to. */
export async function goOn(offered: AiSdkTools, messages: ModelMessage[], ...calls: Calls) {
  const model = modelThat(...(calls.length ? [callAll(...calls)] : []), say('done'))
  await generateText({ model, ...offered, messages, stopWhen: isStepCount(3) })
  return { model, told: JSON.stringify(toldTo(model)) }
}
