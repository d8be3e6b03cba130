// The calls that are on their way on one connection, and whom a server's question, or what it logs, is for. On revisions before
// 2026-07-28 neither names its call: it is for the client whose calls these are, and for nobody while there are several clients.

import { isObject } from '../base/json.ts'
import type { Questions } from '../model/client.ts'
import type { RunContext } from '../model/tool.ts'
import { type LogListener, type LogMessage, logListener } from './log.ts'

type AskingContext = Pick<RunContext, 'client' | 'signal' | 'log'>

/** Of one question that has no name of its own. */
const onlyKey = 'question'
/** A server that asks again and again is not asking any more. */
const maxRounds = 16

export class CallsOnTheWay {
  readonly #calls = new Map<AskingContext, LogListener>()

  async during<T>(context: AskingContext, work: () => Promise<T>): Promise<T> {
    this.#calls.set(context, logListener(context.log))
    try {
      return await work()
    } finally {
      this.#calls.delete(context)
    }
  }

  /** What a server pushes while it works on a call. Rejects with a sentence for the server. */
  async pushed(method: string, params: unknown, stopped: AbortSignal): Promise<unknown> {
    const calls = [...this.#calls.keys()]
    const last = calls.at(-1)
    if (!this.#isOneClient() || !last?.client) {
      throw new Error(
        calls.length ? 'Which client this is for cannot be told.' : 'There is nobody to ask: no call runs.',
      )
    }
    const signal = AbortSignal.any([last.signal, stopped])
    const answers = await last.client.ask({ [onlyKey]: { method, ...(isObject(params) && { params }) } }, signal)
    return Object.values(answers)[0]
  }

  logged(message: LogMessage): void {
    if (this.#isOneClient()) for (const listener of this.#calls.values()) listener(message)
  }

  #isOneClient(): boolean {
    return new Set([...this.#calls.keys()].map(({ client }) => client?.id)).size === 1
  }
}

interface Round {
  readonly inputResponses?: Readonly<Record<string, unknown>>
  readonly requestState?: string
}

/** Sends a request until its answer is complete: where the server wants something first, the client is asked for it. */
export async function inRounds(
  send: (round: Round) => Promise<unknown>,
  { client, signal }: AskingContext,
): Promise<unknown> {
  let round: Round = {}
  for (let rounds = 0; rounds < maxRounds; rounds++) {
    const result = await send(round)
    if (!isObject(result) || result.resultType !== 'input_required') return result
    const questions = questionsOf(result.inputRequests)
    const isAsking = Object.keys(questions).length > 0
    if (isAsking && !client) throw new Error('The server asks for more, and there is nobody to ask.')
    const inputResponses = isAsking ? await client?.ask(questions, signal) : undefined
    const { requestState } = result
    round = { ...(inputResponses && { inputResponses }), ...(typeof requestState === 'string' && { requestState }) }
  }
  throw new Error(`The server asked for more ${maxRounds} times over.`)
}

function questionsOf(requests: unknown): Questions {
  const entries = isObject(requests) ? Object.entries(requests) : []
  const questions = entries.flatMap(([key, request]) => {
    if (!isObject(request) || typeof request.method !== 'string') return []
    const { method, params } = request
    return [[key, { method, ...(isObject(params) && { params }) }] as const]
  })
  return Object.fromEntries(questions)
}
