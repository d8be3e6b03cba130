import fc from 'fast-check'
import { expect, test } from 'vitest'
import { effectsOf } from '../../src/mcp/effects.ts'
import { changesNothing, type Trust, trustLevels } from '../../src/model/effects.ts'

const trusted: readonly Trust[] = ['org', 'vendor', 'native']

test.each([
  ['nothing', undefined, 'org', {}],
  ['an empty set of hints', {}, 'org', {}],
  ['something that is no set of hints', 'readOnlyHint', 'org', {}],
  ['read-only, from somebody trusted', { readOnlyHint: true }, 'org', { readOnly: true, destructive: false }],
  ['read-only, from anybody', { readOnlyHint: true }, 'community', {}],
  ['not read-only', { readOnlyHint: false }, 'org', {}],
  ['destructive, from anybody', { destructiveHint: true }, 'inferred', { destructive: true }],
  ['not destructive, from somebody trusted', { destructiveHint: false }, 'vendor', { destructive: false }],
  ['not destructive, from anybody', { destructiveHint: false }, 'user', {}],
  ['both at once is the worse', { readOnlyHint: true, destructiveHint: true }, 'native', { destructive: true }],
  ['reaches out, from anybody', { openWorldHint: true }, 'community', { network: true }],
  ['stays inside, from somebody trusted', { openWorldHint: false }, 'org', { network: false }],
  ['stays inside, from anybody', { openWorldHint: false }, 'community', {}],
  ['not to be repeated', { idempotentHint: false }, 'community', { idempotent: false }],
  ['hints of another type', { readOnlyHint: 'true', destructiveHint: 0 }, 'native', {}],
] as const)('%s', (_, annotations, trust, effects) => {
  expect(effectsOf(annotations, trust)).toEqual(effects)
})

test('nobody who is not trusted can make a tool look harmless', () => {
  const hint = fc.option(fc.boolean(), { nil: undefined })
  const hints = fc.record({ readOnlyHint: hint, destructiveHint: hint, idempotentHint: hint, openWorldHint: hint })
  fc.assert(
    fc.property(hints, fc.constantFrom(...trustLevels), (annotations, trust) => {
      const effects = effectsOf(annotations, trust)
      if (trusted.includes(trust)) return
      expect(changesNothing(effects)).toBeFalsy()
      expect(effects).not.toMatchObject({ destructive: false })
      expect(effects).not.toMatchObject({ network: false })
      expect(effects.readOnly).toBeUndefined()
    }),
  )
})
