// The endings of calls that never ran, in words that say what to do next.

import { messageOf } from '../base/json.ts'
import { didYouMean } from '../base/text.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { PendingNotice } from '../model/approval.ts'
import { type Call, type Front, libraryCaller } from '../model/call.ts'
import type { Decision } from '../model/decision.ts'
import { JournalError } from '../model/errors.ts'
import type { Outcome, OutcomeCode } from '../model/outcome.ts'
import type { Issue } from '../model/schema.ts'
import type { Ending } from '../outcome/finish.ts'

type Refusal<Code extends OutcomeCode> = Extract<Ending, { readonly code: Code }>

/** The fronts behind which a model is: it knows tools by the names it was offered, and has no terminal. */
const modelFronts: ReadonlySet<Front> = new Set(['toolcall', 'mcp', 'agent'])

/**
 * Where the source that might have it could not be read, that is what a caller needs to know.
 *
 * @param name The tool as the caller named it, fit to be shown.
 */
export function unknownTool(
  { tool, caller = libraryCaller }: Pick<Call, 'tool' | 'caller'>,
  name: string,
  catalogue: Pick<Catalogue, 'nearest' | 'faultsOf' | 'listLoaded'>,
): Refusal<'unknown-tool'> {
  const isModel = modelFronts.has(caller.front)
  if (typeof tool !== 'string' || tool === '') {
    const message = isModel ? 'The call names no tool.' : 'The call names no tool: "tool" is missing.'
    return { ok: false, code: 'unknown-tool', message, nearest: [] }
  }
  const nearest = catalogue.nearest(name)
  const faults = catalogue.faultsOf(name)
  const near = isModel ? catalogue.listLoaded().filter(({ id }) => nearest.includes(id)) : []
  const spelled = nearest.map((id) => near.find((each) => each.id === id)?.spellings.provider ?? id)
  const hint = faults.length
    ? ` ${faults.join(' ')}`
    : didYouMean(spelled) || (isModel ? '' : ' "legwork tools" lists them all.')
  return { ok: false, code: 'unknown-tool', message: `There is no tool "${name}".${hint}`, nearest }
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

export function approvalNeeded(tool: string, { reasons }: Decision, why: string): Ending {
  const message = `"${tool}" needs a person's approval, and ${sentence(why)} ${reasons.join(' ')} Allow it by a rule, or give an approval handler.`
  return { ok: false, code: 'approval-needed', message }
}

export function approvalPending(tool: string, { reasons }: Decision, approval: PendingNotice): Ending {
  const { id, until } = approval
  const message = `"${tool}" waits for a person's approval. ${reasons.join(' ')} Ask the person to run "legwork approve ${id}" in a terminal before ${until}, then make the same call again: it runs once.`
  return { ok: false, code: 'approval-needed', message, approval }
}

/** How an identical call ended, as the ending of one that waited for it. */
export function sameEnding(outcome: Outcome): Ending {
  const warning = `This is the outcome of the identical call ${outcome.callId}: the approval held for one run.`
  return { ...outcome, warnings: [...outcome.warnings, warning] }
}

function sentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`
}
