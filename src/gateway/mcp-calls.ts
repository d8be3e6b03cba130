// A client's `tools/call`: one call on the one path, with its progress and its log told while it runs.

import { isObject } from '../base/json.ts'
import type { Call } from '../model/call.ts'
import type { CallEvent, Listener } from '../model/event.ts'
import type { Work } from './mcp-peer.ts'

/** What of the client's belongs to every call that is made for it. */
export function callFor({ signal, client, approve, caller }: Work): Omit<Call, 'tool'> & { readonly caller: object } {
  return { caller, signal, client, ...(approve && { approve }) }
}

/** Tells the client what happens; where it asked for none of it, nothing. A client that is gone hears nothing more. */
export function eventsFor(work: Work): Listener {
  let last = Number.NEGATIVE_INFINITY
  return (event) => {
    const { mcpReq } = work.current()
    if (event.type === 'log') mcpReq.log(event.level, event.message).catch(() => {})
    const progressToken = mcpReq._meta?.progressToken
    if (event.type !== 'progress' || progressToken === undefined) return
    const progress = amountOf(event, last)
    if (!(progress > last)) return
    last = progress
    const { total, message } = event.progress
    const params = {
      progressToken,
      progress,
      ...(typeof total === 'number' && { total }),
      ...(typeof message === 'string' && { message }),
    }
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {})
  }
}

/** Progress that names no amount is one step further. */
function amountOf({ progress }: Extract<CallEvent, { type: 'progress' }>, last: number): number {
  if (typeof progress.done === 'number') return progress.done
  return Number.isFinite(last) ? last + 1 : 1
}

/** The arguments of a request, where they are an object. */
export function argumentsOf(params: unknown): Readonly<Record<string, unknown>> {
  const given = isObject(params) ? params.arguments : undefined
  return isObject(given) ? given : {}
}
