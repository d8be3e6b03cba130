// The subpath `legwork/ai-sdk`: the catalogue as tools of the AI SDK, and models of the AI SDK for what documents need one for.

export {
  type AiSdkApproval,
  type AiSdkSchema,
  type AiSdkTool,
  type AiSdkTools,
  aiSdkTools,
} from './ai-sdk-tools.ts'
export { type ModelExtractorOptions, modelExtractor } from './extract.ts'
export { type Model, type OpenModelOptions, openModel } from './model.ts'
export { type ModelResolverOptions, modelResolver } from './variables.ts'
