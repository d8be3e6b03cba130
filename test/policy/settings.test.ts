import { describe, expect, test } from 'vitest'
import { ConfigurationError } from '../../src/model/errors.ts'
import { makePolicy } from '../../src/policy/policy.ts'
import type { PolicySettings } from '../../src/policy/settings.ts'

test('every setting has its default', () => {
  const { rules, rulesFor: _rulesFor, ...settings } = makePolicy()
  expect(settings).toEqual({
    allowDestructive: false,
    allowNonReversible: true,
    allowBillable: true,
    allowNetwork: true,
    allowFilesystemWrite: true,
    allowFilesystemDelete: true,
    allowInteractive: false,
    minTrustLevel: 'inferred',
    maxCostEstimate: 'high',
    profile: undefined,
    approvalTimeoutMs: 300_000,
  })
  expect(rules).toEqual({ deny: [], ask: [], allow: [] })
})

test('what is given replaces the default, and undefined does not', () => {
  const given = { allowDestructive: true, approvalTimeoutMs: 5, allowNetwork: undefined }
  expect(makePolicy(given as unknown as PolicySettings)).toMatchObject({
    allowDestructive: true,
    approvalTimeoutMs: 5,
    allowNetwork: true,
  })
})

describe('a setting that would quietly mean less is refused', () => {
  const cycle: unknown[] = []
  cycle.push(cycle)
  test.each<[string, object, string]>([
    ['a misspelt name', { allowNetwrok: false }, 'no setting "allowNetwrok". Did you mean "allowNetwork"?'],
    ['a name like nothing', { zzz: 1 }, 'The policy has no setting "zzz".'],
    ['text for a flag', { allowNetwork: 'false' }, '"policy.allowNetwork" is "false"; write true or false.'],
    ['null for a flag', { allowDestructive: null }, '"policy.allowDestructive" is null'],
    ['an unknown trust', { minTrustLevel: 'high' }, 'write "inferred" or "user" or "community"'],
    ['an unknown cost', { maxCostEstimate: 'cheap' }, 'write "free" or "low" or "medium" or "high"'],
    ['an unknown profile', { profile: 'strict' }, '"policy.profile" is "strict"; write "recommended".'],
    ['no time', { approvalTimeoutMs: 0 }, 'a whole number from 1 to 2147483647'],
    ['half a millisecond', { approvalTimeoutMs: 1.5 }, 'a whole number'],
    ['more than a timer can wait', { approvalTimeoutMs: 2 ** 31 }, 'a whole number'],
    ['time as text', { approvalTimeoutMs: '5' }, 'a whole number'],
    ['a single rule that is no list', { deny: 'github:*' }, '"policy.deny" is "github:*"; write a list of rules'],
    ['a rule that is no text', { deny: [5] }, '"policy.deny" is [5]; write a list of rules'],
    ['a rule without a pattern', { ask: [{ where: {} }] }, 'write a list of rules'],
    ['a value that cannot be shown', { allow: [cycle] }, 'write a list of rules'],
  ])('%s', (_name, given, message) => {
    const make = () => makePolicy(given as PolicySettings)
    expect(make).toThrow(ConfigurationError)
    expect(make).toThrow(message)
    expect(make).toThrow(expect.objectContaining({ code: 'invalid-configuration' }))
  })

  test('all faults are told at once', () => {
    const make = () => makePolicy({ allowNetwork: 1, minTrustLevel: 'x' } as unknown as PolicySettings)
    expect(make).toThrow(
      expect.objectContaining({
        faults: [
          expect.objectContaining({ path: 'policy.allowNetwork' }),
          expect.objectContaining({ path: 'policy.minTrustLevel' }),
        ],
      }),
    )
  })
})
