// Scripts by a gateway that is running already: it is asked for a run and serves the run's calls; the box is started here, in the
// caller's own folder, with the types that the gateway gives.

import { resolve } from 'node:path'
import { startDeadline } from '../base/deadline.ts'
import { toJson } from '../base/json.ts'
import { type GatewayClient, gatewayClient, type RemoteRun } from '../gateway/client.ts'
import type { TokenOptions } from '../gateway/token-file.ts'
import { LegworkError } from '../model/errors.ts'
import type { Listener } from '../model/event.ts'
import { makeLimits } from '../model/limits.ts'
import type { Failure, Outcome } from '../model/outcome.ts'
import type { Ran, RunContext } from '../model/tool.ts'
import { render } from '../outcome/render.ts'
import { visibleText } from '../outcome/visible.ts'
import { createToolscripts, type Dry, defaultScriptTimeoutMs, type Toolscripts } from '../toolscript/library.ts'
import type { MakeRunDoor } from '../toolscript/run-door.ts'
import type { ScriptHost, ScriptRunOptions } from './run-toolscript.ts'

/** `url` is that of `TOOLSCRIPT_GATEWAY_URL`; its token is in that gateway's file. Throws where no gateway of this user is. */
export function gatewayScripts(url: string, workspace: string, options: TokenOptions = {}): ScriptHost {
  const listeners = new Set<Listener>()
  const client = gatewayClient(url, options)
  const open = (makeRunDoor: MakeRunDoor) =>
    createToolscripts({ tools: client.tools, version: () => 0, makeRunDoor, workspace, poolSize: 0 })
  return {
    script: (source, given) => {
      const run = new ScriptRun(client, given)
      const toolscripts = open(() => run.door())
      return run.outcome(toolscripts, source, listeners).finally(toolscripts.close)
    },
    dryScript: async (source, given): Promise<Dry> => {
      const toolscripts = open(() => Promise.reject(new Error('Nothing is run.')))
      return toolscripts.dry(source, given).finally(toolscripts.close)
    },
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

/** One script, run here, as a run of the gateway. */
class ScriptRun {
  readonly #client: GatewayClient
  readonly #options: ScriptRunOptions
  readonly #startedAt = new Date().toISOString()
  #begun: RemoteRun | Outcome | undefined

  constructor(client: GatewayClient, options: ScriptRunOptions) {
    this.#client = client
    this.#options = options
  }

  async door(): ReturnType<MakeRunDoor> {
    const { timeoutMs = defaultScriptTimeoutMs, readOnly = false, name } = this.#options
    const begun = await this.#client.begin({ timeoutMs, readOnly, ...(name !== undefined && { name }) })
    this.#begun = begun
    if ('ok' in begun) throw new Error(begun.text)
    // How it ended is told below; a door that is shut first would cancel it.
    return { ...begun.door, close: () => {} }
  }

  async outcome(toolscripts: Toolscripts, source: string, listeners: ReadonlySet<Listener>): Promise<Outcome> {
    // A script with faults is no run, and the gateway is not asked for one.
    const dry = await toolscripts.dry(source, this.#options)
    if (!dry.ok) {
      const kind = { code: 'invalid-input', issues: dry.issues } as const
      return failure(this.#startedAt, kind, 'The script has faults, and did not run.')
    }
    const ran = await runHere(toolscripts, source, this.#options, listeners)
    const begun = this.#begun
    if (!begun) return failure(this.#startedAt, { code: 'tool-failed' }, messageIn(ran))
    if ('ok' in begun) return begun
    const outcome = await this.#ended(begun, ran).catch(() => undefined)
    return outcome
      ? joined(outcome, ran)
      : { ...failure(this.#startedAt, { code: 'tool-failed' }, gone), ...processOf(ran) }
  }

  /** What the gateway says of the run. If the guest has told it how it ended, that counts; else what was seen here. */
  #ended(run: RemoteRun, ran: Ran): Promise<Outcome> {
    if (this.#options.signal?.aborted) return run.end()
    return ran.ok ? run.leave() : run.end(ran.message)
  }
}

const gone = 'The gateway stopped, or shut this run out, while the script ran.'

async function runHere(
  toolscripts: Toolscripts,
  source: string,
  options: ScriptRunOptions,
  listeners: ReadonlySet<Listener>,
): Promise<Ran> {
  const signal = options.signal ?? new AbortController().signal
  const context: RunContext = {
    callId: '',
    caller: { front: 'command-line' },
    content: '',
    signal,
    deadline: (partMs) => startDeadline(partMs, signal),
    limits: makeLimits({ timeoutMs: options.timeoutMs ?? defaultScriptTimeoutMs }),
    plan: undefined,
    progress: () => {},
    log: () => {},
    usedModel: () => {},
    output: async (stream, text) => {
      const event = { type: 'output', callId: '', tool: 'toolscript', stream, text } as const
      await Promise.all([...listeners].map((listener) => listener(event)))
    },
    call: () => Promise.reject(new Error('The gateway makes the calls.')),
    callTool: () => Promise.reject(new Error('The gateway makes the calls.')),
  }
  const definition = toolscripts.definition(source, { ...options, cwd: resolve(options.cwd ?? '.') })
  return definition.run(undefined, context)
}

/** The gateway's outcome, with what only the side that ran the script knows: its process, and its own lines in an error. */
function joined(outcome: Outcome, ran: Ran): Outcome {
  const text = visibleText(render(ran, makeLimits().maxOutputBytes))
  const common = { ...processOf(ran), warnings: [...outcome.warnings, ...(ran.warnings ?? [])] }
  if (outcome.ok && ran.ok) return { ...outcome, ...common, text }
  // Without a value, it is not what the script threw that ended the run.
  if (outcome.ok || ran.ok || (outcome.code !== 'tool-failed' && outcome.value === undefined))
    return { ...outcome, ...common }
  const value = 'value' in ran ? toJson(ran.value) : undefined
  return { ...outcome, ...common, text, message: ran.message, ...(value?.ok && { value: value.json }) }
}

function processOf({ process }: Ran): Pick<Outcome, 'process'> {
  return process ? { process } : {}
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
