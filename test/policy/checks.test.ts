import { expect, test } from 'vitest'
import { costEstimates, trustLevels } from '../../src/model/effects.ts'
import { checkCost, checkDestructive, checkInteractive, checkTrustLevel } from '../../src/policy/checks.ts'

test('what is destructive needs the setting', () => {
  expect(checkDestructive({ destructive: true }, { allowDestructive: false })).toBe(false)
  expect(checkDestructive({ destructive: true }, { allowDestructive: true })).toBe(true)
  expect(checkDestructive({ destructive: false }, { allowDestructive: false })).toBe(true)
  expect(checkDestructive({}, { allowDestructive: false })).toBe(true)
})

test('what needs a person at a terminal needs the setting', () => {
  expect(checkInteractive({ interactive: { prompts: true } }, { allowInteractive: false })).toBe(false)
  expect(checkInteractive({ interactive: { prompts: true } }, { allowInteractive: true })).toBe(true)
  expect(checkInteractive({ interactive: { stdin: 'none' } }, { allowInteractive: false })).toBe(true)
})

test('trust and cost are scales', () => {
  const fromInferred = trustLevels.map((trust) => checkTrustLevel(trust, 'org'))
  expect(fromInferred).toEqual([false, false, false, true, true, true])
  expect(costEstimates.map((estimate) => checkCost(estimate, 'low'))).toEqual([true, true, false, false])
})
