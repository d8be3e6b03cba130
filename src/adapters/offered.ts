// The catalogue as the adapters hand it to other people's SDKs, and the answers that come back through an SDK's own approval.

import { createHash } from 'node:crypto'
import type { Legwork } from '../legwork.ts'
import type { Approve } from '../model/decision.ts'
import type { Outcome } from '../model/outcome.ts'
import type { ToolDescription } from '../model/tool.ts'
import type { ParametersSchema } from '../toolcall/wire.ts'

export interface OfferOptions {
  /** Which tools the model is offered. Default: all of them. */
  readonly only?: (tool: ToolDescription) => boolean
}

/** What is needed of a Legwork. */
export type OfferingLegwork = Pick<Legwork, 'tools' | 'call' | 'why'>

/** One tool, in the words that go to a model. */
export interface Offered {
  readonly name: string
  readonly description: string
  readonly schema: ParametersSchema
  readonly run: (input: unknown, how?: HowToRun) => Promise<Outcome>
}

export interface HowToRun {
  readonly signal?: AbortSignal | undefined
  /** Asks the person behind this call, where the SDK has asked already. Default: whom Legwork asks. */
  readonly approve?: Approve | undefined
}

/** The tools that a model is offered; each call takes the one path. */
export async function offer(
  legwork: OfferingLegwork,
  sdk: string,
  { only }: OfferOptions,
): Promise<readonly Offered[]> {
  const compiled = await legwork.tools('anthropic', { ...(only && { only }) })
  return compiled.map(({ name, description, input_schema: schema }) => {
    const run = (input: unknown, { signal, approve }: HowToRun = {}) =>
      legwork.call({
        tool: name,
        input,
        caller: { front: 'toolcall', name: sdk },
        ...(signal && { signal }),
        ...(approve && { approve }),
      })
    return { name, description, schema, run }
  })
}

/** So many questions may wait for an answer that never comes. */
const mostOpen = 10_000

/**
 * Answers that people give through an SDK. A question is remembered by the id of the SDK's call, the tool and the input;
 * the run that follows is approved once, for exactly those. Whatever was never asked here is asked by Legwork itself.
 */
export class SdkApprovals {
  readonly #open = new Map<string, string>()

  /** What the policy says; a question is remembered. */
  async verdict(legwork: OfferingLegwork, id: string | undefined, tool: string, input: unknown) {
    const why = await legwork.why({ tool, input })
    if (!why.ok) return { verdict: 'allow', reasons: [] } as const
    if (why.decision.verdict === 'ask') this.#remember(id, digest(tool, input))
    return why.decision
  }

  /** Whom to ask about the run that the SDK starts now. */
  answer(id: string | undefined, tool: string, input: unknown): Approve | undefined {
    if (id === undefined) return undefined
    const asked = this.#open.get(id)
    this.#open.delete(id)
    return asked !== undefined && asked === digest(tool, input) ? approvedThere : undefined
  }

  #remember(id: string | undefined, question: string): void {
    if (id === undefined) return
    const [oldest] = this.#open.keys()
    if (this.#open.size >= mostOpen && oldest !== undefined) this.#open.delete(oldest)
    this.#open.set(id, question)
  }
}

function approvedThere(): { readonly approved: true; readonly reason: string } {
  return { approved: true, reason: 'they were asked by the program that calls the model.' }
}

function digest(tool: string, input: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([tool, input]))
    .digest('base64')
}
