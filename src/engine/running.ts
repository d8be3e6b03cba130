// A call that is running, as the calls that it makes see it: how deep it is nested, what it called, and its clock.

import type { Deadline } from '../base/deadline.ts'
import type { CallSummary, ModelUse, Outcome } from '../model/outcome.ts'

export class Running {
  /** How many calls hold this one, itself included. */
  readonly depth: number
  /** Its clock, while it runs. */
  deadline: Deadline | undefined

  readonly #parent: Running | undefined
  readonly #calls: (CallSummary | undefined)[] = []
  #asking = 0
  #modelUse: ModelUse | undefined

  constructor(parent: Running | undefined) {
    this.#parent = parent
    this.depth = (parent?.depth ?? 0) + 1
  }

  /** Waits for a person. The clocks of all the calls that wait for this one stand still meanwhile. */
  whileAsking<T>(ask: () => Promise<T>): Promise<T> {
    return this.#parent ? this.#parent.whileItAsks(ask) : ask()
  }

  /** The same where its tool asks while it runs, so that its own clock stands still too. */
  async whileItAsks<T>(ask: () => Promise<T>): Promise<T> {
    for (let each: Running | undefined = this; each; each = each.#parent) {
      if (each.#asking++ === 0) each.deadline?.pause()
    }
    try {
      return await ask()
    } finally {
      for (let each: Running | undefined = this; each; each = each.#parent) {
        if (--each.#asking === 0) each.deadline?.resume()
      }
    }
  }

  /** What a language model was asked on behalf of this call is asked on behalf of all that hold it, too. */
  usedModel(use: ModelUse): void {
    for (let each: Running | undefined = this; each; each = each.#parent) {
      each.#modelUse = each.#modelUse ? sumOf(each.#modelUse, use) : use
    }
  }

  /** All that models were asked so far, by this call and by those that it made. */
  get modelUse(): ModelUse | undefined {
    return this.#modelUse
  }

  /** Keeps a call's place among those that this one makes; whoever makes it says how it ended. */
  place(): (outcome: Outcome) => void {
    const at = this.#calls.push(undefined) - 1
    return (outcome) => {
      const { callId, tool, ok, durationMs } = outcome
      this.#calls[at] = { callId, tool, ok, ...(!outcome.ok && { code: outcome.code }), durationMs }
    }
  }

  /** What it called, in the order in which it did. */
  calls(): readonly CallSummary[] {
    return this.#calls.filter((call) => call !== undefined)
  }
}

function sumOf(before: ModelUse, use: ModelUse): ModelUse {
  const names = new Set([...before.model.split(', '), use.model])
  return {
    model: [...names].slice(0, 10).join(', '),
    calls: before.calls + use.calls,
    inputTokens: (before.inputTokens ?? 0) + (use.inputTokens ?? 0),
    outputTokens: (before.outputTokens ?? 0) + (use.outputTokens ?? 0),
  }
}
