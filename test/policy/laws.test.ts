// What holds for every policy and every tool, however they are put together.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Plan, Verdict } from '../../src/model/decision.ts'
import { costEstimates, type Effects, mergeEffects, stdinNeeds, trustLevels } from '../../src/model/effects.ts'
import { type Tool, toolKinds } from '../../src/model/tool.ts'
import { decide } from '../../src/policy/decide.ts'
import { makePolicy } from '../../src/policy/policy.ts'
import type { PolicySettings } from '../../src/policy/settings.ts'
import { harmless, makeTool } from './make-tool.ts'

const severity: { readonly [Name in Verdict]: number } = { allow: 0, ask: 1, deny: 2 }

const flag = fc.boolean()
const optional = { requiredKeys: [] as [] }

const effects: fc.Arbitrary<Effects> = fc.record(
  {
    destructive: flag,
    reversible: flag,
    network: flag,
    subprocess: flag,
    filesystem: fc.record({ write: flag, delete: flag }, optional),
    deletes: fc.constant(['branch']),
    interactive: fc.record({ stdin: fc.constantFrom(...stdinNeeds), tty: flag }, optional),
    cost: fc.record({ billable: flag, estimate: fc.constantFrom(...costEstimates) }, optional),
  },
  optional,
)

const tool: fc.Arbitrary<Tool> = fc
  .record({
    name: fc.constantFrom('demo:echo', 'demo:wipe', 'git:push', 'tree'),
    kind: fc.constantFrom(...toolKinds),
    effects,
    trust: fc.constantFrom(...trustLevels),
    ownersOwn: flag,
  })
  .map(({ name, ...fields }) => makeTool(name, fields))

const plan: fc.Arbitrary<Plan | undefined> = fc.option(
  fc.record(
    {
      argv: fc.constantFrom(['git', 'push'], ['/bin/git', '-C', 'x', 'push'], ['tree']),
      command: fc.constant(['git', 'push']),
      effects,
    },
    optional,
  ),
  { nil: undefined },
)

const caller = fc.record({ front: fc.constant('library' as const), readOnly: flag })

const pattern = fc.constantFrom(
  ...['*', 'demo:*', 'demo:echo', 'git*', 'tree', 'kind:skill', 'kind:program', 'effect:destructive', 'effect:network'],
  ...['effect:unknown', 'effect:billable', 'effect:delete', 'Bash', 'Bash(git push:*)', 'Bash(git:*)', 'Bash(tree)'],
)
const patterns = fc.array(pattern, { maxLength: 4 })

const settings: fc.Arbitrary<PolicySettings> = fc.record(
  {
    allowDestructive: flag,
    allowNonReversible: flag,
    allowBillable: flag,
    allowNetwork: flag,
    allowFilesystemWrite: flag,
    allowFilesystemDelete: flag,
    allowInteractive: flag,
    minTrustLevel: fc.constantFrom(...trustLevels),
    maxCostEstimate: fc.constantFrom(...costEstimates),
    profile: fc.constant('recommended' as const),
    allow: patterns,
    ask: patterns,
    deny: patterns,
  },
  optional,
)

const call = fc.tuple(tool, plan, caller)

const runs = { numRuns: 300 }

test('one more deny rule never makes a verdict milder', () => {
  fc.assert(
    fc.property(settings, pattern, call, (given, added, [...args]) => {
      const more = { ...given, deny: [added, ...(given.deny ?? [])] }
      expect(severityOf(more, args)).toBeGreaterThanOrEqual(severityOf(given, args))
    }),
    runs,
  )
})

test('one more ask rule never makes a verdict milder, and denies nothing', () => {
  fc.assert(
    fc.property(settings, pattern, call, (given, added, [...args]) => {
      const before = severityOf(given, args)
      const after = severityOf({ ...given, ask: [added, ...(given.ask ?? [])] }, args)
      expect([before, Math.max(before, severity.ask)]).toContain(after)
    }),
    runs,
  )
})

test('one more allow rule turns a question into a yes or changes nothing', () => {
  fc.assert(
    fc.property(settings, pattern, call, (given, added, [...args]) => {
      const before = severityOf(given, args)
      const after = severityOf({ ...given, allow: [added, ...(given.allow ?? [])] }, args)
      expect(before === severity.ask ? [severity.ask, severity.allow] : [before]).toContain(after)
    }),
    runs,
  )
})

test('the order of the rules does not matter', () => {
  fc.assert(
    fc.property(settings, call, (given, [...args]) => {
      const { allow = [], ask = [], deny = [] } = given
      const turned = { ...given, allow: allow.toReversed(), ask: ask.toReversed(), deny: deny.toReversed() }
      expect(severityOf(turned, args)).toBe(severityOf(given, args))
    }),
    runs,
  )
})

test('deny beats ask beats allow', () => {
  fc.assert(
    fc.property(settings, call, (given, [...args]) => {
      const { deny: _deny, ...noDeny } = given
      expect(severityOf({ ...given, deny: ['*'] }, args)).toBe(severity.deny)
      expect(severityOf({ ...noDeny, ask: ['*'], allow: ['*'] }, args)).toBeGreaterThanOrEqual(severity.ask)
    }),
    runs,
  )
})

test('a tool that does more is never treated more mildly, as long as it says what it does', () => {
  const raising: fc.Arbitrary<Effects> = fc.record(
    {
      destructive: fc.constant(true),
      reversible: fc.constant(false),
      network: fc.constant(true),
      subprocess: fc.constant(true),
      filesystem: fc.record({ write: fc.constant(true), delete: fc.constant(true) }, optional),
      interactive: fc.constant({ tty: true }),
      cost: fc.record({ billable: fc.constant(true), estimate: fc.constantFrom(...costEstimates) }, optional),
    },
    optional,
  )
  fc.assert(
    fc.property(settings, effects, raising, call, (given, stated, raised, [base, , who]) => {
      const said = mergeEffects(harmless, stated)
      const before = severityOf(given, [{ ...base, effects: said }, undefined, who])
      const byTool = severityOf(given, [{ ...base, effects: mergeEffects(said, raised) }, undefined, who])
      const byInput = severityOf(given, [{ ...base, effects: said }, { effects: raised }, who])
      expect(byTool).toBe(byInput)
      expect(byTool).toBeGreaterThanOrEqual(before)
    }),
    runs,
  )
})

test('a decision is the same every time, names its rule and gives a reason', () => {
  fc.assert(
    fc.property(settings, call, (given, [...args]) => {
      const policy = makePolicy(given)
      const decision = decide(policy, ...args)
      expect(decide(policy, ...args)).toEqual(decision)
      expect(decide(makePolicy(given), ...args)).toEqual(decision)
      expect(decision.rule).not.toBe('')
      expect(decision.reasons.length).toBeGreaterThan(0)
      for (const reason of decision.reasons) expect(reason).toContain(`"${args[0].id}"`)
    }),
    runs,
  )
})

function severityOf(
  given: PolicySettings,
  args: [Tool, Plan | undefined, { front: 'library'; readOnly: boolean }],
): number {
  return severity[decide(makePolicy(given), ...args).verdict]
}
