// A run that a client asks for: one call on the one path, whose tool calls come in through a door and which ends when the client says.

import { isObject, parseJson } from '../base/json.ts'
import { endedBy, innerFailure } from '../model/inner-failure.ts'
import type { Failure } from '../model/outcome.ts'
import { anySchema } from '../model/schema.ts'
import type { Ran, RunContext, ToolDefinition } from '../model/tool.ts'
import { callsOf } from '../toolscript/run-calls.ts'
import type { RunDoor } from '../toolscript/run-door.ts'

export interface ClientRun {
  readonly definition: ToolDefinition
  /** Settles when tool calls may come in. */
  readonly opened: Promise<void>
  /** Whether the guest has said how it ended. */
  readonly isSaid: () => boolean
  /** Ends the run with what the client says of it. */
  readonly end: (reason: string) => void
}

export function clientRun(door: RunDoor, name: string | undefined): ClientRun {
  const opened = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<Ran>()
  let isSaid = false
  const run = async (_input: unknown, context: RunContext): Promise<Ran> => {
    const failures: Failure[] = []
    const stop = () => ended.resolve(failed('The run was stopped.'))
    context.signal.addEventListener('abort', stop, { once: true })
    const end = (how: 'value' | 'error', body: string) => {
      isSaid = true
      ended.resolve(how === 'value' ? ranWith(body) : threw(body, failures))
    }
    door.open({ call: callsOf(context, failures), end })
    opened.resolve()
    return ended.promise.finally(() => {
      door.close()
      context.signal.removeEventListener('abort', stop)
    })
  }
  const definition: ToolDefinition = {
    name: { path: ['toolscript'] },
    kind: 'toolscript',
    description: 'A script that a client of the gateway runs',
    input: anySchema,
    // What it calls is decided on by itself.
    effects: { destructive: false, network: false, filesystem: { write: false } },
    trust: 'native',
    ownersOwn: true,
    ...(name !== undefined && { labels: { script: name } }),
    run,
  }
  return { definition, opened: opened.promise, isSaid: () => isSaid, end: (reason) => ended.resolve(failed(reason)) }
}

/** An empty body is a run without a value. */
function ranWith(body: string): Ran {
  const parsed = parseJson(body || 'null')
  return parsed.ok ? { ok: true, value: parsed.value } : failed(`The run's value is not JSON: ${parsed.message}`)
}

/** What was thrown: an error as an object with its message, or any other value; one of a call ends the run as it ended the call. */
function threw(body: string, failures: readonly Failure[]): Ran {
  const parsed = parseJson(body)
  const thrown = parsed.ok ? parsed.value : body
  const message = isObject(thrown) && typeof thrown.message === 'string' ? thrown.message : body
  const inner = innerFailure(failures, message)
  return endedBy(inner, message || 'The run failed and did not say why.', isObject(thrown) ? thrown : undefined)
}

function failed(message: string): Extract<Ran, { ok: false; code: 'tool-failed' }> {
  return { ok: false, code: 'tool-failed', message }
}
