import { expect, test } from 'vitest'
import {
  type AtipCommand,
  type AtipTool,
  type ConfirmationContext,
  CostExceededError,
  checkDestructive,
  checkInteractive,
  checkPolicy,
  checkTrustLevel,
  type Effects,
  type ExecutionPolicy,
  InsufficientTrustError,
  InteractiveNotSupportedError,
  mapToCommand,
  mergeEffects,
  PolicyViolationError,
  RequiresConfirmationError,
} from '../../src/doors/program.ts'
import { describedTool, makeExecutor } from '../support/executor.ts'

const force = { name: 'force', flags: ['--force'], type: 'boolean', effects: { destructive: true } } as const

function withCommand(command: AtipCommand, more: Partial<AtipTool> = {}): AtipTool {
  return describedTool('show', { commands: { go: command }, ...more })
}

function made(effects: Effects, policy: ExecutionPolicy = {}, more: Partial<AtipTool> = {}) {
  return makeExecutor({ tools: [withCommand({ effects, options: [force] }, more)], policy }).executor
}

const thrownBy = (run: Promise<unknown>) =>
  run.then(
    () => undefined,
    (error: unknown) => error,
  )
const go = { name: 'show_go' }

test('003/Enforcing policies based on effects', async () => {
  await expect(made({ destructive: true }).execute(go)).rejects.toThrow(RequiresConfirmationError)
  await expect(made({}).execute(go)).resolves.toMatchObject({ success: true })
})
test('003/Effects become policy decisions', () => {
  const decided = (effects: Effects, policy: ExecutionPolicy = {}) => made(effects, policy).checkPolicy(go)
  expect(decided({})).toMatchObject({ allowed: true })
  expect(decided({ destructive: true })).toMatchObject({ allowed: false, requiresConfirmation: true })
  expect(decided({ network: true }, { allowNetwork: false })).toMatchObject({
    allowed: false,
    requiresConfirmation: false,
  })
})
test('003/checkPolicy', () => {
  const mapping = mapToCommand('show_go', [withCommand({ options: [force] })])
  expect(checkPolicy({ arguments: {} }, mapping, {})).toMatchObject({ allowed: true })
  expect(checkPolicy({ arguments: { force: true } }, mapping, {})).toMatchObject({
    allowed: false,
    requiresConfirmation: true,
    effects: { destructive: true },
    trust: 'vendor',
  })
  expect(checkPolicy({ arguments: { force: true } }, mapping, { allowDestructive: true })).toMatchObject({
    allowed: true,
  })
})
test('003/mergeEffects', () => {
  expect(mergeEffects({ destructive: false, network: true }, { destructive: true })).toEqual({
    destructive: true,
    network: true,
  })
})
test('003/checkDestructive', () => {
  expect(checkDestructive({ destructive: true }, { allowDestructive: false })).toBe(false)
  expect(checkDestructive({ destructive: true }, { allowDestructive: true })).toBe(true)
})
test('003/checkTrustLevel', () => {
  expect(checkTrustLevel('community', 'org')).toBe(false)
  expect(checkTrustLevel('vendor', 'org')).toBe(true)
})
test('003/checkInteractive', () => {
  expect(checkInteractive({ interactive: { tty: true } }, { allowInteractive: false })).toBe(false)
  expect(checkInteractive({ interactive: { stdin: 'none' } }, { allowInteractive: false })).toBe(true)
})

test('003/Effects at both levels', () => {
  const tool = withCommand({ effects: { network: true } }, { effects: { destructive: true } })
  const { executor } = makeExecutor({ tools: [tool] })
  expect(executor.checkPolicy(go).effects).toEqual({ destructive: true, network: true })
})
test('003/Effects merge conservatively', () => {
  const tool = withCommand({ effects: { reversible: true } }, { effects: { reversible: false, destructive: false } })
  expect(makeExecutor({ tools: [tool] }).executor.checkPolicy(go).effects.reversible).toBe(false)
})
test('003/Safety first: if either level declares destructive, it is', () => {
  for (const [ofTool, ofCommand] of [
    [true, false],
    [false, true],
  ] as const) {
    const tool = withCommand({ effects: { destructive: ofCommand } }, { effects: { destructive: ofTool } })
    expect(makeExecutor({ tools: [tool] }).executor.checkPolicy(go).requiresConfirmation).toBe(true)
  }
})
test('003/Effects merge: trust of the tool, a missing one is inferred', () => {
  expect(made({}).checkPolicy(go).trust).toBe('vendor')
  const { trust: _, ...silent } = withCommand({})
  expect(makeExecutor({ tools: [silent] }).executor.checkPolicy(go).trust).toBe('inferred')
})

