// Validation and planning together: an input is valid when it fits the schema and a plan can be made of it.

import type { Plan } from '../model/decision.ts'
import type { Limits } from '../model/limits.ts'
import type { Issue } from '../model/schema.ts'
import type { Tool } from '../model/tool.ts'
import { validate } from '../validate/validate.ts'

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
  const checked = await validate(tool.input, given, limits)
  if (!checked.ok) return checked
  const planned = tool.plan?.(checked.value)
  if (planned && !planned.ok) return planned
  return {
    ok: true,
    input: checked.value,
    plan: planned?.plan,
    warnings: checked.warnings.map(({ message }) => message),
  }
}
