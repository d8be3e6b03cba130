// Checks a request that a step makes: one that comes in as a call is checked by the engine.

import { makeLimits } from '../model/limits.ts'
import { validate } from '../validate/validate.ts'
import { ContractError } from './errors.ts'
import { isScriptRequest, requestSchema, type ScriptRequest } from './request.ts'

const limits = makeLimits()

export async function checkRequest(input: unknown): Promise<ScriptRequest> {
  const checked = await validate(requestSchema, input, limits)
  if (checked.ok && isScriptRequest(checked.value)) return checked.value
  const faults = checked.ok ? [] : checked.issues.map(({ path, message }) => (path ? `${path}: ${message}` : message))
  throw new ContractError('invalid-input', `The script cannot be run. ${faults.join(' ')}`)
}
