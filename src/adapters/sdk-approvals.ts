// The answers that people give through an SDK's own approval. What an SDK says was approved may come from a client, from a file or
// from another process, so it counts for a question that this Legwork has asked and for nothing else.

import { createHash, randomUUID } from 'node:crypto'
import { canonicalJson, toJson } from '../base/json.ts'
import type { Refusal } from '../model/call.ts'
import type { Outcome } from '../model/outcome.ts'
import type { Offered, OfferingLegwork } from './offered.ts'

/** A call as an SDK names it. */
export interface SdkCall {
  readonly tool: Offered
  readonly id: string | undefined
  readonly input: unknown
}

interface Question {
  /** What the engine will ask about. */
  readonly question: string
  isApproved: boolean
}

/** So many questions may wait for an answer that never comes. */
const mostOpen = 10_000

const ofLegwork = new WeakMap<OfferingLegwork['call'], SdkApprovals>()

/** Those of one Legwork, however often its tools are handed out. */
export function sdkApprovals({ call }: OfferingLegwork): SdkApprovals {
  const approvals = ofLegwork.get(call) ?? new SdkApprovals()
  ofLegwork.set(call, approvals)
  return approvals
}

/** A question is about one id, one tool as it is and one input. It is answered once, and a yes holds for one run. */
export class SdkApprovals {
  readonly #questions = new Map<string, Question>()

  get hasOpen(): boolean {
    return this.#questions.size > 0
  }

  /** Where the policy asks, remembers the question and writes the call down as one that waits. Else undefined. */
  async ask(call: SdkCall): Promise<Outcome | undefined> {
    const why = await call.tool.why(call.input)
    if (!why.ok || why.decision.verdict !== 'ask') return undefined
    const [oldest] = this.#questions.keys()
    if (this.#questions.size >= mostOpen && oldest !== undefined) this.#questions.delete(oldest)
    if (call.id !== undefined && why.question !== undefined) {
      this.#questions.set(keyOf(call), { question: why.question, isApproved: false })
    }
    const reasons = why.decision.reasons.join(' ')
    const message = `"${why.tool}" waits for a person's approval; the program that calls the model asks for it. ${reasons}`
    return call.tool.run(call.input, { refusal: { code: 'approval-needed', message } })
  }

  /** Takes a yes. False where it answers no open question. */
  approve(call: SdkCall): boolean {
    const asked = this.#questions.get(keyOf(call))
    if (!asked || asked.isApproved) return false
    asked.isApproved = true
    return true
  }

  /** Takes a no. False where it answers no open question. */
  refuse(call: SdkCall): boolean {
    return this.#questions.delete(keyOf(call))
  }

  /** Uses a yes up: the question that it answers. Undefined where there is none. */
  use(call: SdkCall): string | undefined {
    const key = keyOf(call)
    const asked = this.#questions.get(key)
    if (!asked?.isApproved) return undefined
    this.#questions.delete(key)
    return asked.question
  }
}

/** What becomes of an approval that answers no open question. */
export function notAsked({ tool, id }: SdkCall): Refusal {
  const message = `The approval of the call ${JSON.stringify(id)} of "${tool.name}" is for no question that is open here: it was never asked, was answered before, or was about another input. Nothing ran. Let the model call the tool again, and keep one Legwork for the whole conversation.`
  return { code: 'denied', message }
}

function keyOf({ tool, id, input }: SdkCall): string {
  // The order of keys says nothing: a history that was kept in a database may have another. What is no JSON is like nothing else.
  const made = toJson(input)
  const told = canonicalJson([tool.name, id, made.ok ? made.json : randomUUID()])
  return createHash('sha256').update(told).digest('base64')
}
