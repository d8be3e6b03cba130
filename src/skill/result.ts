// From an outcome to what the specification has for it: a result for every run that started, one of its errors for the rest.

import { constants } from 'node:os'
import type { Failure, Outcome } from '../model/outcome.ts'
import type { Script } from './detect.ts'
import {
  ArgumentSerializationError,
  InterpreterNotFoundError,
  PathSecurityError,
  ScriptNotFoundError,
  ScriptNotStartedError,
  ScriptPermissionError,
  ScriptRefusedError,
  type SkillError,
  ToolRestrictionError,
} from './errors.ts'
import type { Skill } from './skill.ts'

export interface ScriptExecutionResult {
  /** What was kept of it, at most 10 MB. */
  readonly stdout: string
  /** The same; ends with `Signal: NAME` or `Timeout` where the script ended so. */
  readonly stderr: string
  /** 0 for success, 124 for a timeout, minus its number for a signal. */
  readonly exit_code: number
  readonly execution_time_ms: number
  /** From the skill's folder. */
  readonly script_path: string
  /** The signal that ended it, such as `SIGSEGV`. */
  readonly signal: string | null
  readonly stdout_truncated: boolean
  readonly stderr_truncated: boolean
}

/** What a tool hands back to a model's loop. */
export interface ScriptToolResult {
  readonly type: 'tool_result'
  readonly tool_use_id: string
  readonly content: string | null
  readonly is_error: boolean
}

interface Asked {
  readonly skill: string
  readonly script: string
  readonly allowedTools: readonly string[]
  readonly interpreter: string
}

export type Settled =
  | { readonly ok: true; readonly result: ScriptExecutionResult }
  | { readonly ok: false; readonly error: SkillError }

export function settle(
  outcome: Outcome,
  { name: skill, allowedTools = [] }: Skill,
  { path: script, interpreter: [interpreter = ''] }: Script,
  maxOutputBytes: number,
): Settled {
  const asked = { skill, script, allowedTools, interpreter }
  const { process } = outcome
  const hasEnded = process && (process.exitCode !== null || process.signal !== null)
  const timedOut = !outcome.ok && outcome.code === 'timed-out'
  if (!process || !(hasEnded || timedOut)) return { ok: false, error: errorOf(outcome, asked) }
  const signal = signalOf(process.signal)
  const ending = timedOut ? 'Timeout' : signal ? `Signal: ${signal.name}` : ''
  return {
    ok: true,
    result: {
      stdout: process.stdout,
      stderr: withLastLine(process.stderr, ending),
      exit_code: timedOut ? 124 : signal ? -signal.number : (process.exitCode ?? 1),
      execution_time_ms: outcome.durationMs,
      script_path: asked.script,
      signal: signal?.name ?? process.signal,
      stdout_truncated: process.stdoutBytes > maxOutputBytes,
      stderr_truncated: process.stderrBytes > maxOutputBytes,
    },
  }
}

export function toolResult(id: string, result: ScriptExecutionResult): ScriptToolResult {
  const isError = result.exit_code !== 0
  return { type: 'tool_result', tool_use_id: id, content: isError ? null : result.stdout, is_error: isError }
}

function withLastLine(text: string, line: string): string {
  if (line === '' || text === '') return text || line
  return `${text}${text.endsWith('\n') ? '' : '\n'}${line}`
}

/** One signal may have two names; the first is the one that people know. */
function signalOf(given: string | null): { readonly name: string; readonly number: number } | undefined {
  const signals = Object.entries(constants.signals)
  const number = signals.find(([name]) => name === given)?.[1]
  const name = signals.find(([, other]) => other === number)?.[0]
  return number === undefined || name === undefined ? undefined : { name, number }
}

function errorOf(outcome: Outcome, asked: Asked): SkillError {
  const { skill, script } = asked
  if (outcome.ok) return new ScriptNotStartedError(skill, script, 'It did not run.', 'cancelled')
  switch (outcome.code) {
    case 'denied':
      return denialOf(outcome, asked)
    case 'approval-needed':
      return new ScriptRefusedError(skill, script, outcome.message, 'confirmation-required')
    case 'invalid-input':
      return new ArgumentSerializationError(skill, script, outcome.issues)
    case 'not-runnable':
      if (outcome.reason === 'interpreter-not-found') {
        return new InterpreterNotFoundError(skill, script, outcome.message, asked.interpreter)
      }
      if (outcome.reason === 'not-found') return new ScriptNotFoundError(skill, script, outcome.message)
      return new ScriptNotStartedError(skill, script, outcome.message, outcome.reason)
    case 'unknown-tool':
      return new ScriptNotFoundError(skill, script, outcome.message)
    case 'too-busy':
      return new ScriptNotStartedError(skill, script, outcome.message, 'too-busy')
    case 'cancelled':
    case 'timed-out':
    case 'tool-failed':
      return new ScriptNotStartedError(skill, script, outcome.message, 'cancelled')
    default:
      return outcome satisfies never
  }
}

function denialOf(
  outcome: Extract<Failure, { readonly code: 'denied' }>,
  { skill, script, allowedTools }: Asked,
): SkillError {
  const { message } = outcome
  switch (outcome.reason) {
    case 'path-security':
      return new PathSecurityError(skill, script, message)
    case 'script-permission':
      return new ScriptPermissionError(skill, script, message)
    case 'tool-restriction':
      return new ToolRestrictionError(skill, script, message, allowedTools)
    case undefined:
      return new ScriptRefusedError(skill, script, message, 'policy-violation')
    default:
      return outcome.reason satisfies never
  }
}
