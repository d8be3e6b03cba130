// One connection to one server, from the moment it is opened until it is lost or closed.

import type { Client, Transport } from '@modelcontextprotocol/client'
import { isObject, messageOf } from '../base/json.ts'
import type { Ran, RunContext } from '../model/tool.ts'
import { visibleText } from '../outcome/visible.ts'
import { CallsOnTheWay, inRounds } from './asking.ts'
import { bodyOf, ConnectionError, connectionError, statusOf } from './failure.ts'
import { unansweredMark } from './http-transport.ts'
import { type Item, type ItemKind, itemKinds, listItems } from './items.ts'
import { type Listed, type ListedTool, listTools } from './list.ts'
import { maxLength, maxMessages } from './log.ts'
import { ranFromResult } from './result.ts'
import type { McpBounds } from './settings.ts'

type Sdk = typeof import('@modelcontextprotocol/client')

/** A transport with what is known of its end. */
export interface Channel {
  readonly transport: Transport
  /** Why it can be used no more; undefined while nothing is known against it. */
  readonly fault: () => string | undefined
  /** The last that the server wrote to standard error. */
  readonly said: () => string
  /** Says goodbye, before it is closed. */
  readonly leave: () => Promise<void>
}

/** A call to a server that no longer knows us was not carried out, and may be made again. */
export type CallEnd = Ran | 'session-lost'

export type Input = Record<string, unknown>

/** The engine's clock ends a call; the SDK's own must not do so before. */
const longestMs = 2_147_483_647

/** Takes any answer as it is: what is wrong with one tool or one block of content must not take the rest along. */
const anything = {
  '~standard': { version: 1, vendor: 'legwork', validate: (value: unknown) => ({ value }) },
} as const

export class Connection {
  /** Settles when there is no connection any more. */
  readonly closed: Promise<void>
  readonly #sdk: Sdk
  readonly #client: Client
  readonly #channel: Channel
  readonly #name: string
  readonly #calls = new CallsOnTheWay()
  #closing: Promise<void> | undefined

