import { expect, test } from 'vitest'
import {
  ArgumentValidationError,
  AtipExecuteError,
  type AtipTool,
  createExecutor,
  ExecutionError,
  InsufficientTrustError,
  InteractiveNotSupportedError,
  mapToCommand,
  PolicyViolationError,
  RequiresConfirmationError,
  TimeoutError,
  UnknownCommandError,
  validateToolCall,
} from '../../src/doors/program.ts'
import { LegworkError } from '../../src/index.ts'
import { describedTool, makeExecutor } from '../support/executor.ts'

const thrownBy = async (run: Promise<unknown>): Promise<unknown> => {
  try {
    return await run
  } catch (error) {
    return error
  }
}
const destroying = describedTool('show', { effects: { destructive: true } })
const show = { name: 'show', arguments: { word: 'hi' } }

test('003/Orchestration: map, validate, decide, execute, format', async () => {
  const { executor } = makeExecutor()
  expect(await executor.execute({ id: 'call_1', ...show })).toMatchObject({
    id: 'call_1',
    name: 'show',
    command: ['show', 'hi'],
    success: true,
    formatted: 'hi\n[Exit code: 0]',
  })
})
test('003/High-level API: all steps, safely', async () => {
  const { executor } = makeExecutor({ tools: [destroying] })
  expect(await thrownBy(executor.execute(show))).toBeInstanceOf(AtipExecuteError)
})
test('003/createExecutor', () => {
  expect(createExecutor({ tools: [destroying] })).toMatchObject({
    execute: expect.any(Function),
    executeBatch: expect.any(Function),
    executeStream: expect.any(Function),
    validate: expect.any(Function),
    checkPolicy: expect.any(Function),
  })
})
test('003/Executor.execute: an exit code that is not 0 is a result', async () => {
  expect(await makeExecutor().executor.execute({ name: 'fail' })).toMatchObject({ success: false, exitCode: 1 })
})
test('003/Executor.executeBatch never throws', async () => {
  const results = await makeExecutor().executor.executeBatch([show, { name: 'nothing' }, { name: 'fail' }])
  expect(results).toMatchObject([
    { ok: true, result: { stdout: 'hi\n' } },
    { ok: false, error: { code: 'unknown-command' } },
    { ok: true, result: { exitCode: 1 } },
  ])
})
test('003/Executor.validate, without executing', () => {
  const { executor } = makeExecutor()
  expect(executor.validate(show)).toMatchObject({ valid: true })
  expect(executor.validate({ name: 'nothing' }).errors).toMatchObject([{ code: 'UNKNOWN_COMMAND' }])
  expect(executor.journal.read({})).toEqual([])
})
test('003/Executor.checkPolicy, without executing', () => {
  const { executor } = makeExecutor({ tools: [destroying] })
  expect(executor.checkPolicy(show)).toMatchObject({ allowed: false, requiresConfirmation: true })
  expect(executor.journal.read({})).toEqual([])
})

test('003/Execute flow 1: map', async () => {
  const tools = [describedTool('show', { commands: { a: { commands: { b: {} } } } })]
  expect((await makeExecutor({ tools }).executor.execute({ name: 'show_a_b' })).command).toEqual(['show', 'a', 'b'])
})
test('003/Execute flow 2: validate', async () => {
  const call = { name: 'show', arguments: { word: {} } }
  expect(await thrownBy(makeExecutor().executor.execute(call))).toBeInstanceOf(ArgumentValidationError)
})
test('003/Execute flow 3: policy', async () => {
  expect(await thrownBy(makeExecutor({ tools: [destroying] }).executor.execute(show))).toBeInstanceOf(
    RequiresConfirmationError,
  )
})
test('003/Execute flow 4: execute, with timeout', async () => {
  const { executor } = makeExecutor()
  expect(await thrownBy(executor.execute({ name: 'slow' }, { timeout: 200 }))).toBeInstanceOf(TimeoutError)
})
test('003/Execute flow 5: capture, with limits', async () => {
  const { executor } = makeExecutor({ execution: { maxOutputSize: 100 } })
  expect(await executor.execute({ name: 'flood' })).toMatchObject({ truncated: true, stdoutBytes: 3_000_000 })
})
test('003/Execute flow 6: format', async () => {
  const { executor } = makeExecutor({ output: { maxLength: 20 } })
  const { formatted } = await executor.execute({ name: 'show', arguments: { word: 'x'.repeat(50) } })
  expect(formatted).toBe('xxxxxx\n[TRUNCATED]')
})

