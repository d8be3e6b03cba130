// A running gateway from the outside: how `legwork run` uses the one that TOOLSCRIPT_GATEWAY_URL names. It reads the token of that
// gateway's file and asks for a run, whose address is all that the script gets.

import { isObject, messageOf } from '../base/json.ts'
import { LegworkError } from '../model/errors.ts'
import type { Outcome } from '../model/outcome.ts'
import type { ToolDescription } from '../model/tool.ts'
import type { RunDoor, RunService } from '../toolscript/run-door.ts'
import { gatewayToken, type TokenOptions } from './token-file.ts'

export interface GatewayClient {
  /** The tools whose types scripts are checked against. */
  readonly tools: () => Promise<readonly ToolDescription[]>
  /** Asks for a run; an outcome when the gateway refuses it. */
  readonly begin: (request: RunRequest) => Promise<RemoteRun | Outcome>
}

export interface RunRequest {
  /** What runs, such as a script's file; for the gateway's journal. */
  readonly name?: string
  /** Longest it may take, in milliseconds. Default 60 000, at most 600 000. */
  readonly timeoutMs?: number
  /** Lets it call only tools that are known to change nothing. Default false. */
  readonly readOnly?: boolean
}

export interface RemoteRun {
  /** The run's way to the gateway. Its calls are made there: a service that opens it is told of the end alone. */
  readonly door: RunDoor
  /** What the run gave back, with the calls that it made; the same for everybody who asks. */
  readonly outcome: () => Promise<Outcome>
  /** Ends it: with a reason it has failed, without one it is cancelled. */
  readonly end: (reason?: string) => Promise<Outcome>
  /** Ends it well and without a value, unless the guest has said how it ended. */
  readonly leave: () => Promise<Outcome>
}

/** Throws where no gateway of this user runs at that address. */
export function gatewayClient(url: string, options: TokenOptions = {}): GatewayClient {
  const token = gatewayToken(url, options)
  const ask: Ask = async (path, method = 'GET', body = undefined) => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    }
    const content = body === undefined ? {} : { body: JSON.stringify(body) }
    const answer = await fetch(new URL(path, url), { method, headers, redirect: 'error', ...content }).catch(
      (error) => {
        throw broken(url, `cannot be reached: ${messageOf(error instanceof Error ? (error.cause ?? error) : error)}`)
      },
    )
    const text = await answer.text()
    if (answer.ok) return { status: answer.status, text }
    throw broken(url, `answered with ${answer.status}: ${text.slice(0, 500)}`)
  }
  return {
    tools: async () => toolsIn(url, JSON.parse((await ask('/tools')).text)),
    begin: async (request) => {
      const begun: unknown = JSON.parse((await ask('/runs', 'POST', request)).text)
      if (!isObject(begun) || typeof begun.id !== 'string') throw broken(url, 'gave an answer that is no run.')
      return typeof begun.url === 'string' ? remoteRun(ask, begun.id, begun.url) : asOutcome(begun.outcome)
    },
  }
}

type Ask = (
  path: string,
  method?: string,
  body?: unknown,
) => Promise<{ readonly status: number; readonly text: string }>

function remoteRun(ask: Ask, id: string, url: string): RemoteRun {
  const path = `/runs/${encodeURIComponent(id)}`
  let polled: Promise<Outcome> | undefined
  let isClosed = false
  const outcome = () => {
    polled ??= poll(ask, path).then(({ text }) => asOutcome(JSON.parse(text)))
    return polled
  }
  const end = async (reason?: string) => {
    isClosed = true
    return asOutcome(JSON.parse((await ask(path, 'DELETE', reason === undefined ? undefined : { reason })).text))
  }
  const leave = async () => {
    const headers = { 'content-type': 'application/json' }
    await fetch(`${url}/end/value`, { method: 'POST', headers }).catch(() => {})
    return outcome()
  }
  const told = Promise.withResolvers<void>()
  const settled = async () => {
    const { status, text } = await ask(`${path}?waitMs=0`)
    const answer: unknown = JSON.parse(text)
    if (status !== 202 || (isObject(answer) && answer.isSaid === true)) await told.promise
  }
  const ready = new Promise<void>((resolve) => {
    // A gateway that is gone is told by the outcome.
    poll(ask, `${path}/ready`).then(
      () => resolve(),
      () => {},
    )
  })
  const door: RunDoor = {
    url,
    host: new URL(url).host,
    ready,
    open: (service) => {
      outcome()
        .then(
          (ended) => tellEnd(service, ended),
          (error) => service.end('error', JSON.stringify({ name: 'Error', message: messageOf(error) })),
        )
        .finally(told.resolve)
    },
    settled: () => settled().catch(() => told.promise),
    close: () => {
      if (!isClosed) end().catch(() => {})
    },
  }
  return { door, outcome, end, leave }
}

/** Asks again for as long as the answer is that it is not there yet. */
async function poll(ask: Ask, path: string): ReturnType<Ask> {
  for (;;) {
    const answer = await ask(path)
    if (answer.status !== 202) return answer
  }
}

function tellEnd(service: RunService, outcome: Outcome): void {
  if (outcome.ok) service.end('value', JSON.stringify(outcome.value))
  else service.end('error', JSON.stringify(outcome.value ?? { name: 'Error', message: outcome.message }))
}

type Listed = Omit<ToolDescription, 'name' | 'input'> & { readonly input: boolean | Record<string, unknown> }

function toolsIn(url: string, listed: unknown): readonly ToolDescription[] {
  if (!Array.isArray(listed)) throw broken(url, 'gave an answer that is no list of tools.')
  return listed.map((tool: Listed) => ({
    ...tool,
    name: { path: [tool.id] },
    input: { type: 'json', schema: tool.input },
  }))
}

/** What a gateway of this version says; anything else is another program on its port. */
function asOutcome(value: unknown): Outcome {
  if (isObject(value) && typeof value.ok === 'boolean' && typeof value.callId === 'string')
    return value as unknown as Outcome
  throw new LegworkError('invalid-configuration', 'The gateway gave an answer that is no outcome.')
}

function broken(url: string, what: string): LegworkError {
  return new LegworkError('invalid-configuration', `The gateway at ${url} ${what}`)
}
