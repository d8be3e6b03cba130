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
import { visibleText } from '../outcome/visible.ts'
import { makeSecret } from './capability.ts'
import { approveBy, canApprove } from './mcp-approve.ts'
import { claimOf } from './mcp-claim.ts'
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
  /** What a client without a session has to show with a call that was approved since. Missing where it has a session. */
  readonly claim?: string
  /** The request that the client waits for now: notifications go with it. */
  readonly current: () => ServerContext
}

/** One request. */
export interface Asked {
  readonly context: ServerContext
  /** All that an answer to a question of this request must come with again. */
  readonly about: readonly unknown[]
  /** What a client without a session shows to be the one that asked before, where that is not in `_meta`. */
  readonly claim?: string | undefined
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
  work(request: Asked, run: (work: Work) => Promise<Result>): Promise<Result> {
    return this.#options.isModern ? this.#inRounds(request, run) : this.#atOnce(request, run)
  }

  /**
   * Anybody can bear a client's name. Where there is no session, a secret that came with an earlier answer tells it from the
   * others: whoever shows none is somebody new.
   */
  #caller({ context, claim: shown }: Asked): { readonly caller: Caller; readonly claim?: string } {
    const { session } = this.#options
    const { name } = this.#about(context)
    const named = { front: 'mcp', ...(name && { name }) } as const
    if (session !== undefined) return { caller: { ...named, session } }
    const claim = shown ?? claimOf(context.mcpReq) ?? makeSecret()
    return { caller: { ...named, session: claim, isOneOfMany: true }, claim }
  }

  /** What the client says of itself: with each request, or once when it connected. */
  #about({ mcpReq }: ServerContext): { readonly name: string | undefined; readonly capabilities: Result } {
    const { server, isModern } = this.#options
    const envelope: Result = { ...mcpReq.envelope }
    const info: unknown = isModern ? envelope[CLIENT_INFO_META_KEY] : server.getClientVersion()
    const can: unknown = isModern ? envelope[CLIENT_CAPABILITIES_META_KEY] : server.getClientCapabilities()
    const name = isObject(info) && typeof info.name === 'string' ? shownName(info.name) : undefined
    return { name, capabilities: isObject(can) ? can : {} }
  }

  async #atOnce(request: Asked, run: (work: Work) => Promise<Result>): Promise<Result> {
    const { context } = request
    const { signal } = context.mcpReq
    const ask: AskedClient['ask'] = async (questions, stopped) => {
      const options = { timeout: answerMs, signal: AbortSignal.any([signal, stopped]) }
      const asked = Object.entries(questions).map(async ([key, { method, params = {} }]) => {
        return [key, await context.mcpReq.send({ method, params }, anything, options)] as const
      })
      return Object.fromEntries(await Promise.all(asked))
    }
    return run(this.#work(request, signal, ask, ask, () => context))
  }

  async #inRounds(request: Asked, run: (work: Work) => Promise<Result>): Promise<Result> {
    const { held } = this.#options
    const { context, about } = request
    const { mcpReq } = context
    const key = [...about, this.#about(context).name ?? null]
    const state = mcpReq.requestState<string>()
    const conversation = state === undefined ? this.#begin(request, run) : held.take(state, key)
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

  #begin(request: Asked, run: (work: Work) => Promise<Result>): Conversation<Result> {
    const { context } = request
    return new Conversation<Result>(async (conversation) => {
      const work = this.#work(
        request,
        conversation.signal,
        (questions, signal) => conversation.ask(questions, signal, { takesGiven: true }),
        (questions, signal) => conversation.ask(questions, signal, { takesGiven: false }),
        () => current.get(conversation) ?? context,
      )
      return run(work)
    }, context.mcpReq.inputResponses)
  }

  #work(
    request: Asked,
    signal: AbortSignal,
    ask: AskedClient['ask'],
    askPerson: AskedClient['ask'],
    now: Work['current'],
  ): Work {
    const { session, gone } = this.#options
    const { capabilities } = this.#about(request.context)
    const { caller, claim } = this.#caller(request)
    const client: AskedClient = {
      // Where there are no connections, nothing but the request tells one client from another.
      id: session ?? randomUUID(),
      connection: session ?? `client ${caller.name ?? ''}`,
      capabilities,
      ask: checked(capabilities, ask),
      gone,
    }
    return {
      signal,
      client,
      caller,
      ...(claim !== undefined && { claim }),
      current: now,
      ...(canApprove(capabilities) && { approve: approveBy(askPerson) }),
    }
  }
}

const maxNameLength = 100

/** A name is shown to people on one line, who must not be deceived by it. */
function shownName(name: string): string {
  return visibleText(name.slice(0, maxNameLength * 2))
    .replaceAll(/[\n\t]/g, '␤')
    .slice(0, maxNameLength)
    .toWellFormed()
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
