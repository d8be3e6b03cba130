// A model's reply to the tool calls in it, whichever provider it came from.

import { isObject } from '../base/json.ts'
import { limitSpecs } from '../model/limits.ts'
import { type ArgumentsError, readArguments } from './arguments.ts'
import { forProvider, type Provider, ToolCallError } from './provider.ts'

interface CallBase {
  /** The provider's id of this call; made up where the provider gave none. */
  readonly id: string
  /** The tool as the model spelled it. */
  readonly name: string
  /** Set when the provider gave no id: then none is sent back to a provider that does without. */
  readonly madeUpId?: true
}

export interface ToolCall extends CallBase {
  readonly arguments: Record<string, unknown>
  readonly error?: undefined
}

/** A call whose arguments cannot be read: it has none, so that nobody runs it by mistake. */
export interface BrokenToolCall extends CallBase {
  readonly arguments?: undefined
  readonly error: ArgumentsError
}

export interface ParseOptions {
  /** How long the text of one call's arguments may be. Default 10 485 760. */
  readonly maxArgumentsLength?: number
}

/**
 * The tool calls of a reply, in its order; none when the model only talks. Takes the whole response, the message in it, or
 * the list of blocks in that. What the provider runs by itself is left out. Something else altogether is a `ToolCallError`.
 */
export function parseToolCall(
  provider: Provider,
  reply: unknown,
  { maxArgumentsLength = limitSpecs.maxInputBytes.default }: ParseOptions = {},
): (ToolCall | BrokenToolCall)[] {
  const written = forProvider(provider, readers)(reply)
  if (!written) throw new ToolCallError('invalid-reply', `This is no reply of "${provider}". ${expected[provider]}`)
  const given = new Set(written.map(({ id }) => id))
  return written.map((call, at) => {
    const own = call.id === undefined ? { id: unused(given, at), madeUpId: true as const } : { id: call.id }
    const read = readArguments(call.arguments, maxArgumentsLength)
    const base = { ...own, name: typeof call.name === 'string' ? call.name : '' }
    return read.ok ? { ...base, arguments: read.arguments } : { ...base, error: read.error }
  })
}

/** A call as it stands in the reply; anything may be wrong with it. */
interface Written {
  readonly id: string | undefined
  readonly name: unknown
  readonly arguments: unknown
}

/** Undefined when it is no reply of that provider. */
type Reader = (reply: unknown) => readonly Written[] | undefined

const readers: Record<Provider, Reader> = {
  openai: (reply) => {
    const message = isObject(reply) && Array.isArray(reply.choices) ? openaiMessage(reply.choices[0]) : reply
    if (Array.isArray(message)) return message.flatMap(openaiCall)
    if (!isObject(message)) return undefined
    if (isObject(message.function_call)) throw new ToolCallError('invalid-reply', oldForm)
    if (Array.isArray(message.tool_calls)) return message.tool_calls.flatMap(openaiCall)
    return message !== reply || 'role' in message || 'content' in message ? [] : openaiCalls(message)
  },
  'openai-responses': (reply) => blocksOf(reply, 'output')?.flatMap(responsesCall),
  anthropic: (reply) => blocksOf(reply, 'content')?.flatMap(anthropicCall),
  gemini: (reply) => geminiParts(reply)?.flatMap(geminiCall),
}

const expected: Record<Provider, string> = {
  openai: 'Give it the response with "choices", the message in it, or the list of tool calls in that.',
  'openai-responses': 'Give it the response with "output", or the list of items in it.',
  anthropic: 'Give it the message with "content", or the list of blocks in it.',
  gemini: 'Give it the response with "candidates", the content with "parts", or the list of parts in that.',
}

const oldForm =
  'This reply calls by "function_call", the old form of OpenAI, which cannot be answered. Offer the tools as "tools", so that the model calls by "tool_calls".'

/** A chunk has a part of the reply, and a call in it would be a part of a call. */
function openaiMessage(choice: unknown): unknown {
  const { message, delta } = isObject(choice) ? choice : {}
  if (message === undefined && isObject(delta)) {
    const advice = 'Gather the stream into the whole message first, such as with finalChatCompletion().'
    throw new ToolCallError('invalid-reply', `This is one chunk of a streamed reply of "openai". ${advice}`)
  }
  return message ?? {}
}

function openaiCall(call: unknown): Written[] {
  if (!isObject(call) || !isObject(call.function)) return []
  return [{ id: idOf(call.id), name: call.function.name, arguments: call.function.arguments }]
}

/** One tool call by itself. */
function openaiCalls(call: unknown): Written[] | undefined {
  const calls = openaiCall(call)
  return calls.length ? calls : undefined
}

function responsesCall(item: unknown): Written[] {
  if (!isObject(item) || item.type !== 'function_call') return []
  return [{ id: idOf(item.call_id) ?? idOf(item.id), name: item.name, arguments: item.arguments }]
}

function anthropicCall(block: unknown): Written[] {
  if (!isObject(block) || block.type !== 'tool_use') return []
  return [{ id: idOf(block.id), name: block.name, arguments: block.input }]
}

/** A part with a function call, or a function call itself as the SDK's `functionCalls` lists them. */
function geminiCall(part: unknown): Written[] {
  if (!isObject(part)) return []
  const call = isObject(part.functionCall) ? part.functionCall : part
  if (call === part && typeof part.name !== 'string') return []
  return [{ id: idOf(call.id), name: call.name, arguments: call.args }]
}

/** The blocks of a message, of a list, or of one block by itself; a message of plain text has none. */
function blocksOf(reply: unknown, field: 'content' | 'output'): readonly unknown[] | undefined {
  if (Array.isArray(reply)) return reply
  if (!isObject(reply)) return undefined
  const blocks = reply[field]
  if (Array.isArray(blocks)) return blocks
  if (typeof blocks === 'string') return []
  return blockTypes.includes(reply.type) ? [reply] : undefined
}

const blockTypes: readonly unknown[] = ['tool_use', 'function_call']

/** The first candidate's parts; a response without candidates was blocked. */
function geminiParts(reply: unknown): readonly unknown[] | undefined {
  if (Array.isArray(reply)) return reply
  if (!isObject(reply)) return undefined
  if (Array.isArray(reply.parts)) return reply.parts
  if (isObject(reply.content)) return geminiParts({ parts: [], ...reply.content })
  if (Array.isArray(reply.candidates))
    return reply.candidates.length ? geminiParts({ content: {}, ...reply.candidates[0] }) : []
  if ('functionCall' in reply) return [reply]
  return 'promptFeedback' in reply || 'usageMetadata' in reply ? [] : undefined
}

/** Some servers number their calls. An empty id, or one that is no text at all, is none. */
function idOf(id: unknown): string | undefined {
  if (typeof id === 'number') return String(id)
  return typeof id === 'string' && id !== '' ? id : undefined
}

function unused(given: Set<string | undefined>, at: number): string {
  let id = `call_${at}`
  while (given.has(id)) id += '_'
  given.add(id)
  return id
}
