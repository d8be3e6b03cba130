import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import {
  ArgumentValidationError,
  type AtipTool,
  createExecutor,
  ExecutionError,
  formatForProvider,
  PolicyViolationError,
  parseToolCall,
  TimeoutError,
  UnknownCommandError,
} from '../../src/doors/program.ts'
import { LegworkError } from '../../src/index.ts'
import { describedTool, harmless, makeExecutor, word } from '../support/executor.ts'
import { temporaryFolder } from '../support/temporary.ts'

test('output beyond the limit is kept whole in files that only their owner can read', async () => {
  const keepOutput = join(temporaryFolder(), 'kept')
  const { executor } = makeExecutor({ execution: { keepOutput } })
  const result = await executor.execute({ name: 'flood' })
  expect(result).toMatchObject({ truncated: true, stdoutBytes: 3_000_000 })
  const file = result.kept?.stdout ?? ''
  expect(readFileSync(file, 'utf8')).toBe('x'.repeat(3_000_000))
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(keepOutput).mode & 0o777).toBe(0o700)
  expect(result.kept?.stderr).toBeUndefined()
  expect((await executor.execute({ name: 'show', arguments: { word: 'x' } })).kept).toBeUndefined()
  expect(readdirSync(keepOutput)).toEqual([basename(file)])
})

test('what cannot be kept is a warning', async () => {
  const { executor } = makeExecutor({ execution: { keepOutput: '/dev/null/nowhere' } })
  const { warnings, kept } = await executor.execute({ name: 'flood' })
  expect(kept).toBeUndefined()
  expect(warnings).toEqual([expect.stringContaining('could not be kept')])
})

test('secrets from the environment and by pattern are hidden everywhere, also in what is kept and streamed', async () => {
  const secret = 'hunter2-hunter2'
  const keepOutput = temporaryFolder()
  const seen: string[] = []
  const { executor } = makeExecutor({
    execution: { env: { MY_KEY: secret }, maxOutputSize: 20, keepOutput, onStdout: (text) => void seen.push(text) },
    output: { redactPatterns: ['acme_[0-9]+'] },
  })
  const result = await executor.execute({ name: 'vars' })
  const shown = await executor.execute({ name: 'show', arguments: { word: 'acme_123' } })
  const journal = JSON.stringify(executor.journal.read())
  const everything = [JSON.stringify([result, shown]), seen.join(''), readFileSync(result.kept?.stdout ?? '', 'utf8')]
  for (const text of [...everything, journal]) expect(text).not.toMatch(/hunter2|acme_123/)
  expect(readFileSync(result.kept?.stdout ?? '', 'utf8')).toContain('MY_KEY=[REDACTED]')
})

test('an owner may ask for secrets to be shown', async () => {
  const { executor } = makeExecutor({
    execution: { env: { MY_KEY: 'hunter2-hunter2' } },
    output: { redactSecrets: false },
  })
  expect((await executor.execute({ name: 'vars' })).formatted).toContain('hunter2')
})

test('arguments may be JSON text; what is not JSON is refused, and so is a call that could not be read', async () => {
  const { executor } = makeExecutor()
  expect(await executor.execute({ name: 'show', arguments: '{"word": "a"}' })).toMatchObject({ stdout: 'a\n' })
  for (const given of ['{"word": ', '[1]', '', 7]) {
    await expect(executor.execute({ name: 'show', arguments: given })).rejects.toThrow(ArgumentValidationError)
  }
  const [broken] = parseToolCall('openai', {
    choices: [
      { message: { tool_calls: [{ id: '1', type: 'function', function: { name: 'show', arguments: '{"word' } }] } },
    ],
  })
  await expect(executor.execute(broken ?? { name: '' })).rejects.toThrow(ArgumentValidationError)
})

