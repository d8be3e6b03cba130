// The door `legwork/toolcall`: model providers' tool calls without an engine. With one, `legwork.tools(provider)` and
// `legwork.handle(provider, reply)` do all of it.

export type { ArgumentsError } from '../toolcall/arguments.ts'
export { type CompilableTool, type CompileOptions, compileTools } from '../toolcall/compile.ts'
export { safetySuffix } from '../toolcall/description.ts'
export type { Handle, Handled, HandleOptions } from '../toolcall/front.ts'
export { type BrokenToolCall, type ParseOptions, parseToolCall, type ToolCall } from '../toolcall/parse.ts'
export { type Provider, providers, ToolCallError } from '../toolcall/provider.ts'
export { type CallResult, handleToolResult, handleToolResults, type ShownOutcome } from '../toolcall/result.ts'
export type {
  AnthropicContent,
  AnthropicMessage,
  AnthropicTool,
  CompiledTools,
  GeminiMessage,
  GeminiTool,
  OpenAIMessage,
  OpenAIResponsesContent,
  OpenAIResponsesMessage,
  OpenAIResponsesTool,
  OpenAITool,
  ParametersSchema,
  ProviderMessages,
  ProviderTools,
} from '../toolcall/wire.ts'
