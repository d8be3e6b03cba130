import { describe, expect, test } from 'vitest'
import type { Verdict } from '../../src/model/decision.ts'
import { type Effects, type Trust, trustLevels } from '../../src/model/effects.ts'
import type { Tool } from '../../src/model/tool.ts'
import { decide } from '../../src/policy/decide.ts'
import { makePolicy } from '../../src/policy/policy.ts'
import type { PolicySettings } from '../../src/policy/settings.ts'
import { caller, harmless, makePlan, makeProgram, makeTool } from './make-tool.ts'

const of = (settings: PolicySettings, effects: Effects, fields: Partial<Omit<Tool, 'name'>> = {}) =>
  decide(makePolicy(settings), makeTool('demo:echo', { effects, ...fields }), undefined, caller)

describe('each setting', () => {
  test.each<[PolicySettings, Effects, Verdict, string]>([
    [{}, {}, 'allow', 'default'],
    [{}, harmless, 'allow', 'default'],
    [{}, { destructive: true }, 'ask', 'allowDestructive'],
    [{ allowDestructive: true }, { destructive: true }, 'allow', 'default'],
    [{}, { destructive: false, reversible: false }, 'allow', 'default'],
    [{ allowNonReversible: false }, { reversible: false }, 'ask', 'allowNonReversible'],
    [{ allowNonReversible: false }, { reversible: true }, 'allow', 'default'],
    [{}, { cost: { billable: true } }, 'allow', 'default'],
    [{ allowBillable: false }, { cost: { billable: true } }, 'ask', 'allowBillable'],
    [{ allowBillable: false }, { cost: { billable: false } }, 'allow', 'default'],
    [{}, { network: true }, 'allow', 'default'],
    [{ allowNetwork: false }, { network: true }, 'deny', 'allowNetwork'],
    [{ allowNetwork: false }, {}, 'deny', 'allowNetwork'],
    [{ allowNetwork: false }, { network: false }, 'allow', 'default'],
    [{}, { filesystem: { write: true } }, 'allow', 'default'],
    [{ allowFilesystemWrite: false }, { filesystem: { write: true } }, 'deny', 'allowFilesystemWrite'],
    [{ allowFilesystemWrite: false }, { filesystem: { write: false, delete: true } }, 'deny', 'allowFilesystemWrite'],
    [{ allowFilesystemWrite: false }, { filesystem: { read: true } }, 'deny', 'allowFilesystemWrite'],
    [{ allowFilesystemWrite: false }, {}, 'deny', 'allowFilesystemWrite'],
    [{ allowFilesystemWrite: false }, { filesystem: { write: false } }, 'allow', 'default'],
    [{}, { filesystem: { delete: true } }, 'allow', 'default'],
    [{ allowFilesystemDelete: false }, { filesystem: { delete: true } }, 'ask', 'allowFilesystemDelete'],
    [{ allowFilesystemDelete: false }, { deletes: ['branch'] }, 'ask', 'allowFilesystemDelete'],
    [{ allowFilesystemDelete: false }, { filesystem: { delete: false } }, 'allow', 'default'],
    [{}, { interactive: { stdin: 'none' } }, 'allow', 'default'],
    [{}, { interactive: { stdin: 'optional' } }, 'allow', 'default'],
    [{}, { interactive: { stdin: 'required' } }, 'deny', 'allowInteractive'],
    [{}, { interactive: { stdin: 'password' } }, 'deny', 'allowInteractive'],
    [{}, { interactive: { prompts: true } }, 'deny', 'allowInteractive'],
    [{}, { interactive: { tty: true } }, 'deny', 'allowInteractive'],
    [{ allowInteractive: true }, { interactive: { tty: true } }, 'allow', 'default'],
    [{}, { cost: { estimate: 'high' } }, 'allow', 'default'],
    [{ maxCostEstimate: 'medium' }, { cost: { estimate: 'high' } }, 'ask', 'maxCostEstimate'],
    [{ maxCostEstimate: 'medium' }, { cost: { estimate: 'medium', billable: true } }, 'allow', 'default'],
    [{ maxCostEstimate: 'free' }, { cost: { estimate: 'low' } }, 'ask', 'maxCostEstimate'],
    [{ maxCostEstimate: 'medium' }, { cost: { billable: true } }, 'ask', 'maxCostEstimate'],
    [{ maxCostEstimate: 'free' }, { cost: { billable: false } }, 'allow', 'default'],
    [{ maxCostEstimate: 'free' }, {}, 'allow', 'default'],
  ])('%j with %j: %s by %s', (settings, effects, verdict, rule) => {
    expect(of(settings, effects)).toMatchObject({ verdict, rule })
  })

  test.each(trustLevels.flatMap((trust) => trustLevels.map((minimum) => [trust, minimum] as const)))(
    'trust %s with the minimum %s',
    (trust, minimum) => {
      const isEnough = trustLevels.indexOf(trust) >= trustLevels.indexOf(minimum)
      const { verdict, rule } = of({ minTrustLevel: minimum }, harmless, { trust })
      expect({ verdict, rule }).toEqual(
        isEnough ? { verdict: 'allow', rule: 'default' } : { verdict: 'deny', rule: 'minTrustLevel' },
      )
    },
  )

  test('a trust that does not exist is not enough for anything', () => {
    expect(of({}, harmless, { trust: 'highest' as Trust })).toMatchObject({ verdict: 'deny', rule: 'minTrustLevel' })
  })
})

