// From an outcome to what the specification has for it: a result, or one of its errors.

import type { Decision } from '../model/decision.ts'
import { mergeEffects } from '../model/effects.ts'
import { limitSpecs } from '../model/limits.ts'
import type { Failure, Outcome } from '../model/outcome.ts'
import type { Tool } from '../model/tool.ts'
import type { Redactor } from '../outcome/redact.ts'
import type { Policy } from '../policy/policy.ts'
import type { CommandMapping } from './commands.ts'
import {
  ArgumentValidationError,
  type AtipExecuteError,
  type ConfirmationContext,
  CostExceededError,
  ExecutionError,
  InsufficientTrustError,
  InteractiveNotSupportedError,
  PolicyViolationError,
  RequiresConfirmationError,
  TimeoutError,
  UnknownCommandError,
} from './errors.ts'
import { type ExecutionResult, resultOf } from './execution.ts'
import { formatRedacted, type OutputOptions } from './format.ts'
import type { KeptOutput } from './keep-output.ts'
import { validateToolCall } from './parameters.ts'

export interface ExecutorResult extends ExecutionResult {
  /** The call's own id, if it had one. */
  readonly id?: string
  readonly name: string
  /** What the model is shown. */
  readonly formatted: string
  readonly warnings: readonly string[]
  /** Files that hold whole what was longer than the limit, where the executor keeps it. */
  readonly kept?: KeptOutput['files']
  /** The outcome on the one path that this stands for. */
  readonly outcome: Outcome
}

export type Settled =
  | { readonly ok: true; readonly result: ExecutorResult }
  | { readonly ok: false; readonly error: AtipExecuteError }

export interface Circumstances {
  readonly call: { readonly id?: string; readonly arguments?: unknown }
  readonly mapping: CommandMapping
  readonly tool: Tool
  readonly policy: Policy
  readonly redactor: Redactor
  readonly output: OutputOptions
  readonly maxOutputSize: number
  readonly timeout: number | undefined
  readonly kept: KeptOutput | undefined
}

export function settle(outcome: Outcome, circumstances: Circumstances): Settled {
  const { call, mapping, kept, output } = circumstances
  const ran = runOf(outcome, circumstances)
  if (!ran || (!outcome.ok && outcome.code !== 'tool-failed')) {
    return { ok: false, error: errorOf(outcome as Failure, ran, circumstances) }
  }
  const files = kept?.files ?? {}
  const result = {
    ...ran,
    ...(call.id !== undefined && { id: call.id }),
    name: mapping.name,
    formatted: formatRedacted(ran, output),
    warnings: [...outcome.warnings, ...(kept?.warnings ?? [])],
    ...(Object.keys(files).length && { kept: files }),
    outcome,
  }
  return { ok: true, result }
}

function runOf(outcome: Outcome, { timeout, maxOutputSize }: Circumstances): ExecutionResult | undefined {
  if (!outcome.process) return undefined
  const timedOut = !outcome.ok && outcome.code === 'timed-out'
  const limits = { timeout: timeout ?? limitSpecs.timeoutMs.default, maxOutputSize }
  return resultOf(outcome.process, timedOut, outcome.durationMs, limits)
}

function errorOf(outcome: Failure, ran: ExecutionResult | undefined, circumstances: Circumstances): AtipExecuteError {
  const { mapping, output } = circumstances
  const { name } = mapping
  switch (outcome.code) {
    case 'unknown-tool':
      return new UnknownCommandError(name, outcome.nearest)
    case 'invalid-input':
      return new ArgumentValidationError(name, outcome.issues)
    case 'denied':
      return denialOf(outcome, circumstances)
    case 'approval-needed':
      return questionOf(outcome, circumstances)
    case 'timed-out': {
      const text = ran ? formatRedacted(ran, output) : `[TIMEOUT after ${outcome.afterMs / 1000}s]`
      return new TimeoutError(name, outcome.afterMs, ran?.command ?? commandOf(circumstances), ran, text)
    }
    case 'not-runnable':
      return new ExecutionError(name, commandOf(circumstances), outcome.message, { cause: outcome.reason })
    case 'cancelled':
    case 'too-busy':
    case 'tool-failed':
      return new ExecutionError(name, commandOf(circumstances), outcome.message, { cause: outcome.code })
    default:
      return outcome satisfies never
  }
}

function denialOf({ decision, message }: Failure, { mapping, tool, policy }: Circumstances): AtipExecuteError {
  const { name } = mapping
  switch (decision?.rule) {
    case 'minTrustLevel':
      return new InsufficientTrustError(name, tool.trust, policy.minTrustLevel)
    case 'allowInteractive':
      return new InteractiveNotSupportedError(name, mergeEffects(...mapping.levels).interactive ?? {})
    default:
      return new PolicyViolationError(name, decision?.reasons ?? [message])
  }
}

function questionOf({ decision, message }: Failure, circumstances: Circumstances): AtipExecuteError {
  const context = contextOf(decision?.reasons ?? [message], circumstances)
  return decision?.rule === 'maxCostEstimate'
    ? new CostExceededError(context, circumstances.policy.maxCostEstimate)
    : new RequiresConfirmationError(context)
}

function contextOf(reasons: Decision['reasons'], circumstances: Circumstances): ConfirmationContext {
  const { call, mapping, tool, redactor } = circumstances
  const plan = planOf(circumstances)
  return redactor.value({
    toolName: mapping.name,
    reasons,
    command: plan?.argv ?? [],
    arguments: validateToolCall(call, mapping).arguments,
    effects: mergeEffects(tool.effects, plan?.effects),
    trust: tool.trust,
  })
}

function commandOf(circumstances: Circumstances): readonly string[] {
  return circumstances.redactor.value(planOf(circumstances)?.argv ?? [circumstances.mapping.toolName])
}

function planOf({ call, mapping, tool }: Circumstances) {
  const planned = tool.plan?.(validateToolCall(call, mapping).arguments)
  return planned?.ok ? planned.plan : undefined
}
