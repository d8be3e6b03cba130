// What a policy says of a call, for those who only want to ask.

import type { Caller } from '../model/call.ts'
import type { Decision, Plan } from '../model/decision.ts'
import { type Effects, mergeEffects, type Trust } from '../model/effects.ts'
import { allSpellings, spell } from '../model/name.ts'
import type { Tool, ToolDefinition } from '../model/tool.ts'
import { decide } from '../policy/decide.ts'
import { makePolicy, type Policy } from '../policy/policy.ts'
import type { PolicySettings } from '../policy/settings.ts'
import type { CommandMapping } from './commands.ts'
import { ArgumentValidationError, type ConfirmationContext } from './errors.ts'
import { validateToolCall } from './parameters.ts'
import { programTool } from './tools.ts'

export interface ExecutionPolicy extends PolicySettings {
  /** Asks a person; only a plain true is a yes. Default: nobody, so that whatever asks throws. */
  readonly confirmationHandler?: ((context: ConfirmationContext) => boolean | Promise<boolean>) | undefined
}

export interface PolicyCheckResult {
  /** Whether it may run without a question. */
  readonly allowed: boolean
  readonly requiresConfirmation: boolean
  /** Why, in sentences; the decisive ones first. */
  readonly reasons: readonly string[]
  /** What is worth knowing although it did not decide. */
  readonly warnings: readonly string[]
  /** The rule or setting that decided. */
  readonly rule: string
  /** The effects of the program, the command and the options that are given, merged. */
  readonly effects: Effects
  readonly trust: Trust
}

/** Nothing runs, and nobody is asked. Without arguments the command alone is decided on. */
export function checkPolicy(
  call: { readonly arguments?: unknown },
  mapping: CommandMapping,
  policy: ExecutionPolicy = {},
): PolicyCheckResult {
  const { confirmationHandler: _, ...settings } = policy
  const [tool] = asTools([programTool(mapping, { workspace: process.cwd(), ownersOwn: true })])
  return checkDefinition(call, mapping, tool as Tool, makePolicy(settings))
}

export function checkDefinition(
  call: { readonly arguments?: unknown },
  mapping: CommandMapping,
  tool: Tool,
  policy: Policy,
): PolicyCheckResult {
  const plan = call.arguments === undefined ? undefined : planOf(call, mapping, tool)
  const decision: Decision = decide(policy, tool, plan, caller)
  return {
    allowed: decision.verdict === 'allow',
    requiresConfirmation: decision.verdict === 'ask',
    reasons: decision.reasons,
    warnings: decision.warnings ?? [],
    rule: decision.rule,
    effects: mergeEffects(tool.effects, plan?.effects),
    trust: tool.trust,
  }
}

/** Tools with their spellings, as a catalogue that held these alone would give them. */
export function asTools(definitions: readonly ToolDefinition[]): readonly Tool[] {
  const taken = new Set<string>()
  const key = ({ name: { module = '', path } }: ToolDefinition) => [module, ...path].join('\0')
  const made = new Map<ToolDefinition, Tool>()
  for (const definition of definitions.toSorted((one, other) => (key(one) < key(other) ? -1 : 1))) {
    const { spellings } = spell(definition.kind, definition.name, (text) => taken.has(text))
    for (const spelling of allSpellings(spellings)) taken.add(spelling)
    made.set(definition, { ...definition, id: spellings.id, source: 'programs', spellings })
  }
  return definitions.flatMap((definition) => made.get(definition) ?? [])
}

const caller: Caller = { front: 'library' }

function planOf(call: { readonly arguments?: unknown }, mapping: CommandMapping, tool: Tool): Plan | undefined {
  const { valid, errors, arguments: args } = validateToolCall(call, mapping)
  if (!valid) throw new ArgumentValidationError(mapping.name, errors)
  const planned = tool.plan?.(args)
  return planned?.ok ? planned.plan : undefined
}
