// The client behind a call, where it can be asked something while the call runs: a person's words, a model's answer.

export interface AskedClient {
  /** Which client it is. A question that names no call goes to it only while nobody else's calls are on their way. */
  readonly id: string
  /** Names the client for as long as it is there, to servers that keep a connection for each. */
  readonly connection: string
  /** What it can be asked, in the words of the Model Context Protocol. */
  readonly capabilities: Readonly<Record<string, unknown>>
  /** Puts the questions and gives the answers by the same keys. Rejects where the client cannot answer, or does not in time. */
  readonly ask: (questions: Questions, signal: AbortSignal) => Promise<Readonly<Record<string, unknown>>>
  /** Fires when the client is gone. */
  readonly gone: AbortSignal
}

export interface Question {
  /** Such as `elicitation/create`. */
  readonly method: string
  readonly params?: Readonly<Record<string, unknown>>
}

export type Questions = Readonly<Record<string, Question>>