  constructor(sdk: Sdk, client: Client, channel: Channel, name: string) {
    this.#sdk = sdk
    this.#client = client
    this.#channel = channel
    this.#name = name
    const { promise, resolve } = Promise.withResolvers<void>()
    this.closed = promise
    client.onclose = resolve
    // The old transport's stream broke, or a broken one could not be taken up again: then nothing will come any more.
    client.onerror = (error) => {
      if (error instanceof sdk.SseError || /^Maximum reconnection attempts/.test(messageOf(error))) void this.close()
    }
    client.setNotificationHandler('notifications/message', ({ params }) => this.#calls.logged(params))
    // Not by the SDK's own handlers: they hold answers against the server's schema, whose patterns could hang us.
    client.fallbackRequestHandler = async ({ method, params }, { mcpReq }) => {
      const answer = await this.#calls.pushed(method, params, mcpReq.signal)
      return isObject(answer) ? answer : {}
    }
    void promise.then(() => this.close())
  }

  get isLegacy(): boolean {
    return this.#client.getProtocolEra() === 'legacy'
  }

  /** Why it was lost. */
  fault(): string {
    return this.#channel.fault() ?? 'Its connection was lost.'
  }

  /** Asks a server of an older revision for its log; a newer one is asked with each call. */
  listenToLogs(): void {
    if (!this.isLegacy || !this.#client.getServerCapabilities()?.logging) return
    this.#client.setLoggingLevel('info').catch(() => {})
  }

  async list(bounds: McpBounds): Promise<Listed> {
    if (!this.#client.getServerCapabilities()?.tools) return { tools: [], warnings: ['It offers no tools.'] }
    const signal = AbortSignal.timeout(bounds.listMs)
    const page = (cursor: string | undefined) => {
      const params = cursor === undefined ? {} : { cursor }
      return this.#client.request({ method: 'tools/list', params }, anything, { signal, timeout: longestMs })
    }
    return listTools(page, bounds).catch((error: unknown) => {
      // Whatever it is stuck in, it begins anew the next time.
      if (!this.#isProtocolError(error)) void this.close()
      if (signal.aborted) throw new ConnectionError(`It did not list its tools within ${bounds.listMs / 1_000} s.`)
      throw new ConnectionError(
        this.#isProtocolError(error) ? `It refused to list its tools: ${error.message}` : this.#why(error),
      )
    })
  }

  async call(tool: ListedTool, input: Input, context: RunContext): Promise<CallEnd> {
    try {
      return ranFromResult(await this.#calls.during(context, () => this.#callTool(tool, input, context)))
    } catch (error) {
      return this.#failed(error, context)
    }
  }

  /** Any other request whose answer is passed on as it is. */
  async request(method: string, params: Input, context: RunContext): Promise<CallEnd> {
    const send = (round: object) => this.#send(method, { ...params, ...round }, context)
    try {
      return { ok: true, value: await this.#calls.during(context, () => inRounds(send, context)) }
    } catch (error) {
      return this.#failed(error, context)
    }
  }

  /** What it lists of that kind; nothing where it does not have any. */
  async items(kind: ItemKind, bounds: McpBounds): Promise<readonly Item[]> {
    const { method, capability } = itemKinds[kind]
    if (!this.#client.getServerCapabilities()?.[capability]) return []
    const options = { signal: AbortSignal.timeout(bounds.listMs), timeout: longestMs }
    const page = (cursor: string | undefined) =>
      this.#client.request({ method, params: cursor === undefined ? {} : { cursor } }, anything, options)
    return listItems(kind, page, bounds)
  }

  async complete(params: Input, signal: AbortSignal): Promise<unknown> {
    if (!this.#client.getServerCapabilities()?.completions) return undefined
    return this.#client.request({ method: 'completion/complete', params }, anything, { signal })
  }

  /** Has the server say when a resource changes, until the returned function is called. Nothing where it never does. */
  async subscribe(uri: string): Promise<() => Promise<void>> {
    if (!this.#client.getServerCapabilities()?.resources?.subscribe) return async () => {}
    if (this.isLegacy) {
      await this.#client.subscribeResource({ uri })
      return async () => void (await this.#client.unsubscribeResource({ uri }))
    }
    const subscription = await this.#client.listen({ resourceSubscriptions: [uri] })
    return () => subscription.close()
  }

  /** Says goodbye first, where the server keeps something for us. Never rejects. */
  async leave(): Promise<void> {
    if (!this.#closing) await this.#channel.leave()
    await this.close()
  }

  /** Never rejects. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    await this.#client.close().catch(() => {})
    // A client that never got as far as having the transport does not close it.
    await this.#channel.transport.close().catch(() => {})
    this.#client.onclose?.()
  }

  #callTool(tool: ListedTool, input: Input, context: RunContext): Promise<unknown> {
    const params = { name: tool.name, arguments: input }
    if (this.isLegacy) return this.#send('tools/call', params, context)
    // The definition is for arguments that travel in headers too. Without an output schema nothing is checked by the SDK,
    // whose patterns could hang us.
    const inputSchema = isObject(tool.inputSchema)
      ? { ...tool.inputSchema, type: 'object' as const }
      : { type: 'object' as const }
    const options = { ...this.#options(context), toolDefinition: { name: tool.name, inputSchema } }
    const _meta = this.#meta(context)
    return inRounds((round) => this.#client.callTool({ ...params, ...round, _meta }, options), context)
  }

  #send(method: string, params: Input, context: RunContext): Promise<unknown> {
    const told = this.isLegacy ? params : { ...params, _meta: this.#meta(context) }
    return this.#client.request({ method, params: told }, anything, this.#options(context))
  }

  /** What a server of the newest revision is told with each request: what it may ask of whom, and what it is to log. */
  #meta({ client }: RunContext): Record<string, unknown> {
    const { LOG_LEVEL_META_KEY, CLIENT_CAPABILITIES_META_KEY } = this.#sdk
    return { [LOG_LEVEL_META_KEY]: 'info', [CLIENT_CAPABILITIES_META_KEY]: client?.capabilities ?? {} }
  }

  #options(context: RunContext) {
    let told = 0
    return {
      signal: context.signal,
      timeout: longestMs,
      allowInputRequired: true,
      onprogress: ({ progress, total, message }: ProgressTold) => {
        if (++told > maxMessages) return
        context.progress({
          done: progress,
          ...(total !== undefined && { total }),
          ...(message !== undefined && { message: visibleText(message.slice(0, maxLength)) }),
        })
      },
    }
  }

  #failed(error: unknown, { signal }: RunContext): CallEnd {
    if (signal.aborted) return toolFailed('The call was stopped.')
    if (this.#isProtocolError(error) && error.data !== unansweredMark) {
      const { code, data } = error
      return toolFailed(error.message, data === undefined ? { code } : { code, data })
    }
    const status = statusOf(error)
    // By this status alone does a server say that it has not even looked at the call.
    if (status === 404 && this.#channel.transport.sessionId !== undefined) {
      void this.close()
      return 'session-lost'
    }
    const isAnswer = status !== undefined || this.#isSdkError(error, 'INVALID_RESULT')
    if (!isAnswer) void this.close()
    const said = bodyOf(error)
    const words = said && ` It said: ${said}`
    return toolFailed(
      `The server "${this.#name}" did not finish this call, which is not repeated. ${this.#why(error)}${words}`,
    )
  }

  #why(error: unknown): string {
    const fault = this.#channel.fault()
    if (fault === undefined && this.#isProtocolError(error)) return error.message
    return connectionError(error, fault, this.#name).message
  }

  #isProtocolError(error: unknown): error is InstanceType<Sdk['ProtocolError']> {
    return error instanceof this.#sdk.ProtocolError
  }

  #isSdkError(error: unknown, code: string): boolean {
    return error instanceof this.#sdk.SdkError && error.code === code
  }
}

interface ProgressTold {
  readonly progress: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}

function toolFailed(message: string, value?: unknown): Ran {
  return { ok: false, code: 'tool-failed', message: visibleText(message), ...(value !== undefined && { value }) }
}
