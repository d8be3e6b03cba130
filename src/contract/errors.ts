// What goes wrong between a script or a step and what it calls. Inside a run these are thrown; what leaves it is an outcome.

export class ContractError extends Error {
  /** An outcome's code, or one that a step gave itself. */
  readonly code: string
  /** What `flow/throw` was given besides. */
  readonly data?: unknown
  /** The step that it came from. */
  where?: string

  constructor(code: string, message: string, data?: unknown) {
    super(message)
    this.name = 'ContractError'
    this.code = code
    if (data !== undefined) this.data = data
  }
}