test('003/Confirmation callback with throw fallback', async () => {
  const asked: ConfirmationContext[] = []
  const confirmationHandler = (context: ConfirmationContext) => asked.push(context) > 0
  expect(await made({ destructive: true }, { confirmationHandler }).execute(go)).toMatchObject({ success: true })
  expect(asked).toMatchObject([{ toolName: 'show_go', command: ['show', 'go'], arguments: {}, trust: 'vendor' }])
  await expect(made({ destructive: true }).execute(go)).rejects.toThrow(RequiresConfirmationError)
})
test('003/Any confirmation interface: only a plain yes is a yes', async () => {
  for (const answer of [false, 'yes', 1, undefined, null]) {
    const confirmationHandler = async () => answer as boolean
    await expect(made({ destructive: true }, { confirmationHandler }).execute(go)).rejects.toThrow(PolicyViolationError)
  }
  const confirmationHandler = () => Promise.reject(new Error('closed'))
  await expect(made({ destructive: true }, { confirmationHandler }).execute(go)).rejects.toThrow(PolicyViolationError)
})
test('003/Missing handler throws, and nothing has run', async () => {
  const executor = made({ destructive: true })
  await expect(executor.execute(go)).rejects.toThrow(RequiresConfirmationError)
  expect(executor.journal.read({})[0]).toMatchObject({ code: 'approval-needed' })
  expect(executor.journal.read({})[0]?.process).toBeUndefined()
})
test('003/Handler in tests: a function is all it takes', async () => {
  await expect(made({ destructive: true }, { confirmationHandler: () => true }).execute(go)).resolves.toBeDefined()
})
test('003/Simple and complex use', async () => {
  await expect(made({}).execute(go)).resolves.toBeDefined()
  const confirmationHandler = async ({ reasons, effects }: ConfirmationContext) =>
    effects.destructive === true && reasons.length > 0
  await expect(made({ destructive: true }, { confirmationHandler }).execute(go)).resolves.toBeDefined()
})
test('003/Confirmation handler pattern', async () => {
  const questions: string[] = []
  const promptUser = async (question: string) => questions.push(question) > 0
  const executor = made(
    { destructive: true },
    { allowDestructive: false, confirmationHandler: async (ctx) => await promptUser(ctx.reasons.join(', ')) },
  )
  await executor.execute(go)
  expect(questions).toEqual(['"show:go" is destructive, and "allowDestructive" is false.'])
})

test('003/Policy check flow: mapping and policy in, allowed and reasons out', () => {
  expect(made({ destructive: true, reversible: false }).checkPolicy(go)).toMatchObject({
    allowed: false,
    requiresConfirmation: true,
    reasons: [expect.stringContaining('is destructive'), expect.stringContaining('cannot be undone')],
  })
})
test('003/Pre-execution policy validation enforces safety boundaries', async () => {
  const executor = made({ filesystem: { write: true } }, { allowFilesystemWrite: false })
  await expect(executor.execute(go)).rejects.toThrow(PolicyViolationError)
})
test('003/Pre-execution trust validation blocks untrusted tools', async () => {
  const error = await thrownBy(made({}, { minTrustLevel: 'native' }).execute(go))
  expect(error).toBeInstanceOf(InsufficientTrustError)
  expect(error).toMatchObject({ actualTrust: 'vendor', requiredTrust: 'native' })
})
test('003/Trust affects policy: the profile recommended', () => {
  const verdict = (trust: 'native' | 'community') =>
    made({}, { profile: 'recommended' }, { trust: { source: trust } }).checkPolicy(go).requiresConfirmation
  expect([verdict('native'), verdict('community')]).toEqual([false, true])
})

test('003/Interactive stdin', async () => {
  const error = await thrownBy(made({ interactive: { stdin: 'required' } }).execute(go))
  expect(error).toBeInstanceOf(InteractiveNotSupportedError)
  expect(error).toMatchObject({ interactiveEffects: { stdin: 'required' } })
})
test('003/Interactive tty', async () => {
  await expect(made({ interactive: { tty: true } }).execute(go)).rejects.toThrow(InteractiveNotSupportedError)
})
test('003/Interactive prompts: a flag that the metadata declares, after approval, or an error', async () => {
  const effects = { interactive: { prompts: true } }
  const yes = { name: 'yes', flags: ['-y', '--yes'], type: 'boolean' } as const
  const tools = [withCommand({ effects, options: [yes] })]
  const asked: ConfirmationContext[] = []
  const policy = { confirmationHandler: (context: ConfirmationContext) => asked.push(context) > 0 }
  expect(await makeExecutor({ tools, policy }).executor.execute(go)).toMatchObject({ stdout: 'go\n--yes\n' })
  expect(asked[0]?.command).toEqual(['show', 'go', '--yes'])
  const without = makeExecutor({ tools: [withCommand({ effects })], policy }).executor
  await expect(without.execute(go)).rejects.toThrow(InteractiveNotSupportedError)
})

test('003/Category policy: a cost above the ceiling asks', async () => {
  const error = await thrownBy(made({ cost: { estimate: 'high' } }, { maxCostEstimate: 'low' }).execute(go))
  expect(error).toBeInstanceOf(CostExceededError)
  expect(error).toBeInstanceOf(RequiresConfirmationError)
  expect(error).toMatchObject({ estimate: 'high', maxCostEstimate: 'low' })
})
