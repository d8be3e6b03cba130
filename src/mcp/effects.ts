// What a server's hints about a tool are worth. A hint may make a tool look more dangerous, whoever gives it; it makes one look
// harmless only when the server is trusted. What is left out counts for nothing, whatever the protocol takes for granted then.

import { isObject } from '../base/json.ts'
import type { Effects, Trust } from '../model/effects.ts'

const trusted: ReadonlySet<Trust> = new Set(['org', 'vendor', 'native'])

export function effectsOf(annotations: unknown, trust: Trust): Effects {
  if (!isObject(annotations)) return {}
  return { ...(trusted.has(trust) && lowered(annotations)), ...raised(annotations) }
}

/** Goes last: a tool that is said to be both is taken for the worse. */
function raised({ destructiveHint, idempotentHint, openWorldHint }: Record<string, unknown>): Effects {
  return {
    ...(destructiveHint === true && { destructive: true }),
    ...(idempotentHint === false && { idempotent: false }),
    ...(openWorldHint === true && { network: true }),
  }
}

function lowered(hints: Record<string, unknown>): Effects {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = hints
  const isReadOnly = readOnlyHint === true && destructiveHint !== true
  return {
    ...(isReadOnly && { readOnly: true }),
    ...((isReadOnly || destructiveHint === false) && { destructive: false }),
    ...(idempotentHint === true && { idempotent: true }),
    ...(openWorldHint === false && { network: false }),
  }
}
