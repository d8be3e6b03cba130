import { homedir } from 'node:os'
import { expect, test } from 'vitest'
import {
  combineStreams,
  type ExecutionResult,
  filterSecrets,
  formatError,
  formatResult,
  truncateOutput,
} from '../../src/doors/program.ts'

const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`

function result(parts: Partial<ExecutionResult> = {}): ExecutionResult {
  const exitCode = parts.exitCode ?? 0
  return {
    command: ['x'],
    success: exitCode === 0 && !parts.timedOut,
    exitCode,
    signal: null,
    stdout: 'out\n',
    stderr: '',
    stdoutBytes: 4,
    stderrBytes: 0,
    truncated: false,
    timedOut: false,
    durationMs: 1,
    limits: { timeout: 30_000, maxOutputSize: 1_048_576 },
    ...parts,
  }
}

test.each<[string, Partial<ExecutionResult>, string]>([
  ['success', {}, 'out\n[Exit code: 0]'],
  ['success with a word aside', { stderr: 'note\n' }, 'out\nnote\n[Exit code: 0]'],
  ['success without output', { stdout: '' }, '[Exit code: 0]'],
  ['failure', { exitCode: 1, stderr: 'err\n' }, 'err\nout\n[Exit code: 1]'],
  ['timeout', { timedOut: true, exitCode: null }, 'out\n[TIMEOUT after 30s]'],
  ['truncation', { truncated: true }, 'out\n[TRUNCATED - output exceeded 1MB]\n[Exit code: 0]'],
])('the form of %s', (_name, parts, text) => expect(formatResult(result(parts))).toBe(text))

test('standard error and the exit code can be left out', () => {
  const failed = result({ exitCode: 2, stderr: 'err\n' })
  expect(formatResult(failed, { includeStderr: false })).toBe('out\n[Exit code: 2]')
  expect(formatResult(failed, { includeExitCode: false })).toBe('err\nout')
  expect(formatResult(result({ stdout: '' }), { includeExitCode: false })).toBe('')
})

test('secrets go before length does', () => {
  expect(formatResult(result({ stdout: `${'x'.repeat(40)} ${token}\n` }), { maxLength: 60 })).not.toContain('ghp_')
  expect(formatResult(result({ stdout: token }), { redactSecrets: false })).toContain(token)
  expect(formatResult(result({ stdout: 'key acme-77' }), { redactPatterns: [/ACME-\d+/i] })).not.toContain('acme-77')
})

test('patterns are texts or regular expressions, and cannot hang', () => {
  expect(filterSecrets('one two', ['t[a-z]+'])).toBe('one [REDACTED]')
  expect(filterSecrets('one TWO', [/two/i])).toBe('one [REDACTED]')
  expect(filterSecrets(`my ${token}`)).toBe('my [REDACTED]')
  expect(filterSecrets('a'.repeat(40), ['^(a+)+$'])).toBe('[REDACTED]')
})

test('output is cut at the end, at the beginning, or in the middle', () => {
  const text = 'abcdefghij'.repeat(5)
  expect(truncateOutput(text, 20)).toBe('abcdef\n[TRUNCATED]')
  expect(truncateOutput(text, 20, 'tail')).toBe('[TRUNCATED]\nefghij')
  expect(truncateOutput(text, 20, 'middle')).toBe('abc\n[TRUNCATED]\nhij')
  expect(formatResult(result({ stdout: text }), { maxLength: 30, truncate: 'middle' })).toMatch(/code: 0\]$/)
})

test('streams are joined on lines of their own', () => {
  expect(combineStreams('a\n', 'b\n')).toBe('a\nb')
  expect(combineStreams('', 'b')).toBe('b')
})

test('a failing program does not tell a model about the machine', () => {
  const stderr = `cat: /srv/space/a.txt: no\ncat: ${homedir()}/b: no\ncat: /usr/lib/c.so: no\n`
  const text = formatResult(result({ exitCode: 1, stdout: '', stderr }), { workspace: '/srv/space' })
  expect(text).toBe('cat: a.txt: no\ncat: ~/b: no\ncat: c.so: no\n[Exit code: 1]')
  expect(formatError('no /etc/x', { workspace: '/w' })).toBe('no x')
})

test('what a terminal would act on is shown instead', () => {
  expect(formatResult(result({ stdout: '\u001b[2Jx\u202e' }))).toBe('x<U+202E>\n[Exit code: 0]')
})