test('003/Error hierarchy: every error has its class below one base', () => {
  const classes = [
    UnknownCommandError,
    ArgumentValidationError,
    PolicyViolationError,
    RequiresConfirmationError,
    InsufficientTrustError,
    ExecutionError,
    TimeoutError,
    InteractiveNotSupportedError,
  ]
  for (const one of classes) expect(one.prototype).toBeInstanceOf(AtipExecuteError)
})
test('003/Errors by instanceof', async () => {
  const error = await thrownBy(makeExecutor().executor.execute({ name: 'nothing' }))
  expect(error instanceof UnknownCommandError && error instanceof Error && error.name === 'UnknownCommandError').toBe(
    true,
  )
})
test('003/Errors carry context', async () => {
  const error = await thrownBy(makeExecutor({ tools: [destroying] }).executor.execute(show))
  expect(error).toMatchObject({
    toolName: 'show',
    context: {
      reasons: [expect.stringContaining('destructive')],
      command: ['show', 'hi'],
      arguments: { word: 'hi' },
      effects: { destructive: true },
      trust: 'vendor',
    },
  })
})
test('003/Errors caught by their base', async () => {
  expect(await thrownBy(makeExecutor().executor.execute({ name: 'nothing' }))).toBeInstanceOf(AtipExecuteError)
})
test('003/Errors discriminated by type', async () => {
  const describe = (error: UnknownCommandError | ArgumentValidationError): number => {
    switch (error.code) {
      case 'unknown-command':
        return error.nearest.length
      case 'invalid-arguments':
        return error.errors.length
      default:
        return error satisfies never
    }
  }
  expect(describe(new UnknownCommandError('x', ['y']))).toBe(1)
})
test('003/AtipExecuteError is an error of Legwork', () =>
  expect(AtipExecuteError.prototype).toBeInstanceOf(LegworkError))
test('003/UnknownCommandError', async () => {
  const error = await thrownBy(makeExecutor().executor.execute({ name: 'shwo' }))
  expect(error).toMatchObject({ code: 'unknown-command', toolName: 'shwo', nearest: ['show'] })
})
test('003/ArgumentValidationError', async () => {
  const error = await thrownBy(makeExecutor().executor.execute({ name: 'show', arguments: { word: {} } }))
  expect(error).toMatchObject({ toolName: 'show', errors: [{ path: 'word', code: 'INVALID_TYPE' }] })
})
test('003/PolicyViolationError', async () => {
  const error = await thrownBy(makeExecutor({ policy: { deny: ['show'] } }).executor.execute(show))
  expect(error).toMatchObject({ code: 'policy-violation', violations: ['The rule deny "show" denies "show".'] })
})
test('003/RequiresConfirmationError', async () => {
  const error = await thrownBy(makeExecutor({ tools: [destroying] }).executor.execute(show))
  expect(error).toMatchObject({ code: 'confirmation-required', context: { toolName: 'show' } })
})
test('003/InsufficientTrustError', async () => {
  const error = await thrownBy(makeExecutor({ policy: { minTrustLevel: 'native' } }).executor.execute(show))
  expect(error).toMatchObject({ code: 'insufficient-trust', actualTrust: 'vendor', requiredTrust: 'native' })
})
test('003/ExecutionError', async () => {
  const { executor } = makeExecutor({ tools: [describedTool('show', { name: 'no-such-program-anywhere' })] })
  const error = await thrownBy(executor.execute({ name: 'no-such-program-anywhere' }))
  expect(error).toMatchObject({ code: 'execution-failed', command: ['no-such-program-anywhere'], cause: 'not-found' })
})
test('003/TimeoutError', async () => {
  const error = await thrownBy(makeExecutor({ execution: { timeout: 200 } }).executor.execute({ name: 'slow' }))
  expect(error).toMatchObject({ code: 'timed-out', timeout: 200, command: ['slow'], partial: { stdout: 'begun\n' } })
})
test('003/InteractiveNotSupportedError', async () => {
  const tools = [describedTool('show', { effects: { destructive: false, interactive: { tty: true } } })]
  const error = await thrownBy(makeExecutor({ tools }).executor.execute(show))
  expect(error).toMatchObject({ code: 'interactive-not-supported', interactiveEffects: { tty: true } })
})

