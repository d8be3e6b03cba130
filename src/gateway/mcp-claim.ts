// How a client without a session shows that it is the one that asked: a secret that came with the answer to its first call, and goes
// with the call once that is approved. Programs write it beside the arguments, models among them.

import { isObject } from '../base/json.ts'
import type { Outcome } from '../model/outcome.ts'
import { argumentsOf } from './mcp-calls.ts'

/** In `_meta`, or among the arguments of a tool. The few tools that stand for all have an argument of their own. */
export const claimKey = 'legwork/approval'
const metaToolKey = 'approval'

/** The secret that a request shows, wherever it stands; what cannot be one is as good as none. */
export function claimOf({ _meta }: { readonly _meta?: unknown }): string | undefined {
  return isObject(_meta) ? secretIn(_meta[claimKey]) : undefined
}

/** The arguments of a call, and the secret that may stand among them. */
export function splitArguments(params: Readonly<Record<string, unknown>>, isMeta: boolean) {
  const { [isMeta ? metaToolKey : claimKey]: shown, ...input } = argumentsOf(params)
  return { input, claim: secretIn(shown) }
}

function secretIn(value: unknown): string | undefined {
  return typeof value === 'string' && /^[\w-]{43}$/.test(value) ? value : undefined
}

/** What a client is told besides where something waits for a person; undefined where nothing does. */
export function claimNotice(outcome: Outcome, claim: string | undefined, isMeta: boolean): string | undefined {
  if (claim === undefined || !isPending(outcome)) return undefined
  const shown = JSON.stringify(claim)
  const among = `"${isMeta ? metaToolKey : claimKey}": ${shown}`
  return `The approval is for you alone: make the same call with ${among} among its arguments, or "${claimKey}": ${shown} in its _meta.`
}

/** A call that waits itself, or one that it made. */
function isPending(outcome: Outcome): boolean {
  const isOwn = !outcome.ok && outcome.code === 'approval-needed' && outcome.approval !== undefined
  return isOwn || (outcome.calls ?? []).some(({ code }) => code === 'approval-needed')
}
