// The client on the other side of one connection, or of one request where the revision knows no connections.

import { randomUUID } from 'node:crypto'
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  ProtocolError,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { isObject } from '../base/json.ts'
import type { Caller } from '../model/call.ts'
import type { AskedClient } from '../model/client.ts'
import type { Approve } from '../model/decision.ts'
import { approveBy, canApprove } from './mcp-approve.ts'
import { answerMs, Conversation } from './mcp-conversation.ts'
import type { HeldConversations } from './mcp-held.ts'

export type Result = Record<string, unknown>

/** What is worked on for the client, and whom that work may ask. */
export interface Work {
  readonly signal: AbortSignal
  readonly client: AskedClient
  /** Missing where the client cannot put a question to a person. */
  readonly approve?: Approve
  readonly caller: Caller
  /** The request that the client waits for now: notifications go with it. */
  readonly current: () => ServerContext
}

export interface PeerOptions {
  readonly server: Server
  readonly isModern: boolean
  /** Set where the connection stays: then it is the client's name for as long as it lasts. */
  readonly session?: string
  readonly held: HeldConversations<Result>
  /** Fires when the connection is gone. */
  readonly gone: AbortSignal
}

const invalidParams = -32_602
const anything = {
  '~standard': { version: 1, vendor: 'legwork', validate: (value: unknown) => ({ value }) },
} as const

export class Peer {
  readonly #options: PeerOptions

  constructor(options: PeerOptions) {
    this.#options = options
  }

  /** Works on a request until it has a result, or a question that the client answers with its next request. */
  work(about: readonly unknown[], context: ServerContext, run: (work: Work) => Promise<Result>): Promise<Result> {
    return this.#options.isModern ? this.#inRounds(about, context, run) : this.#atOnce(context, run)
  }

  #caller(context: ServerContext): Caller {
    const { session } = this.#options
    const { name } = this.#about(context)
    return { front: 'mcp', ...(name && { name }), ...(session !== undefined && { session }) }
  }

  /** What the client says of itself: with each request, or once when it connected. */
  #about({ mcpReq }: ServerContext): { readonly name: string | undefined; readonly capabilities: Result } {
    const { server, isModern } = this.#options
    const envelope: Result = { ...mcpReq.envelope }
    const info: unknown = isModern ? envelope[CLIENT_INFO_META_KEY] : server.getClientVersion()
    const can: unknown = isModern ? envelope[CLIENT_CAPABILITIES_META_KEY] : server.getClientCapabilities()
    const name = isObject(info) && typeof info.name === 'string' ? info.name.slice(0, 100) : undefined
    return { name, capabilities: isObject(can) ? can : {} }
  }

  async #atOnce(context: ServerContext, run: (work: Work) => Promise<Result>): Promise<Result> {
    const { signal } = context.mcpReq
    const ask: AskedClient['ask'] = async (questions, stopped) => {
      const options = { timeout: answerMs, signal: AbortSignal.any([signal, stopped]) }
      const asked = Object.entries(questions).map(async ([key, { method, params = {} }]) => {
        return [key, await context.mcpReq.send({ method, params }, anything, options)] as const
      })
      return Object.fromEntries(await Promise.all(asked))
    }
    return run(this.#work(context, signal, ask, ask, () => context))
  }

  async #inRounds(
    about: readonly unknown[],
    context: ServerContext,
    run: (work: Work) => Promise<Result>,
  ): Promise<Result> {
    const { held } = this.#options
    const { mcpReq } = context
    const key = [...about, this.#caller(context)]
    const state = mcpReq.requestState<string>()
    const conversation = state === undefined ? this.#begin(context, run) : held.take(state, key)
    if (!conversation)
      throw new ProtocolError(
        invalidParams,
        'Nothing waits for this answer: it was given already, came too late or belongs to another request.',
        { reason: 'invalid_request_state' },
      )
    current.set(conversation, context)
    const stop = conversation.abort
    mcpReq.signal.addEventListener('abort', stop, { once: true })
    if (state !== undefined) conversation.answer(mcpReq.inputResponses ?? {})
    const turn = await conversation.next()
    // From here on the client is not expected to wait.
    mcpReq.signal.removeEventListener('abort', stop)
    if ('result' in turn) return turn.result
    if (held.isFull) {
      conversation.abort()
      throw new ProtocolError(-32_603, 'Too many requests wait for an answer already.')
    }
    return { resultType: 'input_required', inputRequests: turn.questions, requestState: held.hold(conversation, key) }
  }

  #begin(context: ServerContext, run: (work: Work) => Promise<Result>): Conversation<Result> {
    return new Conversation<Result>(async (conversation) => {
      const work = this.#work(
        context,
        conversation.signal,
        (questions, signal) => conversation.ask(questions, signal, { takesGiven: true }),
        (questions, signal) => conversation.ask(questions, signal, { takesGiven: false }),
        () => current.get(conversation) ?? context,
      )
      return run(work)
    }, context.mcpReq.inputResponses)
  }

  #work(
    context: ServerContext,
    signal: AbortSignal,
    ask: AskedClient['ask'],
    askPerson: AskedClient['ask'],
    now: Work['current'],
  ): Work {
    const { session, gone } = this.#options
    const { capabilities } = this.#about(context)
    const caller = this.#caller(context)
    const client: AskedClient = {
      // Where there are no connections, nothing but the request tells one client from another.
      id: session ?? randomUUID(),
      connection: session ?? `client ${caller.name ?? ''}`,
      capabilities,
      ask: checked(capabilities, ask),
      gone,
    }
    return { signal, client, caller, current: now, ...(canApprove(capabilities) && { approve: approveBy(askPerson) }) }
  }
}

/** The request that a conversation is carried on by. */
const current = new WeakMap<Conversation<Result>, ServerContext>()

const needed: Readonly<Record<string, string>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
}

/** A client is asked for what it has said that it can be asked, and for nothing else. */
function checked(capabilities: Readonly<Record<string, unknown>>, ask: AskedClient['ask']): AskedClient['ask'] {
  return async (questions, signal) => {
    for (const { method } of Object.values(questions)) {
      const capability = needed[method]
      if (capability === undefined || !isObject(capabilities[capability])) {
        throw new Error(`The client cannot be asked with "${method}".`)
      }
    }
    return ask(questions, signal)
  }
}
