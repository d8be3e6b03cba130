// Checks a plain value against a JSON Schema.

import type { Json } from '../base/json.ts'
import type { JsonSchema } from '../model/schema.ts'
import type { Fault } from './ajv.ts'
import { OutOfBudget, withBudget } from './budget.ts'
import { coerce } from './coerce.ts'
import { type Checks, type CompiledSchema, compiledSchema } from './compiled-schema.ts'
import { issuesOf } from './faults.ts'
import { unknownParameters, withoutUnknown } from './unknown-parameters.ts'
import { noWarnings, refused, type Validation } from './validation.ts'

export interface CheckOptions {
  /** Whether text may become a number and the like, and unknown parameters are left out. */
  readonly coerce: boolean
  /** The size of the value as JSON. */
  readonly bytes: number
}

export function checkJsonSchema(
  schema: JsonSchema,
  value: Json,
  options: CheckOptions,
): Validation | Promise<Validation> {
  if (schema === true) return { ok: true, value, warnings: noWarnings }
  if (schema === false) return refused('The tool accepts no input at all.')
  const compiled = compiledSchema(schema)
  return compiled instanceof Promise
    ? compiled.then((ready) => check(ready, value, options))
    : check(compiled, value, options)
}

function check(compiled: CompiledSchema, given: Json, options: CheckOptions): Validation {
  const { parameters, root, checks } = compiled
  const unknown = unknownParameters(parameters, given)
  const warnings = compiled.warnings.length ? [...compiled.warnings, ...unknown] : unknown
  const value = options.coerce ? coerce(root, withoutUnknown(parameters, given)) : given
  if (!checks) return { ok: true, value, warnings }
  try {
    const faults = withBudget(steps + stepsPerByte * options.bytes, () => checks.first(value))
    if (!faults) return { ok: true, value, warnings }
    return { ok: false, issues: issuesOf(everyFault(checks, value, faults, options.bytes), value, root), warnings }
  } catch (error) {
    return refused(uncheckable(error), warnings)
  }
}

/** Enough for any honest schema, and over in well under a second. */
const steps = 20_000_000
const stepsPerByte = 60

/** Larger values are reported by their first fault alone: a fault for each of a million items helps nobody. */
const largestForEveryFault = 262_144
const stepsForEveryFault = 2_000_000
const mostFaults = 2_000

function everyFault({ every }: Checks, value: Json, first: readonly Fault[], bytes: number): readonly Fault[] {
  if (bytes > largestForEveryFault) return first
  try {
    const faults = withBudget(stepsForEveryFault, () => every()(value))
    return faults && faults.length <= mostFaults ? faults : first
  } catch {
    return first
  }
}

function uncheckable(error: unknown): string {
  const why = error instanceof OutOfBudget ? 'the check would take too long' : 'the check itself failed'
  return `The input cannot be checked against the tool's schema: ${why}. Send a smaller one.`
}
