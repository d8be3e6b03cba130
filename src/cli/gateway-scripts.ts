// Scripts by a gateway that is running already: it is asked for a run and serves the run's calls; the box is started here, in the
// caller's own folder, with the types that the gateway gives.

import { resolve } from 'node:path'
import { startDeadline } from '../base/deadline.ts'
import { isObject } from '../base/json.ts'
import { gatewayToken } from '../gateway/token-file.ts'
import { LegworkError } from '../model/errors.ts'
import type { Listener } from '../model/event.ts'
import { makeLimits } from '../model/limits.ts'
import type { Failure, Outcome } from '../model/outcome.ts'
import type { Ran, RunContext, ToolDescription } from '../model/tool.ts'
import { createToolscripts, type Dry, defaultScriptTimeoutMs, type Toolscripts } from '../toolscript/library.ts'
import type { RunDoor } from '../toolscript/run-door.ts'
import type { ScriptHost, ScriptRunOptions } from './run-toolscript.ts'

/** `url` is that of `TOOLSCRIPT_GATEWAY_URL`; its token is in that gateway's file. */
export function gatewayScripts(url: string, workspace: string, token = gatewayToken(url)): ScriptHost {
  const listeners = new Set<Listener>()
  const ask = asker(url.replace(/\/+$/, ''), token)
  const tools = async () => listOf(await ask('GET', '/tools')).map(described)
  const open = (makeRunDoor: () => Promise<RunDoor>) =>
    createToolscripts({ tools, version: () => 0, makeRunDoor, workspace, poolSize: 0 })
  const dryScript = async (source: string, options: ScriptRunOptions): Promise<Dry> => {
    const toolscripts = open(() => Promise.reject(new Error('Nothing is run.')))
    return toolscripts.dry(source, options).finally(toolscripts.close)
  }
  const script = async (source: string, options: ScriptRunOptions): Promise<Outcome> => {
    const startedAt = new Date().toISOString()
    // A script with faults is no run, and the gateway is not asked for one.
    const dry = await dryScript(source, options)
    if (!dry.ok) return failure(startedAt, { code: 'invalid-input', issues: dry.issues }, 'The script did not run.')
    const { timeoutMs = defaultScriptTimeoutMs, readOnly = false, name } = options
    const run = new RemoteRun(ask, { timeoutMs, readOnly, ...(name !== undefined && { name }) })
    const toolscripts = open(() => run.door())
    try {
      const ran = await runHere(toolscripts, source, options, timeoutMs, listeners)
      const outcome = (await run.outcome(ran)) ?? failure(startedAt, { code: 'tool-failed' }, messageIn(ran))
      return ran.process ? { ...outcome, process: ran.process } : outcome
    } finally {
      await toolscripts.close()
    }
  }
  return {
    script,
    dryScript,
    why: () =>
      Promise.reject(
        new LegworkError(
          'closed',
          'What the policy of a running gateway decides is not told. Unset TOOLSCRIPT_GATEWAY_URL.',
        ),
      ),
    on: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

type Ask = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown) => Promise<unknown>

function asker(base: string, token: string): Ask {
  return async (method, path, body) => {
    const answer = await fetch(`${base}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch((error: unknown) => {
      throw new LegworkError('closed', `The gateway at ${base} does not answer. Start it with "legwork serve".`, {
        cause: error,
      })
    })
    const text = await answer.text()
    const json: unknown = text ? JSON.parse(text) : undefined
    if (answer.ok) return json
    throw new LegworkError('closed', `The gateway at ${base} refused: ${isObject(json) ? json.message : answer.status}`)
  }
}

type Listed = Omit<ToolDescription, 'name' | 'input'> & { readonly input: boolean | Record<string, unknown> }

function listOf(answer: unknown): readonly Listed[] {
  if (Array.isArray(answer)) return answer
  throw new LegworkError('closed', 'The gateway lists no tools. Is it a Legwork of another version?')
}

function isOutcome(answer: unknown): answer is Outcome {
  return isObject(answer) && typeof answer.ok === 'boolean' && typeof answer.callId === 'string'
}

function asOutcome(answer: unknown): Outcome {
  if (isOutcome(answer)) return answer
  throw new LegworkError('closed', 'The gateway gave no outcome. Is it a Legwork of another version?')
}

function described(tool: Listed): ToolDescription {
  return { ...tool, name: { path: [tool.id] }, input: { type: 'json', schema: tool.input } }
}

/** A run that the gateway was asked for, as the door of a box. */
class RemoteRun {
  readonly #ask: Ask
  readonly #request: object
  #id: string | undefined
  #ended: Promise<Outcome> | undefined

  constructor(ask: Ask, request: object) {
    this.#ask = ask
    this.#request = request
  }

  async door(): Promise<RunDoor> {
    const begun = await this.#ask('POST', '/runs', this.#request)
    if (!isObject(begun) || typeof begun.id !== 'string' || typeof begun.url !== 'string') {
      const refused = isObject(begun) && isObject(begun.outcome) ? begun.outcome.message : 'it gave no run'
      throw new Error(`The gateway does not run it: ${refused}.`)
    }
    const { id, url } = begun
    this.#id = id
    const ended = this.#poll(`/runs/${id}`).then(asOutcome)
    ended.catch(() => {})
    this.#ended = ended
    return {
      url,
      host: new URL(url).host,
      ready: this.#poll(`/runs/${id}/ready`).then(() => {}),
      open: ({ end }) =>
        void ended.then(
          (outcome) =>
            end(
              outcome.ok ? 'value' : 'error',
              JSON.stringify(outcome.ok ? outcome.value : { message: outcome.message }),
            ),
          () => end('error', JSON.stringify({ message: 'The gateway has gone.' })),
        ),
      close: () => {},
    }
  }

  /** What the gateway says of the run; when the box went without a word, the gateway is told why. */
  async outcome(ran: Ran): Promise<Outcome | undefined> {
    if (this.#id === undefined) return undefined
    const known = await Promise.race([
      this.#ended,
      new Promise<undefined>((turn) => setImmediate(() => turn(undefined))),
    ])
    const exit = ran.ok ? 'The script ended without a value.' : ran.message
    return known ?? asOutcome(await this.#ask('DELETE', `/runs/${this.#id}`, { reason: exit }))
  }

  async #poll(path: string): Promise<unknown> {
    for (;;) {
      const answer = await this.#ask('GET', path)
      if (!isObject(answer) || answer.state !== 'running') return answer
    }
  }
}

async function runHere(
  toolscripts: Toolscripts,
  source: string,
  options: ScriptRunOptions,
  timeoutMs: number,
  listeners: ReadonlySet<Listener>,
): Promise<Ran> {
  const signal = options.signal ?? new AbortController().signal
  const context: RunContext = {
    callId: '',
    caller: { front: 'command-line' },
    content: '',
    signal,
    deadline: (partMs) => startDeadline(partMs, signal),
    limits: makeLimits({ timeoutMs }),
    plan: undefined,
    progress: () => {},
    log: () => {},
    usedModel: () => {},
    output: (stream, text) => {
      for (const listener of listeners) void listener({ type: 'output', callId: '', tool: 'toolscript', stream, text })
    },
    call: () => Promise.reject(new Error('The gateway makes the calls.')),
    callTool: () => Promise.reject(new Error('The gateway makes the calls.')),
  }
  const definition = toolscripts.definition(source, { ...options, cwd: resolve(options.cwd ?? '.') })
  return definition.run(undefined, context)
}

function messageIn(ran: Ran): string {
  return ran.ok ? 'The script ended without a word to the gateway.' : ran.message
}

function failure(
  startedAt: string,
  kind: { readonly code: 'tool-failed' } | Pick<Extract<Failure, { code: 'invalid-input' }>, 'code' | 'issues'>,
  message: string,
): Outcome {
  const common = {
    ok: false,
    callId: '',
    tool: 'toolscript',
    message,
    text: message,
    startedAt,
    durationMs: 0,
    warnings: [],
  } as const
  return { ...common, ...kind }
}
