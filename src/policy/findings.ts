// What a check found in a call, and what it looked at.

import type { RulePlace } from '../model/decision.ts'
import type { EffectName, Effects } from '../model/effects.ts'
import type { Tool } from '../model/tool.ts'
import type { Settings } from './settings.ts'

/** One call, as the checks see it. */
export interface Subject {
  readonly tool: Tool
  /** The tool's own effects and those that this input adds. */
  readonly effects: Effects
  /** Whether the caller may call only what is known to change nothing. */
  readonly readOnly: boolean
  readonly settings: Settings
}

export interface Finding {
  /** The rule or setting, as the decision names it. */
  readonly rule: string
  /** A sentence that names the tool. */
  readonly reason: string
  /** The effect that it is about, if it is about one. */
  readonly about?: EffectName | undefined
  readonly where?: RulePlace | undefined
}

/** One check of a table: it gives a sentence when it has something to say. */
export interface Check {
  readonly rule: string
  readonly about?: EffectName
  readonly find: (subject: Subject) => string | undefined
}

export function runChecks(checks: readonly Check[], subject: Subject): Finding[] {
  const findings: Finding[] = []
  for (const { rule, about, find } of checks) {
    const reason = find(subject)
    if (reason !== undefined) findings.push({ rule, reason, about })
  }
  return findings
}