test('003/Category validation: fix the input', async () => {
  const { executor } = makeExecutor()
  expect(await thrownBy(executor.execute({ name: 'show', arguments: { word: {} } }))).toBeInstanceOf(
    ArgumentValidationError,
  )
  expect(await executor.execute(show)).toMatchObject({ success: true })
})
test('003/Category execution: command not found, timeout', async () => {
  const { executor } = makeExecutor({ tools: [describedTool('show', { name: 'missing-program' })] })
  expect(await thrownBy(executor.execute({ name: 'missing-program' }))).toBeInstanceOf(ExecutionError)
})
test('003/Category system: spawn failed', async () => {
  const { executor } = makeExecutor({ execution: { cwd: '/no/such/folder' } })
  expect(await thrownBy(executor.execute(show))).toMatchObject({ code: 'execution-failed', cause: 'bad-directory' })
})
test('003/Recovery from validation errors', async () => {
  const shown: unknown[] = []
  try {
    await makeExecutor().executor.execute({ name: 'show', arguments: { word: {} } })
  } catch (e) {
    if (e instanceof ArgumentValidationError) shown.push(...e.errors)
  }
  expect(shown).toHaveLength(1)
})
test('003/Recovery from policy errors', async () => {
  const error = await thrownBy(makeExecutor({ tools: [destroying] }).executor.execute(show))
  const isAsked = error instanceof RequiresConfirmationError && error.context.reasons.length > 0
  const again = makeExecutor({ tools: [destroying], policy: { confirmationHandler: () => isAsked } })
  expect(await again.executor.execute(show)).toMatchObject({ success: true })
})
test('003/Recovery from execution errors', async () => {
  const error = await thrownBy(makeExecutor({ execution: { timeout: 150 } }).executor.execute({ name: 'slow' }))
  expect(error instanceof TimeoutError && `Command timed out after ${error.timeout}ms`).toBe(
    'Command timed out after 150ms',
  )
})

test('003/Parallel batch execution: what does not conflict runs side by side', async () => {
  const { executor } = makeExecutor({
    tools: [
      describedTool('show', { name: 'sleep', commands: { '': { arguments: [{ name: 'time', type: 'string' }] } } }),
    ],
  })
  const calls = Array.from({ length: 4 }, () => ({ name: 'sleep', arguments: { time: '1' } }))
  const started = performance.now()
  const results = await executor.executeBatch(calls)
  expect(results.every(({ ok }) => ok)).toBe(true)
  expect(performance.now() - started).toBeLessThan(3_500)
})
test('003/No persistent state between executions', async () => {
  const { executor } = makeExecutor()
  const [first, second] = [await executor.execute(show), await executor.execute(show)]
  expect(second.formatted).toBe(first.formatted)
})

const many = (amount: number): AtipTool[] => [
  { name: 'big', commands: Object.fromEntries(Array.from({ length: amount }, (_, at) => [`c${at}`, {}])) },
]

test('003/Complexity of mapToCommand: the number of commands does not matter', () => {
  const [few, lots] = [many(10), many(20_000)]
  const time = (tools: AtipTool[]) => {
    mapToCommand('big_c5', tools)
    const started = performance.now()
    for (let turn = 0; turn < 20_000; turn++) mapToCommand('big_c5', tools)
    return performance.now() - started
  }
  time(few)
  expect(time(lots)).toBeLessThan(time(few) * 20 + 50)
})
test('003/Complexity of validateToolCall: by the number of arguments', () => {
  const [mapping] = [mapToCommand('big_c5', many(10))]
  expect(validateToolCall({ arguments: {} }, mapping)).toMatchObject({ valid: true })
})
test('003/Complexity of checkPolicy: a fixed number of checks', () => {
  const { executor } = makeExecutor({ tools: many(5_000) })
  expect(executor.checkPolicy({ name: 'big_c4999', arguments: {} })).toMatchObject({ allowed: true })
})
test('003/Complexity of buildCommandArray: by the number of arguments', async () => {
  const { buildCommandArray } = await import('../../src/doors/program.ts')
  const tools = [
    describedTool('show', { commands: { '': { arguments: [{ name: 'all', type: 'string', variadic: true }] } } }),
  ]
  const all = Array.from({ length: 10_000 }, (_, at) => `w${at}`)
  expect(buildCommandArray(mapToCommand('show', tools), { all })).toHaveLength(10_001)
})
test('003/Memory of the command map: one entry a command', () => {
  expect(makeExecutor({ tools: many(1_000) }).executor.commands()).toHaveLength(1_000)
})
test('003/Command map caching: built when the executor is made', () => {
  const { executor } = makeExecutor({ tools: many(100) })
  expect(executor.commands()).toContain('big_c99')
})

test('003/Audit of executions: every call with its arguments', async () => {
  const { executor } = makeExecutor()
  await executor.execute(show)
  expect(executor.journal.read({}).at(-1)).toMatchObject({
    tool: 'show',
    input: '{"word":"hi"}',
  })
})
test('003/Audit of policy decisions', async () => {
  const { executor } = makeExecutor({ policy: { deny: ['show'] } })
  await thrownBy(executor.execute(show))
  expect(executor.journal.read({})[0]).toMatchObject({ decision: { verdict: 'deny', rule: 'deny "show"' } })
})
test('003/Audit export', async () => {
  const { executor } = makeExecutor()
  await executor.execute(show)
  expect([...executor.journal.pages()].flat()).toHaveLength(2)
  expect(executor.journal.verify()).toMatchObject({ ok: true, entries: 2 })
})
