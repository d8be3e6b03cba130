// What goes wrong between a script or a step and what it calls. Inside a run these are thrown; what leaves it is an outcome.

import { messageOf } from '../base/json.ts'
import type { Failure } from '../model/outcome.ts'

export class ContractError extends Error {
  /** An outcome's code, or one that a step gave itself. */
  readonly code: string
  /** What `flow/throw` was given besides. */
  readonly data?: unknown
  /** How the call ended that it came from. */
  readonly outcome?: Failure
  /** The step that it came from. */
  where?: string

  constructor(code: string, message: string, { data, outcome }: { data?: unknown; outcome?: Failure } = {}) {
    super(message)
    this.name = 'ContractError'
    this.code = code
    if (data !== undefined) this.data = data
    if (outcome) this.outcome = outcome
  }
}

export function asContractError(error: unknown): ContractError {
  return error instanceof ContractError ? error : new ContractError('tool-failed', messageOf(error))
}