describe('unknown effects are not safe effects', () => {
  test.each<[Trust, boolean, Verdict]>([
    ['native', false, 'allow'],
    ['vendor', false, 'allow'],
    ['org', false, 'allow'],
    ['community', false, 'ask'],
    ['user', false, 'ask'],
    ['inferred', false, 'ask'],
    ['community', true, 'allow'],
    ['inferred', true, 'allow'],
  ])('trust %s, the owner’s own: %s: %s', (trust, ownersOwn, verdict) => {
    const decision = of({ allowDestructive: true }, { network: true }, { trust, ownersOwn })
    expect(decision).toMatchObject({ verdict, rule: verdict === 'ask' ? 'unknown effects' : 'default' })
  })

  test('an allow rule answers them', () => {
    const decision = of({ allow: ['demo:*'] }, {}, { trust: 'community' })
    expect(decision).toMatchObject({ verdict: 'allow', rule: 'allow "demo:*"' })
    expect(of({ allow: ['effect:unknown'] }, {}, { trust: 'community' }).verdict).toBe('allow')
  })

  const partly: Effects = { destructive: false, network: true }
  test.each<[PolicySettings, string]>([
    [
      { allowNonReversible: false },
      'Nobody says whether "demo:echo" can be undone, and "allowNonReversible" is false.',
    ],
    [{ allowBillable: false }, 'Nobody says whether "demo:echo" costs money, and "allowBillable" is false.'],
    [
      { allowFilesystemDelete: false },
      'Nobody says whether "demo:echo" deletes things, and "allowFilesystemDelete" is false.',
    ],
    [{ maxCostEstimate: 'low' }, 'Nobody says how much "demo:echo" costs, and "maxCostEstimate" is "low".'],
  ])('with %j the silence of a stranger asks, and that of the owner does not', (settings, reason) => {
    expect(of(settings, partly, { trust: 'community' })).toMatchObject({ verdict: 'ask', reasons: [reason] })
    expect(of(settings, partly, { trust: 'community', ownersOwn: true }).verdict).toBe('allow')
    expect(of(settings, partly, { trust: 'org' }).verdict).toBe('allow')
    const { reversible: _, cost: __, ...readsOnly } = harmless
    expect(of(settings, readsOnly, { trust: 'community' }).verdict).toBe('allow')
  })

  test('settings about destruction, trust and cost hold for the owner’s own tools too', () => {
    const own = { ownersOwn: true, trust: 'user' } as const
    expect(of({}, { destructive: true }, own).verdict).toBe('ask')
    expect(of({ minTrustLevel: 'org' }, {}, own).verdict).toBe('deny')
    expect(of({ maxCostEstimate: 'low' }, { cost: { estimate: 'high' } }, own).verdict).toBe('ask')
  })
})

