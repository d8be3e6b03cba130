import { describe, expect, test } from 'vitest'
import { makeLimits } from '../../src/model/limits.ts'
import { finish } from '../../src/outcome/finish.ts'
import { createRedactor } from '../../src/outcome/redact.ts'

const limits = makeLimits()
const circumstances = {
  callId: 'c',
  tool: 't',
  startedAt: '2025-01-01T00:00:00.000Z',
  durationMs: 4711.25,
  decision: undefined,
  warnings: [],
}

describe('an outcome', () => {
  test('keeps our own measurements, whatever values are secret', () => {
    const redactor = createRedactor({ values: ['4711'] })
    const process = {
      argv: ['x'],
      exitCode: 4711,
      signal: null,
      stdout: 'pin 4711',
      stderr: '',
      stdoutBytes: 4711,
      stderrBytes: 0,
      truncated: false,
      containment: 'group' as const,
    }
    const outcome = finish({ ok: true, value: { pin: 4711 }, process }, circumstances, redactor, limits)
    expect(outcome).toMatchObject({
      durationMs: 4711.25,
      value: { pin: '[REDACTED]' },
      process: { exitCode: 4711, stdoutBytes: 4711, stdout: 'pin [REDACTED]' },
    })
    const late = finish(
      { ok: false, code: 'timed-out', message: 'late', afterMs: 4711 },
      circumstances,
      redactor,
      limits,
    )
    expect(late).toMatchObject({ afterMs: 4711, durationMs: 4711.25 })
  })

  test('shows no secret in its text that only its strings together make up', () => {
    const redactor = createRedactor({ values: ['a-known-Value'] })
    const value = ['a-kno\u009d', '\u009cwn-Value']
    expect(finish({ ok: true, value }, circumstances, redactor, limits).text).toBe('["[REDACTED]"]')
  })
})
