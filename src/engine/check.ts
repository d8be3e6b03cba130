// Validation and planning together: an input is valid when it fits the schema and a plan can be made of it.

import { startDeadline } from '../base/deadline.ts'
import { isObject, messageOf } from '../base/json.ts'
import type { Call } from '../model/call.ts'
import type { Plan } from '../model/decision.ts'
import type { Limits } from '../model/limits.ts'
import type { Issue } from '../model/schema.ts'
import type { Planned, Tool } from '../model/tool.ts'
import { type Validation, validateInput } from '../validate/validate.ts'

export type Checked =
  | {
      readonly ok: true
      readonly input: unknown
      readonly plan: Plan | undefined
      readonly warnings: readonly string[]
      /** Those of them that whoever wrote the input is told in the text too. */
      readonly notes: readonly string[]
    }
  | Extract<Planned, { readonly ok: false }>

export type Valid = Extract<Checked, { readonly ok: true }>

export async function check(tool: Tool, { input, content = '', signal }: Call, limits: Limits): Promise<Checked> {
  const fault = contentFault(content, limits)
  if (fault) return { ok: false, issues: [fault] }
  const validation = validateInput(tool.input, input, limits)
  const checked = validation instanceof Promise ? await inTime(validation, limits.timeoutMs, signal) : validation
  if (!checked.ok) return checked
  const planned = plan(tool, checked.value)
  if (planned && !planned.ok) return planned
  return {
    ok: true,
    input: checked.value,
    plan: planned?.plan,
    warnings: checked.warnings.map((issue) => told(issue, input, checked.value)),
    notes: checked.warnings.filter(isUnknown).map((issue) => told(issue, input, checked.value)),
  }
}

/** A parameter that is left out is not seen to be: the tool runs as if nobody had asked for it. */
function told({ code, path, message }: Issue, given: unknown, input: unknown): string {
  const isThere = (value: unknown) => isObject(value) && Object.hasOwn(value, path)
  return isUnknown({ code }) && isThere(given) && !isThere(input) ? `${message} The call was made without it.` : message
}

function isUnknown({ code }: Pick<Issue, 'code'>): boolean {
  return code === 'UNKNOWN_PARAMETER'
}

/** Whoever makes plans makes them of valid inputs only; one that fails all the same is a fault of this input, not of the host. */
function plan(tool: Tool, input: unknown): Planned | undefined {
  try {
    return tool.plan?.(input)
  } catch (error) {
    return { ok: false, issues: [{ path: '', code: 'INVALID_VALUE', message: messageOf(error) }] }
  }
}

/** A validator that somebody wrote may wait for something that never comes. */
async function inTime(validation: Promise<Validation>, timeoutMs: number, signal?: AbortSignal): Promise<Validation> {
  const deadline = startDeadline(timeoutMs, signal)
  const message = `The check of the input did not end within ${timeoutMs} ms, or was given up.`
  const late: Validation = { ok: false, issues: [{ path: '', code: 'INVALID_VALUE', message }], warnings: [] }
  const over = new Promise<Validation>((resolve) => {
    if (deadline.signal.aborted) resolve(late)
    deadline.signal.addEventListener('abort', () => resolve(late), { once: true })
  })
  return Promise.race([validation, over]).finally(deadline.stop)
}

function contentFault(content: unknown, { maxInputBytes }: Limits): Issue | undefined {
  if (typeof content !== 'string') {
    return { path: 'content', code: 'INVALID_TYPE', message: 'The content is no text. Write a string.' }
  }
  if (content.length <= maxInputBytes) return undefined
  const message = `The content has ${content.length} characters; at most ${maxInputBytes} are taken.`
  return { path: 'content', code: 'TOO_LARGE', message }
}