describe('the profile recommended', () => {
  const asksAlways = ['ask', 'ask', 'deny'] as const
  const table: Record<Trust, readonly [harmless: Verdict, network: Verdict, destructive: Verdict]> = {
    native: ['allow', 'allow', 'allow'],
    vendor: ['allow', 'allow', 'allow'],
    org: ['allow', 'allow', 'ask'],
    community: asksAlways,
    user: asksAlways,
    inferred: ['ask', 'deny', 'deny'],
  }
  const effects: Effects[] = [harmless, { destructive: false, network: true }, { ...harmless, destructive: true }]
  const rows = trustLevels.flatMap((trust) => effects.map((each, at) => [trust, each, table[trust][at]] as const))

  test.each(rows)('trust %s with %j: %s', (trust, each, verdict) => {
    const decision = of({ profile: 'recommended', allowDestructive: true }, each, { trust, ownersOwn: true })
    expect(decision).toMatchObject({ verdict, rule: verdict === 'allow' ? 'default' : 'profile recommended' })
  })

  test('is off by default', () => {
    expect(of({}, harmless, { trust: 'inferred' })).toMatchObject({ verdict: 'allow', rule: 'default' })
  })

  test('leaves the settings as they are', () => {
    expect(of({ profile: 'recommended' }, { destructive: true }, { trust: 'native' }).rule).toBe('allowDestructive')
    expect(of({ profile: 'recommended' }, {}, { trust: 'inferred' }).verdict).toBe('deny')
    expect(of({ profile: 'recommended' }, {}, { trust: 'community' }).reasons).toEqual([
      'Nobody says whether "demo:echo" is destructive, and it has the trust "community".',
      '"demo:echo" has the trust "community": the profile "recommended" asks before every call.',
    ])
  })

  test('its questions are answered by an allow rule, its denials are not', () => {
    const settings = { profile: 'recommended', allow: ['demo:*'] } as const
    expect(of(settings, harmless, { trust: 'inferred' }).verdict).toBe('allow')
    expect(of(settings, { destructive: true }, { trust: 'org' }).verdict).toBe('allow')
    expect(of(settings, { destructive: true }, { trust: 'community' }).verdict).toBe('deny')
    expect(of(settings, {}, { trust: 'inferred' }).verdict).toBe('deny')
  })

  test('a question about trust is not answered by a rule about effects', () => {
    const settings = { profile: 'recommended', allow: ['effect:network'] } as const
    expect(of(settings, { destructive: false, network: true }, { trust: 'user' }).verdict).toBe('ask')
  })

  test('a destructive tool of the organisation is let through by a rule about what is destructive', () => {
    const settings = { profile: 'recommended', allow: ['effect:destructive'] } as const
    expect(of(settings, { destructive: true }, { trust: 'org' }).verdict).toBe('allow')
  })
})

