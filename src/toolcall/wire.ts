// What is sent to each provider: its tool definitions and its messages with results. Structurally the same as the types
// of the vendors' own packages, which are not needed to use these.

import type { ShownType } from '../outcome/result-parts.ts'
import type { Provider } from './provider.ts'

/** A JSON Schema whose top is an object. */
export interface ParametersSchema {
  type: 'object'
  properties: Record<string, unknown>
  required?: string[]
  [keyword: string]: unknown
}

export interface OpenAITool {
  type: 'function'
  function: { name: string; description: string; parameters: ParametersSchema; strict?: true }
}

export interface OpenAIResponsesTool {
  type: 'function'
  name: string
  description: string
  parameters: ParametersSchema
  strict: boolean
}

export interface AnthropicTool {
  name: string
  description: string
  input_schema: ParametersSchema
  strict?: true
}

export interface GeminiTool {
  functionDeclarations: { name: string; description: string; parametersJsonSchema: ParametersSchema }[]
}

export interface ProviderTools {
  openai: OpenAITool
  'openai-responses': OpenAIResponsesTool
  anthropic: AnthropicTool
  gemini: GeminiTool
}

/** What `tools` of a request to the provider takes. */
export type CompiledTools<P extends Provider> = ProviderTools[P][]

export interface OpenAIMessage {
  role: 'tool'
  tool_call_id: string
  content: string
}

export interface OpenAIResponsesMessage {
  type: 'function_call_output'
  call_id: string
  output: string | OpenAIResponsesContent[]
}

export type OpenAIResponsesContent =
  | { type: 'input_text'; text: string }
  | { type: 'input_image'; image_url: string; detail: 'auto' }

export interface AnthropicMessage {
  role: 'user'
  content: {
    type: 'tool_result'
    tool_use_id: string
    content: string | AnthropicContent[]
    is_error: boolean
  }[]
}

export type AnthropicContent =
  | { type: 'text'; text: string }
  | { type: 'image'; source: { type: 'base64'; media_type: ShownType; data: string } }

export interface GeminiMessage {
  role: 'user'
  parts: { functionResponse: { id?: string; name: string; response: Record<string, unknown> } }[]
}

/** What is appended to the conversation with the provider. */
export interface ProviderMessages {
  openai: OpenAIMessage
  'openai-responses': OpenAIResponsesMessage
  anthropic: AnthropicMessage
  gemini: GeminiMessage
}
