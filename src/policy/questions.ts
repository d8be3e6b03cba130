// What the settings want a person to be asked about, unless an allow rule answers it.
//
// Silence about an effect counts as no where the description is the owner's own or comes from somebody the owner trusts,
// and as yes everywhere else, unless the tool is known to change nothing.

import { changesNothing, type EffectName, type Effects, effectsKnown, hasEffect } from '../model/effects.ts'
import type { Tool } from '../model/tool.ts'
import { checkCost, checkDestructive } from './checks.ts'
import { type Check, type Finding, runChecks, type Subject } from './findings.ts'
import { profileFindings } from './profile.ts'

export function findQuestions(subject: Subject): readonly Finding[] {
  return [...runChecks(questions, subject), ...profileFindings(subject, 'ask')]
}

const questions: readonly Check[] = [
  {
    rule: 'allowDestructive',
    about: 'destructive',
    find: ({ tool, effects, settings }) =>
      checkDestructive(effects, settings) ? undefined : `"${tool.id}" is destructive, and "allowDestructive" is false.`,
  },
  unlessAllowed(
    'allowNonReversible',
    'irreversible',
    ({ reversible }) => reversible,
    'cannot be undone',
    'can be undone',
  ),
  unlessAllowed('allowBillable', 'billable', ({ cost }) => cost?.billable, 'costs money'),
  {
    rule: 'maxCostEstimate',
    about: 'billable',
    find: (subject) => {
      const { tool, effects, settings } = subject
      const { billable, estimate } = effects.cost ?? {}
      const setting = `and "maxCostEstimate" is "${settings.maxCostEstimate}".`
      if (estimate && !checkCost(estimate, settings.maxCostEstimate)) {
        return `"${tool.id}" has the cost estimate "${estimate}", ${setting}`
      }
      if (estimate || settings.maxCostEstimate === 'high') return undefined
      return (billable ?? silenceCounts(subject)) ? `Nobody says how much "${tool.id}" costs, ${setting}` : undefined
    },
  },
  unlessAllowed('allowFilesystemDelete', 'delete', ({ filesystem }) => filesystem?.delete, 'deletes things'),
  {
    rule: 'unknown effects',
    about: 'unknown',
    find: ({ tool, effects }) =>
      effectsKnown(effects) || isVouchedFor(tool)
        ? undefined
        : `Nobody says whether "${tool.id}" is destructive, and it has the trust "${tool.trust}".`,
  },
]

/** Asks about an effect that a tool has, or keeps silent about, while its setting is false. */
function unlessAllowed(
  setting: 'allowNonReversible' | 'allowBillable' | 'allowFilesystemDelete',
  about: EffectName,
  said: (effects: Effects) => boolean | undefined,
  does: string,
  whether = does,
): Check {
  const find = (subject: Subject) => {
    const { tool, effects, settings } = subject
    if (settings[setting]) return undefined
    if (hasEffect(effects, about)) return `"${tool.id}" ${does}, and "${setting}" is false.`
    const isSilent = said(effects) === undefined && silenceCounts(subject)
    return isSilent ? `Nobody says whether "${tool.id}" ${whether}, and "${setting}" is false.` : undefined
  }
  return { rule: setting, about, find }
}

/** Whether what a description leaves out may be there all the same. */
function silenceCounts({ tool, effects }: Subject): boolean {
  return !isVouchedFor(tool) && !changesNothing(effects)
}

function isVouchedFor({ ownersOwn, trust }: Tool): boolean {
  return ownersOwn === true || trust === 'native' || trust === 'vendor' || trust === 'org'
}