test('with skipValidation arguments are taken as they are, and still never become options', async () => {
  const { executor } = makeExecutor({ skipValidation: true })
  expect(await executor.execute({ name: 'show', arguments: { word: ['a', 5], other: {} } })).toMatchObject({
    stdout: 'a\n5\n',
  })
  expect(await executor.execute({ name: 'show', arguments: { word: 7 } })).toMatchObject({ stdout: '7\n' })
  for (const bad of [{ word: '--x' }, { word: {} }, { word: 'a\0' }, 'text']) {
    await expect(executor.execute({ name: 'show', arguments: bad })).rejects.toThrow(ArgumentValidationError)
  }
  const checking = makeExecutor().executor
  await expect(checking.execute({ name: 'show', arguments: { word: ['a'] } })).rejects.toThrow(ArgumentValidationError)
})

test('programs whose metadata is wrong, or that are there twice, do not harm the others', async () => {
  const bad = { name: 'bad', commands: { x: 5 } } as unknown as AtipTool
  const { executor } = makeExecutor({ tools: [bad, describedTool('show'), describedTool('show', { commands: {} })] })
  expect(executor.warnings).toEqual([
    'tools[0]: commands.x: write an object.',
    'tools[2].name: there is another program "show"; the first one counts.',
  ])
  expect(await executor.execute({ name: 'show' })).toMatchObject({ success: true })
  await expect(executor.execute({ name: 'bad_x' })).rejects.toThrow(/commands\.x: write an object/)
})

test('only the flattened names are names, before and after a first call', async () => {
  const { executor } = makeExecutor({ tools: [describedTool('show', { commands: { go: {} } })] })
  const others = ['show:go', 'show.go', 'show__go', 'tools.show.go', 'show']
  for (const name of others) await expect(executor.execute({ name })).rejects.toThrow(UnknownCommandError)
  await executor.execute({ name: 'show_go' })
  for (const name of others) await expect(executor.execute({ name })).rejects.toThrow(UnknownCommandError)
})

test('commands whose names clash are told apart, and each runs its own words', async () => {
  const commands = { a_b: {}, a: { commands: { b: {} } }, 'a-b': {}, 'a.b': {} }
  const { executor } = makeExecutor({ tools: [describedTool('show', { commands })] })
  const printed = await Promise.all(executor.commands().map(async (name) => (await executor.execute({ name })).stdout))
  expect(printed.sort()).toEqual(['a\nb\n', 'a-b\n', 'a.b\n', 'a_b\n'])
})

test('a rule holds for the same command, whichever of two alike is called first', async () => {
  const commands = { 'a-b': {}, a_b: {}, aB: {}, é: {}, e: {} }
  const decisions = async (order: readonly string[]) => {
    const { executor } = makeExecutor({
      tools: [describedTool('show', { commands })],
      policy: { deny: ['show:aB', 'show:e'] },
    })
    const found: Record<string, boolean> = {}
    for (const name of order) {
      found[name] = await executor.execute({ name }).then(
        () => true,
        () => false,
      )
      expect(executor.checkPolicy({ name }).allowed).toBe(found[name])
    }
    return found
  }
  const names = makeExecutor({ tools: [describedTool('show', { commands })] }).executor.commands()
  const one = await decisions(names)
  expect(await decisions(names.toReversed())).toEqual(one)
  expect(Object.values(one).filter((isAllowed) => !isAllowed)).toHaveLength(2)
})

test('a batch has a result or an error for each call, in order', async () => {
  const { executor } = makeExecutor({ execution: { timeout: 700 } })
  const results = await executor.executeBatch([
    { name: 'slow' },
    { name: 'show', arguments: { word: 'a' } },
    { name: 'nothing' },
    { name: 'fail' },
  ])
  expect(results.map((one) => (one.ok ? one.result.exitCode : one.error.code))).toEqual([
    'timed-out',
    0,
    'unknown-command',
    1,
  ])
  const stopped = await executor.executeBatch([{ name: 'nothing' }, { name: 'show' }, { name: 'show' }], {
    continueOnError: false,
    concurrency: 1,
  })
  expect(stopped.map(({ ok }) => ok)).toEqual([false, false, false])
})

