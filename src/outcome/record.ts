// All there is to know of a run, for those who may know it: as JSON, and redacted like everything that leaves a call.

import { type Json, toJson } from '../base/json.ts'
import type { Redactor } from './redact.ts'

/** Undefined for what JSON cannot hold; the value then stands alone. */
export function finishRecord(record: unknown, redactor: Redactor): Json | undefined {
  const made = toJson(record)
  return made.ok ? redactor.value(made.json) : undefined
}
