// One rule of the owner's, such as `deny "github:*"`: read once, checked then, and compared with calls ever after.

import { didYouMean, nearest } from '../base/text.ts'
import type { RulePlace, Verdict } from '../model/decision.ts'
import { type EffectName, effectNames, hasEffect } from '../model/effects.ts'
import { RuleError } from '../model/errors.ts'
import { allSpellings } from '../model/name.ts'
import { type Tool, type ToolKind, toolKinds } from '../model/tool.ts'
import {
  anyCommand,
  type CommandPattern,
  commandPattern,
  mayStartProcess,
  type PlannedCall,
} from './command-pattern.ts'
import type { RuleText } from './settings.ts'
import { wildcard } from './wildcard.ts'

export interface Rule {
  /** What it says of the calls that it matches. */
  readonly verdict: Verdict
  /** As its owner wrote it. */
  readonly pattern: string
  readonly where?: RulePlace
  readonly target: Target
}

type Target =
  | { readonly type: 'name'; readonly matches: (spelling: string) => boolean }
  | { readonly type: 'kind'; readonly kind: ToolKind }
  | { readonly type: 'effect'; readonly effect: EffectName }
  | { readonly type: 'command'; readonly command: CommandPattern }

/** Reads a rule. One that cannot mean anything is refused with what to write instead. */
export function parseRule(verdict: Verdict, text: RuleText): Rule {
  const { pattern: given, where } = typeof text === 'string' ? { pattern: text, where: undefined } : text
  const pattern = given.trim()
  return { verdict, pattern, ...(where && { where }), target: parseTarget(verdict, pattern) }
}

/** How a decision names the rule. */
export function describeRule({ verdict, pattern }: Pick<Rule, 'verdict' | 'pattern'>): string {
  return `${verdict} "${pattern}"`
}

/** The rules that can match calls of the tool, as far as its name and kind decide. */
export function rulesConcerning(tool: Tool, rules: readonly Rule[]): readonly Rule[] {
  const names = namesOf(tool)
  return rules.filter((rule) => concerns(rule, tool, names))
}

/** Whether a rule that concerns the tool matches this call of it. */
export function matchesCall({ verdict, target }: Rule, call: PlannedCall): boolean {
  switch (target.type) {
    case 'name':
    case 'kind':
      return true
    case 'effect':
      return hasEffect(call.effects, target.effect)
    case 'command':
      return verdict === 'allow' ? target.command.matchesStrictly(call) : target.command.matchesGenerously(call)
  }
}

/**
 * The rules that can match no call of the tool. One about an effect always can, because an input may bring the effect;
 * one about a command can where the tool may start any.
 */
export function rulesNotConcerning(tool: Tool, rules: readonly Rule[]): readonly Rule[] {
  const names = namesOf(tool)
  const startsProcesses = mayStartProcess(tool) || tool.plan !== undefined
  return rules.filter((rule) => (rule.target.type === 'command' ? !startsProcesses : !concerns(rule, tool, names)))
}

function concerns({ verdict, pattern, target }: Rule, tool: Tool, { every, own }: ToolNames): boolean {
  switch (target.type) {
    case 'name':
      return (verdict === 'allow' && pattern.includes('*') ? own : every).some(target.matches)
    case 'kind':
      return target.kind === tool.kind
    case 'effect':
    case 'command':
      return true
  }
}

/**
 * The spellings that a name is compared with. An alias may be made of words that somebody else wrote, such as a
 * document's title: it must not get a tool in under another tool's `allow "git:*"`, so there it counts only in full.
 */
interface ToolNames {
  readonly every: readonly string[]
  readonly own: readonly string[]
}

function namesOf({ spellings }: Tool): ToolNames {
  return { every: [...allSpellings(spellings)], own: [...allSpellings({ ...spellings, aliases: [] })] }
}

type Fail = (fault: string) => never

function parseTarget(verdict: Verdict, pattern: string): Target {
  const fail: Fail = (fault) => {
    throw new RuleError(pattern, `The rule ${describeRule({ verdict, pattern })} ${fault}`)
  }
  if (pattern.startsWith('effect:')) return { type: 'effect', effect: oneOf(effectNames, 'effect:', pattern, fail) }
  if (pattern.startsWith('kind:')) return { type: 'kind', kind: oneOf(toolKinds, 'kind:', pattern, fail) }
  if (pattern === 'Bash') return { type: 'command', command: anyCommand }
  const [, command] = /^Bash\((.*)\)$/s.exec(pattern) ?? []
  if (command !== undefined) return { type: 'command', command: parseCommand(command.trim(), fail) }
  if (/[()]/.test(pattern)) fail(`has brackets that are not those of "Bash(...)". Write ${examples}.`)
  if (pattern === '') fail(`is empty. Write ${examples}.`)
  return { type: 'name', matches: wildcard(pattern) }
}

const examples = 'a rule such as "github:*", "effect:destructive", "kind:skill" or "Bash(git push:*)"'

function oneOf<Name extends string>(names: readonly Name[], prefix: string, pattern: string, fail: Fail): Name {
  const given = pattern.slice(prefix.length)
  const found = names.find((name) => name === given)
  if (found) return found
  const near = didYouMean(nearest(given, names, 1).map((name) => prefix + name))
  return fail(`names nothing that exists.${near} Write one of ${names.map((name) => prefix + name).join(', ')}.`)
}

function parseCommand(command: string, fail: Fail): CommandPattern {
  if (command === '*') return anyCommand
  if (command === '' || command === ':*') fail('names no command. Write "Bash(*)" for every command.')
  if (!isBalanced(command)) fail('has brackets that do not close. Write "*" in their place.')
  if (/["']/.test(command)) fail('has quotes, but no shell reads commands here. Write "*" for what is in them.')
  return commandPattern(command)
}

function isBalanced(text: string): boolean {
  let open = 0
  for (const letter of text) {
    if (letter === '(') open += 1
    if (letter === ')') open -= 1
    if (open < 0) return false
  }
  return open === 0
}