describe('deny beats ask beats allow', () => {
  const lists = ['deny', 'ask', 'allow'] as const
  const wide = ['*', 'demo:*', 'kind:function', 'effect:destructive']
  test.each(wide.flatMap((broad) => wide.map((narrow) => [broad, narrow] as const)))(
    'whichever of %s and %s is more specific',
    (one, other) => {
      const effects = { destructive: true }
      expect(of({ deny: [one], ask: [other], allow: [other] }, effects).rule).toBe(`deny "${one}"`)
      expect(of({ ask: [one], allow: [other] }, effects).rule).toBe(`ask "${one}"`)
      expect(of({ allow: [one] }, effects).rule).toBe(`allow "${one}"`)
    },
  )

  test('a setting’s denial is lifted by no rule', () => {
    const rules = { allow: ['*', 'demo:echo', 'effect:network', 'kind:function'] }
    expect(of({ allowNetwork: false, ...rules }, { network: true }).verdict).toBe('deny')
    expect(of({ allowFilesystemWrite: false, ...rules }, {}).verdict).toBe('deny')
    expect(of(rules, { interactive: { tty: true } }).verdict).toBe('deny')
    expect(of({ minTrustLevel: 'vendor', ...rules }, harmless, { trust: 'org' }).verdict).toBe('deny')
    expect(of({ allowNetwork: false, ask: ['*'] }, { network: true }).verdict).toBe('deny')
  })

  test('a setting’s question is answered by a rule for the tool', () => {
    const settings = { allowBillable: false, allowNonReversible: false, allow: ['demo:echo'] }
    const effects = { destructive: true, reversible: false, cost: { billable: true } }
    expect(of(settings, effects)).toMatchObject({ verdict: 'allow', rule: 'allow "demo:echo"' })
  })

  test('a rule about an effect answers what is asked because of it, and the rest stays open', () => {
    const effects = { destructive: true, cost: { billable: true, estimate: 'high' } } as const
    const settings = { allowBillable: false, maxCostEstimate: 'low' } as const
    expect(of({ ...settings, allow: ['effect:billable'] }, effects)).toMatchObject({
      verdict: 'ask',
      rule: 'allowDestructive',
      reasons: ['"demo:echo" is destructive, and "allowDestructive" is false.'],
    })
    expect(of({ ...settings, allow: ['effect:billable', 'effect:destructive'] }, effects)).toMatchObject({
      verdict: 'allow',
      rule: 'allow "effect:destructive"',
    })
  })

  test('an allow rule is named even where nothing was asked', () => {
    expect(of({ allow: ['demo:*'] }, harmless)).toMatchObject({ verdict: 'allow', rule: 'allow "demo:*"' })
  })

  test('the place of a rule goes with the decision', () => {
    const where = { file: 'legwork.jsonc', line: 4, column: 9, frame: '> 4 | "demo:*"' }
    for (const list of lists) {
      expect(of({ [list]: [{ pattern: 'demo:*', where }] }, harmless).where).toEqual(where)
      expect(of({ [list]: ['demo:*'] }, harmless)).not.toHaveProperty('where')
    }
  })
})

describe('a caller that may only read', () => {
  const readOnly = { front: 'toolscript', readOnly: true } as const
  test.each<[Effects, Verdict]>([
    [harmless, 'allow'],
    [{}, 'deny'],
    [{ destructive: false }, 'deny'],
    [{ ...harmless, network: true }, 'deny'],
    [{ ...harmless, creates: ['issue'] }, 'deny'],
  ])('%j: %s', (effects, verdict) => {
    const policy = makePolicy({ allow: ['*'] })
    const tool = makeTool('demo:echo', { effects })
    expect(decide(policy, tool, undefined, readOnly)).toMatchObject({
      verdict,
      rule: verdict === 'deny' ? 'readOnly' : 'allow "*"',
    })
    expect(decide(policy, tool, undefined, { ...readOnly, readOnly: false }).verdict).toBe('allow')
  })

  test('is held to what the input adds', () => {
    const tool = makeTool('demo:echo', { effects: harmless })
    const plan = { effects: { filesystem: { write: true } } }
    expect(decide(makePolicy(), tool, plan, readOnly).verdict).toBe('deny')
  })
})

describe('reasons', () => {
  test('are sentences that name the tool, all of them', () => {
    const settings = {
      allowNetwork: false,
      allowFilesystemWrite: false,
      minTrustLevel: 'org',
      deny: ['demo:*'],
    } as const
    const effects = { network: true, filesystem: { delete: true }, interactive: { tty: true } }
    expect(of(settings, effects, { trust: 'user' }).reasons).toEqual([
      'The rule deny "demo:*" denies "demo:echo".',
      '"demo:echo" needs a person at a terminal, and "allowInteractive" is false.',
      '"demo:echo" has the trust "user", and "minTrustLevel" is "org".',
      '"demo:echo" uses the network, and "allowNetwork" is false.',
      '"demo:echo" deletes files, and "allowFilesystemWrite" is false.',
    ])
  })

  test('of silence say what to declare', () => {
    const { reasons } = of({ allowNetwork: false, allowFilesystemWrite: false }, {})
    expect(reasons).toEqual([
      'Nobody says that "demo:echo" does without the network, and "allowNetwork" is false. If it does, declare "network": false in its effects.',
      'Nobody says that "demo:echo" writes no files, and "allowFilesystemWrite" is false. If it writes none, declare "filesystem": {"write": false} in its effects.',
    ])
  })

  test('of a rule that asks are followed by what the settings ask', () => {
    expect(of({ ask: ['demo:*'] }, { destructive: true })).toEqual({
      verdict: 'ask',
      rule: 'ask "demo:*"',
      reasons: [
        'The rule ask "demo:*" asks before "demo:echo".',
        '"demo:echo" is destructive, and "allowDestructive" is false.',
      ],
    })
  })

  test('of plain consent say so', () => {
    expect(of({}, {})).toEqual({
      verdict: 'allow',
      rule: 'default',
      reasons: ['No rule or setting speaks against "demo:echo".'],
    })
  })

  test('name both when what is destructive cannot be undone either', () => {
    expect(of({}, { destructive: true, reversible: false })).toEqual({
      verdict: 'ask',
      rule: 'allowDestructive',
      reasons: ['"demo:echo" is destructive, and "allowDestructive" is false.', '"demo:echo" cannot be undone.'],
    })
    expect(of({ allowNonReversible: false }, { destructive: true, reversible: false }).reasons).toEqual([
      '"demo:echo" is destructive, and "allowDestructive" is false.',
      '"demo:echo" cannot be undone, and "allowNonReversible" is false.',
    ])
  })
})

