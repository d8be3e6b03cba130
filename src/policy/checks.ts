// The single questions that settings and metadata answer together. True means: nothing speaks against it.

import {
  type CostEstimate,
  costEstimates,
  type Effects,
  isInteractive,
  type Trust,
  trustLevels,
} from '../model/effects.ts'
import type { Settings } from './settings.ts'

export function checkDestructive(effects: Effects, settings: Pick<Settings, 'allowDestructive'>): boolean {
  return settings.allowDestructive || effects.destructive !== true
}

export function checkInteractive(effects: Effects, settings: Pick<Settings, 'allowInteractive'>): boolean {
  return settings.allowInteractive || !isInteractive(effects)
}

/** Whether a description is trusted at least that much. */
export function checkTrustLevel(trust: Trust, minLevel: Trust): boolean {
  return trustLevels.indexOf(trust) >= trustLevels.indexOf(minLevel)
}

/** Whether an estimate stays within the ceiling. */
export function checkCost(estimate: CostEstimate, ceiling: CostEstimate): boolean {
  return costEstimates.indexOf(estimate) <= costEstimates.indexOf(ceiling)
}
