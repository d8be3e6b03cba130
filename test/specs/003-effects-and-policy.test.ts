import { expect, test } from 'vitest'
import { createLegwork, defineTool, type Effects, type LegworkOptions, type Trust } from '../../src/index.ts'
import { mergeEffects } from '../../src/model/effects.ts'

test('003/Effects merge: destructive OR', () => {
  expect(mergeEffects({ destructive: false }, { destructive: true }).destructive).toBe(true)
  expect(mergeEffects({ destructive: true }, { destructive: false }).destructive).toBe(true)
})
test('003/Effects merge: network OR', () =>
  expect(mergeEffects({ network: true }, { network: false }).network).toBe(true))
test('003/Effects merge: reversible AND', () =>
  expect(mergeEffects({ reversible: true }, { reversible: false }).reversible).toBe(false))
test('003/Effects merge: idempotent AND', () =>
  expect(mergeEffects({ idempotent: false }, { idempotent: true }).idempotent).toBe(false))
test('003/Effects merge: billable OR', () => {
  expect(mergeEffects({ cost: { billable: false } }, { cost: { billable: true } }).cost?.billable).toBe(true)
})
test('003/Effects merge: estimate MAX', () => {
  expect(mergeEffects({ cost: { estimate: 'high' } }, { cost: { estimate: 'low' } }).cost?.estimate).toBe('high')
})

async function verdict(effects: Effects, trust: Trust, policy: LegworkOptions['policy'] = {}) {
  const functions = [defineTool({ name: 'it', description: '', effects, trust, run: () => 1 })]
  await using legwork = await createLegwork({ functions, policy, journal: { path: ':memory:' } })
  const why = await legwork.why({ tool: 'it' })
  return why.ok ? why.decision : undefined
}

test('003/Policy priority 1: destructive: true asks', async () => {
  expect(await verdict({ destructive: true }, 'native')).toMatchObject({ verdict: 'ask', rule: 'allowDestructive' })
  expect(await verdict({ destructive: true }, 'native', { allowDestructive: true })).toMatchObject({ verdict: 'allow' })
})

test('003/Policy priority 2: reversible: false warns, or asks when it is not allowed', async () => {
  const effects = { destructive: false, reversible: false }
  expect((await verdict(effects, 'native'))?.warnings).toHaveLength(1)
  expect(await verdict(effects, 'native', { allowNonReversible: false })).toMatchObject({ verdict: 'ask' })
})

test('003/Policy priority 3: billable asks when it is not allowed', async () => {
  const effects = { destructive: false, cost: { billable: true } }
  expect(await verdict(effects, 'native', { allowBillable: false })).toMatchObject({ verdict: 'ask' })
})

test.each<Effects['interactive'] & object>([{ stdin: 'required' }, { tty: true }, { prompts: true }])(
  '003/Policy priority 4: interactive %j is denied',
  async (interactive) => {
    expect(await verdict({ destructive: false, interactive }, 'native')).toMatchObject({
      verdict: 'deny',
      rule: 'allowInteractive',
    })
  },
)

test('003/Policy priority 5: trust is compared against the minimum level', async () => {
  expect(await verdict({ destructive: false }, 'community', { minTrustLevel: 'org' })).toMatchObject({
    verdict: 'deny',
    rule: 'minTrustLevel',
  })
  expect(await verdict({ destructive: false }, 'org', { minTrustLevel: 'org' })).toMatchObject({ verdict: 'allow' })
})

const safe: Effects = { destructive: false, network: false, filesystem: { write: false } }
const writing: Effects = { destructive: false, network: true, filesystem: { write: true } }
const recommended = { profile: 'recommended' } as const

/** The verdicts on a harmless, a writing and a destructive tool. */
async function verdicts(trust: Trust) {
  const all = [safe, writing, { destructive: true }].map((effects) => verdict(effects, trust, recommended))
  return (await Promise.all(all)).map((decision) => decision?.verdict)
}

test('003/Trust native: allow most operations', async () =>
  expect(await verdicts('native')).toEqual(['allow', 'allow', 'ask']))
test('003/Trust vendor: allow most operations', async () =>
  expect(await verdicts('vendor')).toEqual(['allow', 'allow', 'ask']))
test('003/Trust org: require confirmation for destructive', async () => {
  expect(await verdicts('org')).toEqual(['allow', 'allow', 'ask'])
})
test('003/Trust community: block destructive, confirm others', async () => {
  expect(await verdicts('community')).toEqual(['ask', 'ask', 'deny'])
})
test('003/Trust user: block destructive, confirm others', async () => {
  expect(await verdicts('user')).toEqual(['ask', 'ask', 'deny'])
})
test('003/Trust inferred: block all unsafe, confirm safe', async () => {
  expect(await verdicts('inferred')).toEqual(['ask', 'deny', 'deny'])
})