test('what cannot be undone is a warning where it is no reason', () => {
  const warnings = ['"demo:echo" cannot be undone.']
  expect(of({}, { reversible: false })).toMatchObject({ verdict: 'allow', warnings })
  expect(of({ allowDestructive: true }, { destructive: true, reversible: false })).toMatchObject({ warnings })
  expect(of({ allow: ['*'] }, { destructive: true, reversible: false })).toMatchObject({ verdict: 'allow', warnings })
  expect(of({}, { reversible: true })).not.toHaveProperty('warnings')
})

test('what the input adds counts: a push that is forced is destructive', () => {
  const push = makeProgram('git push', { effects: { destructive: false, network: true } })
  const policy = makePolicy()
  expect(decide(policy, push, makePlan('git push'), caller).verdict).toBe('allow')
  const forced = { ...makePlan('git push --force'), effects: { destructive: true, reversible: false } }
  expect(decide(policy, push, forced, caller)).toMatchObject({ verdict: 'ask', rule: 'allowDestructive' })
})

test('one policy serves many tools and remembers nothing wrong', () => {
  const policy = makePolicy({ deny: ['demo:a'], ask: ['demo:b'] })
  const tools = ['demo:a', 'demo:b', 'demo:c'].map((name) => makeTool(name))
  const verdicts = () => tools.map((tool) => decide(policy, tool, undefined, caller).verdict)
  expect(verdicts()).toEqual(['deny', 'ask', 'allow'])
  expect(verdicts()).toEqual(['deny', 'ask', 'allow'])
})

describe('what a plan wants a person to be asked', () => {
  const pin = 'The description of "demo:echo" has changed.'
  const under = (settings: Parameters<typeof makePolicy>[0], from: Parameters<typeof decide>[3] = caller) =>
    decide(makePolicy(settings), makeTool('demo:echo'), { questions: [pin] }, from)

  test('is asked whatever the rules allow', () => {
    const asked = { verdict: 'ask', rule: 'pin', reasons: [pin] }
    expect(under({})).toEqual(asked)
    expect(under({ allow: ['*', 'demo:echo', 'kind:function', 'effect:unknown'] })).toEqual(asked)
    expect(under({ allowDestructive: true, allow: ['demo:*'] })).toEqual(asked)
  })

  test('comes before what else there is to ask', () => {
    expect(under({ ask: ['demo:*'] })).toMatchObject({
      rule: 'pin',
      reasons: [pin, 'The rule ask "demo:*" asks before "demo:echo".'],
    })
  })

  test('does not lift a denial', () => {
    expect(under({ deny: ['demo:echo'] })).toMatchObject({ verdict: 'deny', rule: 'deny "demo:echo"' })
    expect(under({}, { ...caller, readOnly: true })).toMatchObject({ verdict: 'deny', rule: 'readOnly' })
  })

  test('is nothing when the list is empty', () => {
    expect(decide(makePolicy(), makeTool('demo:echo'), { questions: [] }, caller).verdict).toBe('allow')
  })
})
