// The model providers whose tool calls Legwork speaks, and what may go wrong in handing a reply over.

import { LegworkError } from '../model/errors.ts'
export const providers = ['openai', 'openai-responses', 'anthropic', 'gemini'] as const

/** `openai` is chat completions, `openai-responses` the responses API, `anthropic` messages, `gemini` generateContent. */
export type Provider = (typeof providers)[number]

/** Misuse: a provider that is not known, or something that is no reply of the provider. */
export class ToolCallError extends LegworkError {
  constructor(code: 'unknown-provider' | 'invalid-reply', message: string) {
    super(code, message)
  }
}

/** Takes its entry from a table that has one for every provider, and no other key of the table for one. */
export function forProvider<P extends Provider, Table extends Record<Provider, unknown>>(
  provider: P,
  table: Table,
): Table[P] {
  if (providers.includes(provider)) return table[provider]
  const known = providers.map((name) => `"${name}"`).join(', ')
  throw new ToolCallError('unknown-provider', `There is no provider "${String(provider)}". Known are ${known}.`)
}
