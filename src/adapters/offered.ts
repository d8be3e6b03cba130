// The catalogue as the adapters hand it to other people's SDKs.

import type { Why } from '../engine/why.ts'
import type { Legwork } from '../legwork.ts'
import type { Refusal } from '../model/call.ts'
import type { Outcome } from '../model/outcome.ts'
import type { ToolDescription, ToolKind } from '../model/tool.ts'
import { compileTools } from '../toolcall/compile.ts'
import type { ParametersSchema } from '../toolcall/wire.ts'

export interface OfferOptions {
  /** Which tools the model is offered. Default: all of them. */
  readonly only?: (tool: ToolDescription) => boolean
}

/** What is needed of a Legwork. */
export type OfferingLegwork = Pick<Legwork, 'tools' | 'call' | 'why'>

/** One tool, in the words that go to a model. An input is what the model wrote. */
export interface Offered {
  readonly name: string
  readonly kind: ToolKind
  readonly description: string
  readonly schema: ParametersSchema
  readonly run: (input: unknown, how?: HowToRun) => Promise<Outcome>
  /** What the policy says; without an input, of the tool alone. */
  readonly why: (input?: unknown) => Promise<Why>
}

export interface HowToRun {
  readonly signal?: AbortSignal | undefined
  /** The question that a person has said yes to in the SDK. Default: none. */
  readonly approved?: string | undefined
  /** Set where it is written down, and does not run. */
  readonly refusal?: Refusal | undefined
}

/** The tools that a model is offered; each call takes the one path. */
export async function offer(
  legwork: OfferingLegwork,
  sdk: string,
  { only = () => true }: OfferOptions,
): Promise<readonly Offered[]> {
  const caller = { front: 'toolcall', name: sdk } as const
  return (await legwork.tools()).filter(only).flatMap((tool) =>
    compileTools('anthropic', [tool]).map(({ name, description, input_schema: schema }) => {
      const run = (input: unknown, { signal, approved, refusal }: HowToRun = {}) =>
        legwork.call({
          tool: name,
          input,
          caller,
          ...(signal && { signal }),
          ...(approved !== undefined && { approved }),
          ...(refusal && { refusal }),
        })
      const why = (input?: unknown) => legwork.why({ tool: name, input, caller })
      return { name, kind: tool.kind, description, schema, run, why }
    }),
  )
}
