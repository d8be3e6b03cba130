// The errors of the door to programs. One base for all of them, and a `code` of its own for each.

import { didYouMean } from '../base/text.ts'
import type { CostEstimate, Effects, Trust } from '../model/effects.ts'
import { type ErrorCode, LegworkError } from '../model/errors.ts'
import type { ExecutionResult } from './execution.ts'
import type { ParameterIssue } from './parameters.ts'

export type AtipErrorCode = Extract<
  ErrorCode,
  | 'unknown-command'
  | 'invalid-arguments'
  | 'policy-violation'
  | 'confirmation-required'
  | 'insufficient-trust'
  | 'execution-failed'
  | 'timed-out'
  | 'interactive-not-supported'
  | 'cost-exceeded'
>

/** What all of them are. */
export class AtipExecuteError extends LegworkError {
  declare readonly code: AtipErrorCode
  /** The flattened name of the command. */
  readonly toolName: string

  constructor(code: AtipErrorCode, toolName: string, message: string, options?: ErrorOptions) {
    super(code, message, options)
    this.toolName = toolName
  }
}

/** No command has this name. */
export class UnknownCommandError extends AtipExecuteError {
  declare readonly code: 'unknown-command'
  /** The names that are most like it. */
  readonly nearest: readonly string[]

  constructor(toolName: string, near: readonly string[] = [], note = '') {
    super('unknown-command', toolName, `There is no command "${toolName}".${didYouMean(near)}${note && ` ${note}`}`)
    this.nearest = near
  }
}

/** The arguments do not fit. */
export class ArgumentValidationError extends AtipExecuteError {
  declare readonly code: 'invalid-arguments'
  readonly errors: readonly ParameterIssue[]

  constructor(toolName: string, errors: readonly ParameterIssue[]) {
    const faults = errors.map(({ message }) => message).join(' ')
    super('invalid-arguments', toolName, `The arguments of "${toolName}" do not fit. ${faults}`)
    this.errors = errors
  }
}

/** The policy, or a person, says no. */
export class PolicyViolationError extends AtipExecuteError {
  declare readonly code: 'policy-violation'
  /** Why, in sentences. */
  readonly violations: readonly string[]

  constructor(toolName: string, violations: readonly string[]) {
    super('policy-violation', toolName, `"${toolName}" may not run. ${violations.join(' ')}`)
    this.violations = violations
  }
}

/** What a person needs to know before they say yes or no. Secrets are redacted in it. */
export interface ConfirmationContext {
  readonly toolName: string
  readonly reasons: readonly string[]
  /** The whole command line. */
  readonly command: readonly string[]
  readonly arguments: unknown
  readonly effects: Effects
  readonly trust: Trust
}

/** A person has to say yes first, and there is nobody to ask. */
export class RequiresConfirmationError extends AtipExecuteError {
  declare readonly code: 'confirmation-required' | 'cost-exceeded'
  readonly context: ConfirmationContext

  constructor(context: ConfirmationContext, code: 'confirmation-required' | 'cost-exceeded' = 'confirmation-required') {
    const why = context.reasons.join(' ')
    super(
      code,
      context.toolName,
      `"${context.toolName}" needs a person's yes. ${why} Give a "confirmationHandler", or allow it in the policy.`,
    )
    this.context = context
  }
}

/** The same, because it may cost more than the policy allows without a question. */
export class CostExceededError extends RequiresConfirmationError {
  declare readonly code: 'cost-exceeded'
  /** What the metadata says; undefined when it says nothing. */
  readonly estimate: CostEstimate | undefined
  readonly maxCostEstimate: CostEstimate

  constructor(context: ConfirmationContext, maxCostEstimate: CostEstimate) {
    super(context, 'cost-exceeded')
    this.estimate = context.effects.cost?.estimate
    this.maxCostEstimate = maxCostEstimate
  }
}

/** Its description is trusted too little. */
export class InsufficientTrustError extends AtipExecuteError {
  declare readonly code: 'insufficient-trust'
  readonly actualTrust: Trust
  readonly requiredTrust: Trust

  constructor(toolName: string, actualTrust: Trust, requiredTrust: Trust) {
    const message = `"${toolName}" has the trust "${actualTrust}", and the policy wants at least "${requiredTrust}".`
    super('insufficient-trust', toolName, message)
    this.actualTrust = actualTrust
    this.requiredTrust = requiredTrust
  }
}

/** It could not be started, or was given up. */
export class ExecutionError extends AtipExecuteError {
  declare readonly code: 'execution-failed'
  readonly command: readonly string[]

  constructor(toolName: string, command: readonly string[], message: string, options?: ErrorOptions) {
    super('execution-failed', toolName, message, options)
    this.command = command
  }
}

/** It took too long and was stopped. */
export class TimeoutError extends AtipExecuteError {
  declare readonly code: 'timed-out'
  readonly command: readonly string[]
  /** How long it had, in milliseconds. */
  readonly timeout: number
  /** What it had printed by then; undefined when it never began. */
  readonly partial: ExecutionResult | undefined
  /** The same as text for a model. */
  readonly formatted: string

  constructor(
    toolName: string,
    timeout: number,
    command: readonly string[],
    partial: ExecutionResult | undefined,
    formatted: string,
  ) {
    super('timed-out', toolName, `"${toolName}" did not end within ${timeout} ms and was stopped.`)
    this.timeout = timeout
    this.command = command
    this.partial = partial
    this.formatted = formatted
  }
}

/** It needs a person at a terminal, which it does not get. */
export class InteractiveNotSupportedError extends AtipExecuteError {
  declare readonly code: 'interactive-not-supported'
  readonly interactiveEffects: NonNullable<Effects['interactive']>

  constructor(toolName: string, interactiveEffects: NonNullable<Effects['interactive']>) {
    const message = `"${toolName}" needs a person at a terminal (${JSON.stringify(interactiveEffects)}), which is not supported.`
    super('interactive-not-supported', toolName, message)
    this.interactiveEffects = interactiveEffects
  }
}
