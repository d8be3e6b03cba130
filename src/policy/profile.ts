// The profile `recommended`: what each level of trust is worth, beyond what the settings say.

import { changesNothing, type Effects, type Trust } from '../model/effects.ts'
import type { Finding, Subject } from './findings.ts'

/** What the chosen profile denies or asks about the call: at most one thing, or nothing. */
export function profileFindings({ tool, effects, settings }: Subject, verdict: 'ask' | 'deny'): readonly Finding[] {
  const advice = settings.profile && recommend(tool.trust, effects)
  if (advice?.verdict !== verdict) return []
  const reason = `"${tool.id}" has the trust "${tool.trust}": the profile "recommended" ${advice.does}.`
  return [{ rule: 'profile recommended', reason, about: advice.about }]
}

interface Advice {
  readonly verdict: 'ask' | 'deny'
  readonly about?: 'destructive'
  readonly does: string
}

const destructiveAsks: Advice = { verdict: 'ask', about: 'destructive', does: 'asks before what is destructive' }
const destructiveDenied: Advice = { verdict: 'deny', about: 'destructive', does: 'denies what is destructive' }
const unsafeDenied: Advice = { verdict: 'deny', does: 'denies what is not known to change nothing' }
const alwaysAsks: Advice = { verdict: 'ask', does: 'asks before every call' }

function recommend(trust: Trust, effects: Effects): Advice | undefined {
  switch (trust) {
    case 'native':
    case 'vendor':
      return undefined
    case 'org':
      return effects.destructive ? destructiveAsks : undefined
    case 'community':
    case 'user':
      return effects.destructive ? destructiveDenied : alwaysAsks
    case 'inferred':
      return changesNothing(effects) ? alwaysAsks : unsafeDenied
  }
}
