// A call that is none is misuse of the library, and is told at once. What a caller may merely get wrong is an outcome.

import { isObject } from '../base/json.ts'
import type { Call } from '../model/call.ts'
import { LegworkError } from '../model/errors.ts'

export function checkCall(call: Partial<Call>): void {
  if (!isObject(call)) {
    const given = typeof call === 'string' ? JSON.stringify(call) : String(call)
    throw misuse(`A call is an object, such as { tool: 'demo:greet', input: { name: 'Ada' } }, not ${given}.`)
  }
  const { signal, approve } = call
  if (signal !== undefined && !(signal instanceof AbortSignal))
    throw misuse('"signal" of a call must be an AbortSignal.')
  if (approve !== undefined && typeof approve !== 'function') throw misuse('"approve" of a call must be a function.')
}

export function checkCalls(calls: readonly Call[]): void {
  if (!Array.isArray(calls)) throw misuse('A batch is a list of calls, such as [{ tool: … }, { tool: … }].')
  for (const call of calls) checkCall(call)
}

function misuse(message: string): LegworkError {
  return new LegworkError('invalid-call', message)
}
