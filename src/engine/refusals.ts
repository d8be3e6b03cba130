// The endings of calls that never ran, in words that say what to do next.

import { messageOf } from '../base/json.ts'
import { didYouMean } from '../base/text.ts'
import type { Decision } from '../model/decision.ts'
import { JournalError } from '../model/errors.ts'
import type { OutcomeCode } from '../model/outcome.ts'
import type { Issue } from '../model/schema.ts'
import type { Ending } from '../outcome/finish.ts'

type Refusal<Code extends OutcomeCode> = Extract<Ending, { readonly code: Code }>

export function unknownTool(name: string, near: readonly string[]): Refusal<'unknown-tool'> {
  const hint = didYouMean(near) || ' List the tools to see their names.'
  return { ok: false, code: 'unknown-tool', message: `There is no tool "${name}".${hint}`, nearest: near }
}

export function invalidInput(tool: string, issues: readonly Issue[]): Refusal<'invalid-input'> {
  const faults = issues.length === 1 ? 'one fault' : `${issues.length} faults`
  return { ok: false, code: 'invalid-input', message: `The input of "${tool}" has ${faults}.`, issues }
}

export function denied({ reasons }: Decision): Ending {
  return { ok: false, code: 'denied', message: `Denied. ${reasons.join(' ')}` }
}

export function journalFailed(error: unknown): Ending {
  const message = error instanceof JournalError ? error.message : `The journal cannot be written: ${messageOf(error)}`
  return { ok: false, code: 'not-runnable', reason: 'journal', message }
}

export function tooBusy(waiting: number): Ending {
  return {
    ok: false,
    code: 'too-busy',
    message: `${waiting} calls are waiting already. Try again when some have ended.`,
  }
}

/** Nothing on the path should throw; if something does, the call has failed, and nobody else's with it. */
export function brokenPath(error: unknown): Ending {
  return { ok: false, code: 'tool-failed', message: `The call broke off: ${messageOf(error)}` }
}