test('a call can be given up, and so can a stream by not reading it', async () => {
  const { executor } = makeExecutor()
  const error = await executor.execute({ name: 'slow' }, { signal: AbortSignal.timeout(200) }).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(ExecutionError)
  expect(error.cause).toBe('cancelled')
  for await (const event of executor.executeStream({ name: 'slow' })) {
    expect(event).toEqual({ type: 'stdout', text: 'begun\n' })
    break
  }
  expect(executor.journal.interrupted()).toEqual([])
})

test('a stream that fails throws when its output was told', async () => {
  const { executor } = makeExecutor({ execution: { timeout: 300 } })
  const events: string[] = []
  const read = async () => {
    for await (const event of executor.executeStream({ name: 'slow' })) events.push(event.type)
  }
  await expect(read()).rejects.toThrow(TimeoutError)
  expect(events).toEqual(['stdout'])
})

test('with a shell the owner of the metadata writes the command, and a model writes only arguments', async () => {
  const { executor, folder } = makeExecutor({ execution: { shell: true } })
  for (const attack of ['$(touch pwned)', '`touch pwned`', '; touch pwned', '"; touch pwned; "', "'; touch pwned; '"]) {
    expect(await executor.execute({ name: 'show', arguments: { word: attack } })).toMatchObject({
      stdout: `${attack}\n`,
    })
  }
  expect(existsSync(join(folder, 'pwned'))).toBe(false)
})

test('settings out of range and settings that do not exist are misuse', () => {
  const tools = [describedTool('show')]
  expect(() => createExecutor({ tools, execution: { timeout: 600_001 } })).toThrow(LegworkError)
  expect(() => createExecutor({ tools, execution: { maxOutputSize: 10_485_761 } })).toThrow(LegworkError)
  expect(() => createExecutor({ tools, policy: { allowDestructiv: true } as object })).toThrow(/Did you mean/)
  expect(() => createExecutor({ tools, output: { redactPatterns: ['('] } })).toThrow(LegworkError)
})

test('a folder that does not exist is an error that says so', async () => {
  const { executor } = makeExecutor({ execution: { cwd: '/no/such/folder' } })
  const error = await executor.execute({ name: 'show' }).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(ExecutionError)
  expect(error.cause).toBe('bad-directory')
})

test('rules of the policy hold here too', async () => {
  const { executor } = makeExecutor({ policy: { deny: ['Bash(show secret:*)'], ask: ['fail'] } })
  await expect(executor.execute({ name: 'show', arguments: { word: 'secret' } })).rejects.toThrow(PolicyViolationError)
  expect(executor.checkPolicy({ name: 'fail' })).toMatchObject({ requiresConfirmation: true, rule: 'ask "fail"' })
})

test('the policy is asked about arguments that fit, of commands that exist', () => {
  const { executor } = makeExecutor()
  expect(() => executor.checkPolicy({ name: 'show', arguments: { word: '--x' } })).toThrow(ArgumentValidationError)
  expect(() => executor.checkPolicy({ name: 'nothing' })).toThrow(UnknownCommandError)
  expect(executor.checkPolicy({ name: 'show', arguments: '{"word": "x"}' })).toMatchObject({ allowed: true })
})

test('a name that is no text is no name', async () => {
  const { executor } = makeExecutor()
  for (const name of [5, undefined, null, {}] as unknown as string[]) {
    await expect(executor.execute({ name })).rejects.toThrow(UnknownCommandError)
  }
})

test('a result is what a provider is told', async () => {
  const { executor } = makeExecutor({
    tools: [describedTool('show', { effects: { ...harmless }, commands: { '': { arguments: [word] } } })],
  })
  const call = { id: 'call_1', name: 'show', arguments: { word: 'hi' } }
  expect(formatForProvider('openai', call, await executor.execute(call))).toEqual({
    role: 'tool',
    tool_call_id: 'call_1',
    content: 'hi\n[Exit code: 0]',
  })
})
