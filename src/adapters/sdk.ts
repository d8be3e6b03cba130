// The AI SDK itself, loaded when a model is asked. Its types stay in here and in what uses it: the library's own need no package.

import type { LanguageModel, LanguageModelUsage } from 'ai'
import { LegworkError } from '../model/errors.ts'
import type { ModelUse } from '../model/outcome.ts'
import { installed, isModel, type Model, modelName } from './model.ts'

export async function loadSdk(): Promise<typeof import('ai')> {
  const sdk = await installed('ai', () => import('ai'))
  // Its remarks would go to the terminal, past everything that makes text safe; a host that wants them says so itself.
  if (!('AI_SDK_LOG_WARNINGS' in globalThis)) Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })
  return sdk
}

export function sdkModel(model: Model): LanguageModel {
  if (isModel(model)) return model as LanguageModel
  throw new LegworkError('unknown-provider', 'This is no language model. Take one that a provider of the AI SDK makes.')
}

export function modelUse(model: Model, calls: number, usage: LanguageModelUsage | undefined): ModelUse {
  const { inputTokens, outputTokens } = usage ?? {}
  return {
    ...{ model: modelName(model), calls },
    ...(inputTokens !== undefined && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
  }
}
