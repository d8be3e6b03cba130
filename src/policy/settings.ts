// The policy's settings, what each is when nobody sets it, and a check of what somebody did set: a misspelt or mistyped
// setting must never quietly mean less than its owner thought.

import { isObject, messageOf } from '../base/json.ts'
import { didYouMean, nearest } from '../base/text.ts'
import type { RulePlace } from '../model/decision.ts'
import { type CostEstimate, costEstimates, type Trust, trustLevels } from '../model/effects.ts'
import { ConfigurationError, type ConfigurationFault } from '../model/errors.ts'

export interface PolicySettings {
  /** Whether destructive tools run without a question. Default false: they ask. */
  readonly allowDestructive?: boolean
  /** Whether what cannot be undone runs without a question. Default true, with a warning. */
  readonly allowNonReversible?: boolean
  /** Whether what costs money runs without a question. Default true. */
  readonly allowBillable?: boolean
  /** Whether tools may use the network. Default true; false denies every tool that is not known to do without. */
  readonly allowNetwork?: boolean
  /** Whether tools may write files. Default true; false denies every tool that is not known to write none. */
  readonly allowFilesystemWrite?: boolean
  /** Whether what deletes runs without a question. Default true. */
  readonly allowFilesystemDelete?: boolean
  /** Whether tools that need a person at a terminal may run. Default false: they are denied. */
  readonly allowInteractive?: boolean
  /** Tools whose description is trusted less are denied. Default `inferred`, the lowest. */
  readonly minTrustLevel?: Trust
  /** Tools that may cost more ask. Default `high`, the highest. */
  readonly maxCostEstimate?: CostEstimate
  /** `recommended` treats each level of trust as its own. Default none. */
  readonly profile?: Profile
  /** How long a person has for an answer, in milliseconds; no answer is a no. Default 300 000. */
  readonly approvalTimeoutMs?: number
  /** Rules that answer the settings' questions. They lift no denial. Default none. */
  readonly allow?: readonly RuleText[]
  /** Rules that ask whatever else allows. Default none. */
  readonly ask?: readonly RuleText[]
  /** Rules that deny whatever else allows or asks. Default none. */
  readonly deny?: readonly RuleText[]
}

/** A rule as its owner wrote it, with the place if it stands in a file. */
export type RuleText = string | { readonly pattern: string; readonly where: RulePlace }

export const profiles = ['recommended'] as const
export type Profile = (typeof profiles)[number]

/** The settings with their defaults filled in; the rules are apart. */
export type Settings = Required<Omit<PolicySettings, 'profile' | 'allow' | 'ask' | 'deny'>> & {
  readonly profile: Profile | undefined
}

const defaults: Settings = {
  allowDestructive: false,
  allowNonReversible: true,
  allowBillable: true,
  allowNetwork: true,
  allowFilesystemWrite: true,
  allowFilesystemDelete: true,
  allowInteractive: false,
  minTrustLevel: 'inferred',
  maxCostEstimate: 'high',
  profile: undefined,
  approvalTimeoutMs: 300_000,
}

/** The longest that a timer can wait. */
const maxTimeoutMs = 2_147_483_647

export function makeSettings(given: PolicySettings): Settings {
  const faults = Object.entries(given).flatMap(([name, value]) => faultOf(name, value))
  if (faults.length) throw new ConfigurationError(undefined, faults)
  const { allow: _allow, ask: _ask, deny: _deny, ...settings } = given
  const set = Object.entries(settings).filter(([, value]) => value !== undefined)
  return { ...defaults, ...Object.fromEntries(set) }
}

interface Expectation {
  readonly is: (value: unknown) => boolean
  readonly words: string
}

const flag: Expectation = { is: (value) => typeof value === 'boolean', words: 'true or false' }
const rules: Expectation = {
  is: (value) => Array.isArray(value) && value.every(isRuleText),
  words: 'a list of rules such as ["github:*"]',
}
const oneOf = (names: readonly string[]): Expectation => ({
  is: (value) => names.some((name) => name === value),
  words: names.map((name) => `"${name}"`).join(' or '),
})

const expectations: { readonly [Name in keyof PolicySettings]-?: Expectation } = {
  allowDestructive: flag,
  allowNonReversible: flag,
  allowBillable: flag,
  allowNetwork: flag,
  allowFilesystemWrite: flag,
  allowFilesystemDelete: flag,
  allowInteractive: flag,
  minTrustLevel: oneOf(trustLevels),
  maxCostEstimate: oneOf(costEstimates),
  profile: oneOf(profiles),
  approvalTimeoutMs: {
    is: (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= maxTimeoutMs,
    words: `a whole number from 1 to ${maxTimeoutMs}`,
  },
  allow: rules,
  ask: rules,
  deny: rules,
}

const expected = new Map<string, Expectation>(Object.entries(expectations))

function faultOf(name: string, value: unknown): ConfigurationFault[] {
  const path = `policy.${name}`
  const expectation = expected.get(name)
  if (!expectation) {
    return [{ path, message: `The policy has no setting "${name}".${didYouMean(nearest(name, expected.keys()))}` }]
  }
  if (value === undefined || expectation.is(value)) return []
  const shown = typeof value === 'string' ? `"${value}"` : messageOf(value)
  return [{ path, message: `"${path}" is ${shown}; write ${expectation.words}.` }]
}

function isRuleText(text: unknown): boolean {
  return typeof text === 'string' || (isObject(text) && typeof text.pattern === 'string')
}
