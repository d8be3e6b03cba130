// Checks a request that a step makes: one that comes in as a call is checked by the engine.

import { makeLimits } from '../model/limits.ts'
import { validate } from '../validate/validate.ts'
import { ContractError } from './errors.ts'
import { requestSchema, type ScriptRequest } from './request.ts'

const limits = makeLimits()

export async function checkRequest(input: unknown): Promise<ScriptRequest> {
  const checked = await validate(requestSchema, input, limits)
  if (checked.ok) return checked.value as ScriptRequest
  const faults = checked.issues.map(({ path, message }) => (path ? `${path}: ${message}` : message))
  throw new ContractError('invalid-input', `The script cannot be run. ${faults.join(' ')}`)
}
