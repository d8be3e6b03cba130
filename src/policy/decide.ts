// The decision on one call: deny beats ask beats allow, whatever the order of the rules or how specific they are.

import type { Caller } from '../model/call.ts'
import type { Decision, Plan, Verdict } from '../model/decision.ts'
import { mergeEffects } from '../model/effects.ts'
import type { Tool } from '../model/tool.ts'
import { findDenials } from './denials.ts'
import type { Finding, Subject } from './findings.ts'
import type { Policy } from './policy.ts'
import { findQuestions } from './questions.ts'
import { describeRule, matchesCall, type Rule } from './rules.ts'

/** Pure, and a few microseconds. */
export function decide(policy: Policy, tool: Tool, plan: Plan | undefined, caller: Caller): Decision {
  const effects = plan?.effects ? mergeEffects(tool.effects, plan.effects) : tool.effects
  const subject: Subject = { tool, effects, readOnly: caller.readOnly === true, settings: policy }
  const rules = policy.rulesFor(tool)
  const call = { kind: tool.kind, effects, plan }
  const matches = (rule: Rule) => matchesCall(rule, call)

  const denials = [...ruleFindings(rules.deny.find(matches), tool), ...findDenials(subject)]
  if (isSome(denials)) return decision('deny', denials, subject)

  const questions = findQuestions(subject)
  const asking: readonly Finding[] = [...pinFindings(plan), ...ruleFindings(rules.ask.find(matches), tool)]
  if (isSome(asking)) return decision('ask', [...asking, ...questions], subject)

  const allowing = rules.allow.filter(matches)
  const open = questions.filter((question) => !allowing.some((rule) => answers(rule, question)))
  if (isSome(open)) return decision('ask', open, subject)

  const decisive = allowing.find((rule) => !questions[0] || answers(rule, questions[0]))
  const grounds = ruleFindings(decisive, tool)
  return decision('allow', isSome(grounds) ? grounds : [nothingAgainst(tool)], subject)
}

/**
 * Whether an allow rule settles a question. A rule about an effect settles only what is asked because of that effect:
 * otherwise a tool could declare one effect more and so get out of being asked about another.
 */
function answers({ target }: Rule, question: Finding): boolean {
  return target.type !== 'effect' || target.effect === question.about
}

/** What the tool itself wants a person to be asked, such as about a description that has changed. No rule answers it. */
function pinFindings(plan: Plan | undefined): readonly Finding[] {
  return (plan?.questions ?? []).map((reason) => ({ rule: 'pin', reason }))
}

const said = { deny: 'denies', ask: 'asks before', allow: 'allows' } as const

/** A rule as a finding, if there is one. */
function ruleFindings(rule: Rule | undefined, tool: Tool): readonly Finding[] {
  if (!rule) return []
  const name = describeRule(rule)
  return [{ rule: name, reason: `The rule ${name} ${said[rule.verdict]} "${tool.id}".`, where: rule.where }]
}

function nothingAgainst(tool: Tool): Finding {
  return { rule: 'default', reason: `No rule or setting speaks against "${tool.id}".` }
}

/** What cannot be undone is one reason more where destruction is a reason, and a warning everywhere else. */
function decision(verdict: Verdict, findings: Some<Finding>, { tool, effects }: Subject): Decision {
  const reasons = findings.map(({ reason }) => reason)
  const isAbout = (effect: Finding['about']) => findings.some(({ about }) => about === effect)
  const isUnsaid = effects.reversible === false && !isAbout('irreversible')
  const cannotBeUndone = isUnsaid ? [`"${tool.id}" cannot be undone.`] : []
  const isReason = isAbout('destructive')
  const [{ rule, where }] = findings
  return {
    verdict,
    rule,
    reasons: isReason ? [...reasons, ...cannotBeUndone] : reasons,
    ...(where && { where }),
    ...(isUnsaid && !isReason && { warnings: cannotBeUndone }),
  }
}

type Some<T> = readonly [T, ...T[]]

function isSome<T>(list: readonly T[]): list is Some<T> {
  return list.length > 0
}
