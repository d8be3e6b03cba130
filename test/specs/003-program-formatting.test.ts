import { homedir } from 'node:os'
import { expect, test } from 'vitest'
import {
  combineStreams,
  type ExecutionResult,
  filterSecrets,
  formatForProvider,
  formatResult,
  TimeoutError,
  truncateOutput,
} from '../../src/doors/program.ts'
import { LegworkError } from '../../src/index.ts'
import { makeExecutor } from '../support/executor.ts'

const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
const ended: ExecutionResult = {
  command: ['x'],
  success: true,
  exitCode: 0,
  signal: null,
  stdout: 'the output\n',
  stderr: '',
  stdoutBytes: 11,
  stderrBytes: 0,
  truncated: false,
  timedOut: false,
  durationMs: 1,
  limits: { timeout: 30_000, maxOutputSize: 1_048_576 },
}

test('003/Formatting for a model', async () => {
  const { executor } = makeExecutor()
  const { formatted } = await executor.execute({ name: 'show', arguments: { word: 'hi' } })
  expect(formatted).toBe('hi\n[Exit code: 0]')
})
test('003/Sensitive data is filtered, before length is', () => {
  expect(formatResult({ ...ended, stdout: `${'x'.repeat(30)} ${token}` }, { maxLength: 55 })).not.toContain('ghp_')
})
test('003/formatResult', () => expect(formatResult(ended)).toBe('the output\n[Exit code: 0]'))
test('003/filterSecrets', () => {
  expect(filterSecrets(`a ${token} and acme-5`, ['acme-[0-9]'])).toBe('a [REDACTED] and [REDACTED]')
})
test('003/truncateOutput', () => expect(truncateOutput('x'.repeat(50), 30)).toBe(`${'x'.repeat(16)}\n[TRUNCATED]`))
test('003/combineStreams', () => expect(combineStreams('out\n', 'err\n')).toBe('out\nerr'))
test('003/formatForProvider', () => {
  const call = { id: '1', name: 'show' }
  const result = { success: true, formatted: 'text' }
  expect(formatForProvider('openai', call, result)).toEqual({ role: 'tool', tool_call_id: '1', content: 'text' })
  expect(formatForProvider('anthropic', call, { ...result, success: false })).toEqual({
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: '1', content: 'text', is_error: true }],
  })
  expect(formatForProvider('gemini', call, result)).toMatchObject({ parts: [{ functionResponse: { name: 'show' } }] })
})

test('003/Output format for success', () => expect(formatResult(ended)).toBe('the output\n[Exit code: 0]'))
test('003/Output format for failure', () => {
  const failed = { ...ended, success: false, exitCode: 1, stderr: 'the error\n' }
  expect(formatResult(failed)).toBe('the error\nthe output\n[Exit code: 1]')
})
test('003/Output format for timeout', () => {
  const late = { ...ended, success: false, exitCode: null, timedOut: true }
  expect(formatResult(late)).toBe('the output\n[TIMEOUT after 30s]')
})
test('003/Output format for truncated', () => {
  expect(formatResult({ ...ended, truncated: true })).toMatch(/^the output\n\[TRUNCATED - output exceeded 1MB\]\n/)
})

test('003/Truncation at the end with marker', () =>
  expect(truncateOutput('abc'.repeat(20), 20)).toBe('abcabc\n[TRUNCATED]'))
test('003/Truncation marker', () => expect(truncateOutput('x'.repeat(99), 50)).toMatch(/\n\[TRUNCATED\]$/))
test('003/Truncation is consistent', () => {
  const text = 'x'.repeat(200)
  expect(formatResult({ ...ended, stdout: text }, { maxLength: 50 })).toBe(truncateOutput(text, 50))
})
test('003/Truncation prevents overflow', () => {
  for (const length of [0, 1, 5, 13, 14, 15, 100]) {
    expect(truncateOutput('x'.repeat(1_000), length).length).toBeLessThanOrEqual(length)
  }
})
test('003/Truncation arithmetic', () => {
  const output = 'abcdefghij'.repeat(10)
  const asTheSpecificationHasIt = (text: string, maxLength: number) =>
    text.length > maxLength ? `${text.slice(0, maxLength - 14)}\n[TRUNCATED]` : text
  for (const length of [14, 20, 50, 99, 100, 101]) {
    expect(truncateOutput(output, length)).toBe(asTheSpecificationHasIt(output, length))
  }
  expect(truncateOutput('😀'.repeat(20), 25)).toBe('😀😀😀😀😀\n[TRUNCATED]')
})

test('003/Secret redaction with built-in patterns', () => {
  for (const secret of [token, 'AKIAIOSFODNN7EXAMPLE', `xoxb-${'1234567890-'.repeat(2)}${'a1B2c3D4'.repeat(3)}`]) {
    expect(filterSecrets(`here: ${secret}`)).not.toContain(secret)
  }
})
test('003/Custom redaction patterns', async () => {
  const { executor } = makeExecutor({ output: { redactPatterns: [/internal-\d+/] } })
  const { formatted, stdout } = await executor.execute({ name: 'show', arguments: { word: 'internal-42' } })
  expect([formatted, stdout].join()).not.toContain('internal-42')
})
test('003/Size limits', async () => {
  const { executor } = makeExecutor({ output: { maxLength: 1_000 } })
  expect((await executor.execute({ name: 'flood' })).formatted.length).toBeLessThanOrEqual(1_000)
})
test('003/Error sanitization: no system paths in errors', async () => {
  const { executor, folder } = makeExecutor()
  const { formatted, stderr } = await executor.execute({ name: 'fail' })
  expect(formatted).toBe('cannot read secret and x.so\nout\n[Exit code: 1]')
  expect(stderr).toContain(folder)
  const home = { ...ended, success: false, exitCode: 1, stdout: '', stderr: `no ${homedir()}/x` }
  expect(formatResult(home, { workspace: '/elsewhere' })).toBe('no ~/x\n[Exit code: 1]')
})
test('003/Pattern pre-compilation: a bad pattern is found when the executor is made', () => {
  expect(() => makeExecutor({ output: { redactPatterns: ['('] } })).toThrow(LegworkError)
})
test('003/Complexity of formatResult: in proportion to the output', () => {
  const patterns = ['^(a+)+$', 'acme-[0-9]+']
  const time = (length: number) => {
    const started = performance.now()
    formatResult({ ...ended, stdout: 'a'.repeat(length) }, { redactPatterns: patterns })
    return performance.now() - started
  }
  time(10_000)
  expect(time(1_000_000)).toBeLessThan(5_000)
})
test('003/TimeoutError keeps what was captured, formatted too', async () => {
  const { executor } = makeExecutor({ execution: { timeout: 300 } })
  const error: unknown = await executor.execute({ name: 'slow' }).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(TimeoutError)
  expect(error).toMatchObject({
    timeout: 300,
    partial: { stdout: 'begun\n', timedOut: true },
    formatted: 'begun\n[TIMEOUT after 0.3s]',
  })
})
