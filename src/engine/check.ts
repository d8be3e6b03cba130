// Validation and planning together: an input is valid when it fits the schema and a plan can be made of it.

import { messageOf } from '../base/json.ts'
import type { Plan } from '../model/decision.ts'
import type { Limits } from '../model/limits.ts'
import type { Issue } from '../model/schema.ts'
import type { Planned, Tool } from '../model/tool.ts'
import { type Validation, validate } from '../validate/validate.ts'

export type Checked =
  | {
      readonly ok: true
      readonly input: unknown
      readonly plan: Plan | undefined
      readonly warnings: readonly string[]
    }
  | { readonly ok: false; readonly issues: readonly Issue[] }

export type Valid = Extract<Checked, { readonly ok: true }>

export async function check(tool: Tool, given: unknown, limits: Limits): Promise<Checked> {
  const validation = validate(tool.input, given, limits)
  const checked = validation instanceof Promise ? await inTime(validation, limits.timeoutMs) : validation
  if (!checked.ok) return checked
  const planned = plan(tool, checked.value)
  if (planned && !planned.ok) return planned
  return {
    ok: true,
    input: checked.value,
    plan: planned?.plan,
    warnings: checked.warnings.map(({ message }) => message),
  }
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
async function inTime(validation: Promise<Validation>, timeoutMs: number): Promise<Validation> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Validation>((resolve) => {
    const message = `The check of the input did not end within ${timeoutMs} ms.`
    const issues = [{ path: '', code: 'INVALID_VALUE', message }] as const
    timer = setTimeout(resolve, timeoutMs, { ok: false, issues, warnings: [] })
  })
  return Promise.race([validation, late]).finally(() => clearTimeout(timer))
}
