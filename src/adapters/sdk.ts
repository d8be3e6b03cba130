// The AI SDK itself, loaded when a model is asked. Its types stay in here and in what uses it: the library's own need no package.

import type { LanguageModel, LanguageModelMiddleware, LanguageModelUsage } from 'ai'
import { LegworkError } from '../model/errors.ts'
import type { ModelUse } from '../model/outcome.ts'
import { installed, isModel, type Model, modelName } from './model.ts'

export async function loadSdk(): Promise<typeof import('ai')> {
  const sdk = await installed('ai', () => import('ai'))
  // Its remarks would go to the terminal, past everything that makes text safe; a host that wants them says so itself.
  if (!('AI_SDK_LOG_WARNINGS' in globalThis)) Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })
  return sdk
}

export interface CountedModel {
  readonly model: LanguageModel
  /** Says what it was asked since it was last said, questions without an answer included. */
  readonly say: (used: (use: ModelUse) => void, usage?: LanguageModelUsage) => void
}

/** A model whose every question counts. `unwrap` takes off what a model puts around its answer; it is for whole answers. */
export function countedModel(
  { wrapLanguageModel, extractJsonMiddleware }: typeof import('ai'),
  model: Model,
  unwrap?: (text: string) => string,
): CountedModel {
  if (!isModel(model)) throw noModel()
  let asked = 0
  const counting: LanguageModelMiddleware = {
    specificationVersion: 'v4',
    wrapGenerate: ({ doGenerate }) => {
      asked++
      return doGenerate()
    },
    wrapStream: ({ doStream }) => {
      asked++
      return doStream()
    },
  }
  const middleware = [...(unwrap ? [extractJsonMiddleware({ transform: unwrap })] : []), counting]
  const say: CountedModel['say'] = (used, usage) => {
    if (asked > 0) used(modelUse(model, asked, usage))
    asked = 0
  }
  return { model: wrapLanguageModel({ model: model as WrappedModel, middleware }), say }
}

type WrappedModel = Parameters<typeof import('ai').wrapLanguageModel>[0]['model']

/** Small models think aloud, and put fences around what they were asked for. */
export function withoutThoughts(text: string): string {
  return text.replace(/^\s*<think(?:ing)?>[\s\S]*?<\/think(?:ing)?>\s*/i, '')
}

/** The same around JSON, where whatever comes before a thought's end is thought. */
export function jsonIn(text: string): string {
  const said = /^\s*[{[]/.test(text) ? text : text.replace(/^[\s\S]*?<\/think(?:ing)?>\s*/i, '')
  const [, fenced] = /^\s*```[\w-]*[ \t]*\r?\n([\s\S]*?)\r?\n?[ \t]*```\s*$/.exec(said) ?? []
  return fenced ?? said
}

function noModel(): LegworkError {
  return new LegworkError(
    'unknown-provider',
    'This is no language model. Take one that a provider of the AI SDK makes.',
  )
}

function modelUse(model: Model, calls: number, usage: LanguageModelUsage | undefined): ModelUse {
  const { inputTokens, outputTokens } = usage ?? {}
  return {
    ...{ model: modelName(model), calls },
    ...(inputTokens !== undefined && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
  }
}
