// One request of a client, from its beginning to its result, with the questions that it is asked on the way. A client of the newest
// revision is asked by the answer to its request and answers with its next one; the work waits for it meanwhile. Older ones are
// asked beside the request.

import { isObject } from '../base/json.ts'
import type { Question, Questions } from '../model/client.ts'

/** How long an answer is waited for. */
export const answerMs = 300_000

type Answers = Readonly<Record<string, unknown>>

export type Turn<Result> =
  | { readonly result: Result }
  /** What the client is asked before it goes on. */
  | { readonly questions: Questions }

interface Open {
  readonly question: Question
  readonly settle: (answer: unknown) => void
}

export class Conversation<Result> {
  readonly #controller = new AbortController()
  readonly #open = new Map<string, Open>()
  readonly #given: Map<string, unknown>
  readonly #work: Promise<Result>
  #asked = Promise.withResolvers<void>()

  /** `given` are answers that came with the request itself, before anything was asked. */
  constructor(work: (conversation: Conversation<Result>) => Promise<Result>, given: Answers = {}) {
    this.#given = new Map(Object.entries(given))
    this.#work = work(this)
    this.#work.catch(() => {})
  }

  /** Fires when nobody waits for the result any more. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  readonly abort = (): void => this.#controller.abort()

  /** Asks the client. What it has answered unasked counts too, unless that must not be. */
  async ask(questions: Questions, signal: AbortSignal, options: { readonly takesGiven: boolean }): Promise<Answers> {
    const entries = Object.entries(questions).map(async ([key, question]) => {
      const given = options.takesGiven ? this.#take(key) : undefined
      return [key, given ?? (await this.#askOne(key, question, signal))] as const
    })
    return Object.fromEntries(await Promise.all(entries))
  }

  /** Settles with the result, or with what the client is to answer first. */
  async next(): Promise<Turn<Result>> {
    // Whoever asks several things at once does so within a turn of the loop.
    const asked = this.#asked.promise.then(() => new Promise<void>((resolve) => setImmediate(resolve)))
    const ended = await Promise.race([this.#work.then((result) => ({ result })), asked])
    if (ended) return ended
    const questions = [...this.#open].map(([key, { question }]) => [key, question] as const)
    if (questions.length === 0) return this.next()
    return { questions: Object.fromEntries(questions) }
  }

  /** What the client answers. What it leaves out is asked again. */
  answer(answers: Answers): void {
    for (const [key, { settle }] of [...this.#open]) {
      if (isObject(answers[key])) settle(answers[key])
    }
    if (this.#open.size === 0) this.#asked = Promise.withResolvers()
  }

  #take(key: string): unknown {
    const given = this.#given.get(key)
    this.#given.delete(key)
    return isObject(given) ? given : undefined
  }

  #askOne(wanted: string, question: Question, signal: AbortSignal): Promise<unknown> {
    let key = wanted
    for (let number = 2; this.#open.has(key); number++) key = `${wanted}_${number}`
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const giveUp = () => reject(new Error('The question was given up.'))
    const timer = setTimeout(() => reject(new Error('The client did not answer in time.')), answerMs)
    const over = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', giveUp)
      this.#open.delete(key)
      if (this.#open.size === 0) this.#asked = Promise.withResolvers()
    }
    signal.addEventListener('abort', giveUp, { once: true })
    if (signal.aborted) giveUp()
    this.#open.set(key, { question, settle: resolve })
    this.#asked.resolve()
    return promise.finally(over)
  }
}
