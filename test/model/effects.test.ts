import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  changesNothing,
  costEstimates,
  type Effects,
  effectNames,
  effectsKnown,
  hasEffect,
  isInteractive,
  mayWrite,
  mergeEffects,
  stdinNeeds,
} from '../../src/model/effects.ts'

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
const flag = maybe(fc.boolean())
const paths = maybe(fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 }))
const compact = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

/** Any effects but the duration, which is the one part that is not about danger. */
const anyEffects: fc.Arbitrary<Effects> = fc
  .record({
    destructive: flag,
    reversible: flag,
    idempotent: flag,
    network: flag,
    subprocess: flag,
    filesystem: maybe(fc.record({ read: flag, write: flag, delete: flag, paths })),
    creates: paths,
    modifies: paths,
    deletes: paths,
    interactive: maybe(fc.record({ stdin: maybe(fc.constantFrom(...stdinNeeds)), prompts: flag, tty: flag })),
    cost: maybe(fc.record({ billable: flag, estimate: maybe(fc.constantFrom(...costEstimates)) })),
  })
  .map((effects) => compact(effects) as Effects)

test('merging never gives anything less strict than what went in', () => {
  fc.assert(
    fc.property(anyEffects, anyEffects, (one, other) => {
      const merged = mergeEffects(one, other)
      for (const each of [one, other]) {
        for (const name of effectNames)
          if (name !== 'unknown' && hasEffect(each, name)) expect(hasEffect(merged, name)).toBe(true)
        if (isInteractive(each)) expect(isInteractive(merged)).toBe(true)
        if (each.idempotent === false) expect(merged.idempotent).toBe(false)
        const rank = ({ cost }: Effects) => costEstimates.indexOf(cost?.estimate ?? 'free')
        expect(rank(merged)).toBeGreaterThanOrEqual(rank(each))
      }
      if (mayWrite(one) && mayWrite(other)) expect(mayWrite(merged)).toBe(true)
      if (
        !changesNothing(one) &&
        effectsKnown(one) &&
        one.network !== undefined &&
        one.filesystem?.write !== undefined
      ) {
        expect(changesNothing(merged)).toBe(false)
      }
    }),
  )
})

test('the order and the grouping of the levels do not matter, and saying a thing twice changes nothing', () => {
  fc.assert(
    fc.property(anyEffects, anyEffects, anyEffects, (a, b, c) => {
      expect(mergeEffects(a, b, c)).toEqual(mergeEffects(c, a, b))
      expect(mergeEffects(mergeEffects(a, b), c)).toEqual(mergeEffects(a, mergeEffects(b, c)))
      expect(mergeEffects(a, a)).toEqual(mergeEffects(a))
    }),
  )
})

test('a level that says nothing does not count', () => {
  const effects: Effects = { destructive: true, filesystem: { write: false } }
  expect(mergeEffects(undefined, effects, {})).toEqual(effects)
  expect(mergeEffects()).toEqual({})
})

test('the nearest word on duration counts', () => {
  const merged = mergeEffects({ duration: { timeout: '60s' } }, { duration: { timeout: '5m' } }, {})
  expect(merged.duration).toEqual({ timeout: '5m' })
})

const harmless: Effects = { destructive: false, network: false, filesystem: { write: false } }

test.each<[string, Effects, boolean]>([
  ['all three said to be false', harmless, true],
  ['nothing said', {}, false],
  ['network unknown', { destructive: false, filesystem: { write: false } }, false],
  ['deletes', { ...harmless, filesystem: { write: false, delete: true } }, false],
  ['starts processes', { ...harmless, subprocess: true }, false],
  ['costs money', { ...harmless, cost: { billable: true } }, false],
  ['creates things', { ...harmless, creates: ['issue'] }, false],
  ['an empty list of creations', { ...harmless, creates: [] }, true],
])('known to change nothing: %s', (_, effects, expected) => {
  expect(changesNothing(effects)).toBe(expected)
})

test('what nobody mentions is unknown, and may write', () => {
  expect(effectsKnown({})).toBe(false)
  expect(mayWrite({ destructive: false })).toBe(true)
  expect(mayWrite(harmless)).toBe(false)
  expect(mayWrite({ ...harmless, deletes: ['branch'] })).toBe(true)
})

test.each<[Effects['interactive'], boolean]>([
  [{ stdin: 'none' }, false],
  [{ stdin: 'optional' }, false],
  [{ stdin: 'required' }, true],
  [{ stdin: 'password' }, true],
  [{ prompts: true }, true],
  [{ tty: true }, true],
])('interactive %j: %s', (interactive, expected) => {
  expect(isInteractive(interactive ? { interactive } : {})).toBe(expected)
})
