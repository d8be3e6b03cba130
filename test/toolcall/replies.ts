// Replies with tool calls in the shape of each provider, made from the calls that a test wants in them.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Provider } from '../../src/doors/toolcall.ts'

export interface Wanted {
  readonly id?: unknown
  readonly name: unknown
  /** As the model wrote them: text for OpenAI, the value itself for the others. */
  readonly arguments?: unknown
}

export function reply(provider: Provider, calls: readonly Wanted[]): unknown {
  switch (provider) {
    case 'openai': {
      const tool_calls = calls.map(({ id, name, arguments: given }) => {
        return { id, type: 'function', function: { name, arguments: given } }
      })
      return {
        choices: [{ index: 0, message: { role: 'assistant', content: null, tool_calls }, finish_reason: 'tool_calls' }],
      }
    }
    case 'openai-responses':
      return {
        object: 'response',
        output: calls.map(({ id, name, arguments: given }) => ({
          type: 'function_call',
          call_id: id,
          name,
          arguments: given,
        })),
      }
    case 'anthropic':
      return {
        type: 'message',
        role: 'assistant',
        content: calls.map(({ id, name, arguments: input }) => ({ type: 'tool_use', id, name, input })),
        stop_reason: 'tool_use',
      }
    case 'gemini':
      return {
        candidates: [
          {
            content: {
              role: 'model',
              parts: calls.map(({ id, name, arguments: args }) => ({
                functionCall: { ...(id !== undefined && { id }), name, args },
              })),
            },
          },
        ],
      }
  }
}

/** The ids and texts of messages that go back, and which of them say that something failed. */
export function answers(messages: readonly unknown[]): { id: unknown; text: unknown }[] {
  return JSON.parse(JSON.stringify(messages)).flatMap((message: Record<string, never>) => {
    const { content, parts, tool_call_id, call_id, output } = message as Record<string, unknown>
    if (tool_call_id !== undefined) return [{ id: tool_call_id, text: content }]
    if (call_id !== undefined) return [{ id: call_id, text: output }]
    if (Array.isArray(content)) return content.map((block) => ({ id: block.tool_use_id, text: block.content }))
    return (parts as { functionResponse: { id?: string; response: Record<string, unknown> } }[]).map((part) => {
      const { id, response } = part.functionResponse
      return { id, text: response.output ?? response.error }
    })
  })
}

export function recorded(provider: Provider): unknown {
  return JSON.parse(readFileSync(join(import.meta.dirname, `../../examples/models/${provider}.json`), 'utf8'))
}
