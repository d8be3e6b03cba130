// The settings and rules of an owner, read once into the form that every decision uses.

import type { Verdict } from '../model/decision.ts'
import type { Tool } from '../model/tool.ts'
import { parseRule, type Rule, rulesConcerning, rulesNotConcerning } from './rules.ts'
import { makeSettings, type PolicySettings, type RuleText, type Settings } from './settings.ts'

/** Rules by what they say. */
export type RulesByVerdict = { readonly [Name in Verdict]: readonly Rule[] }

export interface Policy extends Settings {
  readonly rules: RulesByVerdict
  /** The rules that can match calls of a tool, found when it is first called and remembered as long as it exists. */
  readonly rulesFor: (tool: Tool) => RulesByVerdict
}

/** Throws a ConfigurationError for a bad setting and a RuleError for a bad rule, so that no decision has to. */
export function makePolicy(given: PolicySettings = {}): Policy {
  const settings = makeSettings(given)
  const rules: RulesByVerdict = {
    deny: parseRules('deny', given.deny),
    ask: parseRules('ask', given.ask),
    allow: parseRules('allow', given.allow),
  }
  const remembered = new WeakMap<Tool, RulesByVerdict>()
  const rulesFor = (tool: Tool): RulesByVerdict => {
    const known = remembered.get(tool)
    if (known) return known
    const found = {
      deny: rulesConcerning(tool, rules.deny),
      ask: rulesConcerning(tool, rules.ask),
      allow: rulesConcerning(tool, rules.allow),
    }
    remembered.set(tool, found)
    return found
  }
  return { ...settings, rules, rulesFor }
}

/**
 * The rules that could match no call of any of these tools, most likely because a name is misspelt.
 * A rule about an effect is never one of them: it may wait for a tool or an input that brings the effect.
 */
export function unmatchedRules({ rules }: Policy, tools: Iterable<Tool>): readonly Rule[] {
  const all = [...rules.deny, ...rules.ask, ...rules.allow]
  let open: readonly Rule[] = all.filter(({ target }) => target.type !== 'effect')
  for (const tool of tools) {
    if (open.length === 0) break
    open = rulesNotConcerning(tool, open)
  }
  return open
}

function parseRules(verdict: Verdict, texts: readonly RuleText[] = []): readonly Rule[] {
  return texts.map((text) => parseRule(verdict, text))
}
