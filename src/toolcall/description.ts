// A tool's description for a model, with what the tool may do to the world at its end.

import {
  changesNothing,
  type EffectName,
  type Effects,
  effectNames,
  hasEffect,
  isInteractive,
} from '../model/effects.ts'
import { visibleText } from '../outcome/visible.ts'

const words: { readonly [Name in EffectName]: string } = {
  destructive: 'destructive',
  irreversible: 'irreversible',
  network: 'network',
  write: 'writes files',
  delete: 'deletes',
  subprocess: 'starts programs',
  billable: 'costs money',
  unknown: 'effects unknown',
}

/** Such as `[destructive, network]`; `[changes nothing]` where that is known; empty when there is nothing to say. */
export function safetySuffix(effects: Effects): string {
  const said = effectNames.filter((name) => hasEffect(effects, name)).map((name) => words[name])
  if (isInteractive(effects)) said.push('interactive')
  if (changesNothing(effects)) said.push('changes nothing')
  return said.length ? `[${said.join(', ')}]` : ''
}

/** The description is cut where it is too long; the suffix never. Hidden characters in it are shown. */
export function describe(description: string, effects: Effects, maxLength: number): string {
  const suffix = safetySuffix(effects)
  const room = suffix ? maxLength - suffix.length - 1 : maxLength
  const told = cut(visibleText(description), room)
  return suffix && told ? `${told} ${suffix}` : told || suffix
}

/** Never between the two halves of a character. */
function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  return `${text.slice(0, Math.max(0, maxLength - 1)).replace(/[\ud800-\udbff]$/, '')}…`
}
