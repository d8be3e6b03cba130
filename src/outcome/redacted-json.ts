// An input as text, for sinks that keep a line of it: redacted, whatever it holds, and even if it is no JSON at all.

import { toJson } from '../base/json.ts'
import type { Redactor } from './redact.ts'

export function redactedJson(value: unknown, redactor: Redactor): string {
  const made = toJson(value)
  return made.ok ? JSON.stringify(redactor.value(made.json)) : `(${redactor.text(made.message)})`
}
