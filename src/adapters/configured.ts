// The language model of the configuration, for what custom tools can use one for. Nothing is loaded, and nothing is asked, before it
// is needed.

import { isLoopback } from '../base/host.ts'
import type { ExtractResult } from '../document/isolation.ts'
import type { ResolveVariables } from '../document/resolve-variables.ts'
import type { Effects } from '../model/effects.ts'
import type { Redactor } from '../outcome/redact.ts'
import type { Model } from './model.ts'

/** Holds the key of a server that speaks the OpenAI protocol, where it wants one. */
export const modelKeyVariable = 'LEGWORK_MODEL_KEY'

export interface ByModel {
  readonly modelEffects?: Effects
  readonly resolveVariables?: ResolveVariables
  readonly extract?: ExtractResult
}

/** Values of variables, and the results of isolated runs, by the model that the configuration names; nothing where it names none. */
export function configuredModel(spelling: string | undefined, redactor: Pick<Redactor, 'text'>): ByModel {
  if (spelling === undefined) return {}
  const redact = (text: string) => redactor.text(text)
  const open = opening(spelling)
  return {
    modelEffects: effectsOfModel(spelling),
    resolveVariables: async (variables, context) => {
      const { modelResolver } = await import('./variables.ts')
      return modelResolver(open, { redact })(variables, context)
    },
    extract: async (run, context) => {
      const { modelExtractor } = await import('./extract.ts')
      return modelExtractor(open, { redact })(run, context)
    },
  }
}

/** Asking a model is a message over the network, and nobody but the model's owner can tell whether it costs something. */
export const modelEffects: Effects = { network: true, cost: { billable: true } }

/** The same of one that the configuration names: on this machine it costs nothing. */
export function effectsOfModel(spelling: string): Effects {
  const [, address = ''] = /^openai-compatible:([^#]*)/.exec(spelling) ?? []
  const url = URL.parse(address)
  return url && isLoopback(url.hostname) ? { network: true, cost: { billable: false } } : modelEffects
}

/** Opened once; a failure is not kept, so that a package that is installed meanwhile is found. */
function opening(spelling: string): () => Promise<Model> {
  let opened: Promise<Model> | undefined
  return async () => {
    const { openModel } = await import('./model.ts')
    opened ??= openModel(spelling)
    opened.catch(() => {
      opened = undefined
    })
    return opened
  }
}
