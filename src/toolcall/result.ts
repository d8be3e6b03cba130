// What a call gave back, as the message that the provider wants in answer to it.

import type { Outcome } from '../model/outcome.ts'
import type { ToolKind } from '../model/tool.ts'
import { type ResultPart, resultParts } from '../outcome/result-parts.ts'
import type { BrokenToolCall, ToolCall } from './parse.ts'
import { forProvider, type Provider } from './provider.ts'
import type { AnthropicContent, OpenAIResponsesContent, ProviderMessages } from './wire.ts'

/** The part of an outcome that a model is shown: redacted and cut to length already. Images are in the value. */
export type ShownOutcome = Pick<Outcome, 'ok' | 'text'> & Partial<Pick<Outcome, 'value' | 'warnings'>>

export interface CallResult {
  readonly call: Pick<ToolCall | BrokenToolCall, 'id' | 'name' | 'madeUpId'>
  readonly outcome: ShownOutcome
  /** Of the tool: images of one that is `mcp` go as images, to providers that take them. Default: everything goes as text. */
  readonly kind?: ToolKind | undefined
}

/** The message that answers one call. */
export function handleToolResult<P extends Provider>(
  provider: P,
  call: CallResult['call'],
  outcome: ShownOutcome,
  kind?: ToolKind,
): ProviderMessages[P] {
  return forProvider(provider, makers)({ call, outcome, kind })
}

/** The messages that answer all the calls of a reply: one each for OpenAI, one for all of them for Anthropic and Gemini. */
export function handleToolResults<P extends Provider>(
  provider: P,
  results: readonly CallResult[],
): ProviderMessages[P][] {
  return forProvider(provider, joiners)(results.map(forProvider(provider, makers)))
}

type Makers = { readonly [P in Provider]: (result: CallResult) => ProviderMessages[P] }
type Joiners = { readonly [P in Provider]: (messages: ProviderMessages[P][]) => ProviderMessages[P][] }

const makers: Makers = {
  openai: ({ call, outcome }) => ({ role: 'tool', tool_call_id: call.id, content: shown(outcome) }),
  'openai-responses': ({ call, outcome, kind }) => {
    const output = partsOf(outcome, kind)?.map(responsesPart) ?? shown(outcome)
    return { type: 'function_call_output', call_id: call.id, output }
  },
  anthropic: ({ call, outcome, kind }) => {
    const content = partsOf(outcome, kind)?.map(anthropicPart) ?? shown(outcome)
    const block = { tool_use_id: call.id, content, is_error: !outcome.ok }
    return { role: 'user', content: [{ type: 'tool_result', ...block }] }
  },
  gemini: ({ call: { id, name, madeUpId }, outcome }) => {
    const response = outcome.ok ? { output: shown(outcome) } : { error: shown(outcome) }
    return { role: 'user', parts: [{ functionResponse: { ...(!madeUpId && { id }), name, response } }] }
  },
}

const joiners: Joiners = {
  openai: (messages) => messages,
  'openai-responses': (messages) => messages,
  anthropic: (messages) => together(messages, { role: 'user', content: messages.flatMap(({ content }) => content) }),
  gemini: (messages) => together(messages, { role: 'user', parts: messages.flatMap(({ parts }) => parts) }),
}

function together<Message>(messages: readonly Message[], all: Message): Message[] {
  return messages.length ? [all] : []
}

function partsOf({ value, warnings = [], ...rest }: ShownOutcome, kind: ToolKind | undefined) {
  return value === undefined ? undefined : resultParts({ ...rest, value, warnings }, kind)
}

export function anthropicPart(part: ResultPart): AnthropicContent {
  if (part.type === 'text') return { ...part }
  return { type: 'image', source: { type: 'base64', media_type: part.mediaType, data: part.data } }
}

function responsesPart(part: ResultPart): OpenAIResponsesContent {
  if (part.type === 'text') return { type: 'input_text', text: part.text }
  return { type: 'input_image', image_url: `data:${part.mediaType};base64,${part.data}`, detail: 'auto' }
}

/** Anthropic refuses an error without a text. */
function shown({ ok, text }: ShownOutcome): string {
  return text === '' && !ok ? 'The tool failed and said nothing.' : text
}
