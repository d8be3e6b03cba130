// The front for model providers: every tool call of a reply takes the one path, and the answers come back as messages.

import type { Call, Caller } from '../model/call.ts'
import type { Outcome } from '../model/outcome.ts'
import type { Tool, ToolKind } from '../model/tool.ts'
import { jsonSchemaOf } from '../validate/validate.ts'
import { spellingOf } from './compile.ts'
import { withoutNulls } from './nulls.ts'
import { type BrokenToolCall, parseToolCall, type ToolCall } from './parse.ts'
import type { Provider } from './provider.ts'
import { handleToolResults, type ShownOutcome } from './result.ts'
import type { ProviderMessages } from './wire.ts'

export interface HandleOptions {
  /** Ends what runs and cancels what waits. */
  readonly signal?: AbortSignal
  /** How many calls run side by side, where that is safe. Default 4. */
  readonly concurrency?: number
  /** How many calls of one reply are made; the rest is answered with an error and not made. Default 128. */
  readonly maxCalls?: number
  /** Which tools the model was offered; a call of another is refused. Default: all of them. */
  readonly only?: (tool: Tool) => boolean
  /** May call only tools that are known to change nothing. Default false. */
  readonly readOnly?: boolean
}

export interface Handled<P extends Provider> {
  /** Whether the model asked for nothing, so that there is nothing to send back. */
  readonly done: boolean
  /** What to send back, after the reply itself. */
  readonly messages: ProviderMessages[P][]
  /** Every call that was made, in the order of the reply. */
  readonly results: readonly { readonly call: ToolCall | BrokenToolCall; readonly outcome: Outcome }[]
  /** The calls beyond the most that one reply may make. */
  readonly notMade: readonly (ToolCall | BrokenToolCall)[]
}

export type Handle = <P extends Provider>(provider: P, reply: unknown, options?: HandleOptions) => Promise<Handled<P>>

export interface HandleParts {
  readonly executeBatch: (
    calls: readonly Call[],
    options: { readonly concurrency?: number; readonly signal?: AbortSignal },
  ) => Promise<readonly Outcome[]>
  readonly resolve: (spelling: string) => Tool | undefined | Promise<Tool | undefined>
  /** How large the arguments of a call may be. Default 10 485 760. */
  readonly maxInputBytes?: number | undefined
}

export function createHandle({ executeBatch, resolve, maxInputBytes }: HandleParts): Handle {
  return async (provider, reply, options = {}) => {
    const { maxCalls = 128, only, readOnly = false, ...batchOptions } = options
    const parsed = parseToolCall(
      provider,
      reply,
      maxInputBytes === undefined ? {} : { maxArgumentsLength: maxInputBytes },
    )
    const made = parsed.slice(0, maxCalls)
    const notMade = parsed.slice(maxCalls)

    const caller: Caller = { front: 'toolcall', name: provider, readOnly }
    const ids = new Set<string>()
    const calls: Call[] = []
    const kinds: (ToolKind | undefined)[] = []
    for (const call of made) {
      const name = inBounds(spellingOf(provider, call.name))
      const tool = await resolve(name)
      calls.push({ tool: name, input: inputOf(call, tool, ids, only), caller })
      ids.add(call.id)
      kinds.push(tool?.kind)
    }

    const outcomes = await executeBatch(calls, batchOptions)
    const results = made.flatMap((call, at) => {
      const outcome = outcomes[at]
      return outcome ? [{ call, outcome }] : []
    })
    const refusals = notMade.map((call) => ({ call, outcome: tooMany(parsed.length, maxCalls) }))
    const shown = results.map((result, at) => ({ ...result, kind: kinds[at] }))
    const messages = handleToolResults(provider, [...shown, ...refusals])
    return { done: parsed.length === 0, messages, results, notMade }
  }
}

/** No provider's name is nearly as long. A longer one is cut so that it names no tool, and does not fill the journal. */
function inBounds(name: string): string {
  return name.length > 200 ? `${name.slice(0, 200)}…` : name
}

function inputOf(
  call: ToolCall | BrokenToolCall,
  tool: Tool | undefined,
  earlier: ReadonlySet<string>,
  only: HandleOptions['only'],
): unknown {
  if (call.error) return new Unreadable(call.error.message)
  if (earlier.has(call.id)) return new Unreadable('An earlier call of this reply has the same id')
  if (tool && only && !only(tool)) return new Unreadable('This tool was not offered')
  return tool ? withoutNulls(jsonSchemaOf(tool.input), call.arguments) : call.arguments
}

/** An input that no tool takes, whatever its schema: the call takes the one path, is refused there, and is written down. */
class Unreadable {
  readonly #why: string

  constructor(why: string) {
    this.#why = why
  }

  toJSON(): never {
    throw new Error(this.#why)
  }
}

function tooMany(asked: number, most: number): ShownOutcome {
  const text = `This reply asks for ${asked} calls; the first ${most} were made and this one was not. Ask again, for fewer at a time.`
  return { ok: false, text }
}
