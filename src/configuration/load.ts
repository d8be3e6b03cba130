// Loads `legwork.jsonc`: finds it, reads it, fills in variables, checks it, and throws all its faults at once.

import { dirname, resolve } from 'node:path'
import { isObject } from '../base/json.ts'
import { placeOf } from '../base/text.ts'
import type { RulePlace } from '../model/decision.ts'
import { ConfigurationError } from '../model/errors.ts'
import { check, type Finding } from './check.ts'
import type { Configuration } from './configuration.ts'
import { findConfiguration } from './find.ts'
import { type Parsed, parseConfiguration, type TextFault } from './parse.ts'
import { placedFault, rulePlace } from './places.ts'
import { readText } from './read.ts'
import { type Environment, findSecrets, type SecretCandidate } from './secrets.ts'
import { readServers } from './servers.ts'
import { readShape } from './shape.ts'
import { type Expanded, expandVariables } from './variables.ts'
import { type Path, quoted, showPath, showValue } from './words.ts'

export type { Configuration } from './configuration.ts'

export interface LoadedConfiguration {
  /** The keys of the file with variables filled in. Paths are as they were written, relative to `folder`. */
  readonly configuration: Configuration
  /** The file's absolute path; undefined where there is none. */
  readonly file: string | undefined
  /** The workspace: the file's folder, else the working directory. */
  readonly folder: string
  /** The rules of `policy`, with their places where they come from a file. */
  readonly rules: PlacedRules
  /** What may be a secret; whether it counts as one is decided elsewhere. */
  readonly secrets: readonly SecretCandidate[]
  readonly warnings: readonly string[]
}

export type PlacedRules = { readonly [List in 'allow' | 'ask' | 'deny']: readonly PlacedRule[] }

export interface PlacedRule {
  readonly pattern: string
  readonly where?: RulePlace
}

export interface LoadOptions {
  readonly cwd: string
  /** The file, relative to `cwd`. Default: the nearest one from `cwd` upwards; without one, nothing is configured. */
  readonly file?: string
  readonly environment: Environment
  /** What is wrong with a rule of the policy, if anything. Default: nothing ever is. */
  readonly ruleFault?: RuleFault
}

export type RuleFault = (pattern: string) => string | undefined

export async function loadConfiguration({
  cwd,
  file,
  environment,
  ruleFault,
}: LoadOptions): Promise<LoadedConfiguration> {
  const path = file === undefined ? findConfiguration(cwd) : resolve(cwd, file)
  if (path === undefined) return nothingConfigured(resolve(cwd))
  const { text, warnings } = await readText(path, file === undefined)
  const [parsed, shape] = await Promise.all([parseConfiguration(text), readShape()])
  const expanded = expandVariables(parsed.value, environment)
  const checked = check(shape, expanded.value, (at, value) => showWritten(valueAt(parsed.value, at), value))
  const servers = readServers(expanded.value, checked)

  const findings = [...checked.faults, ...ruleFindings(checked.value, ruleFault)]
  const faults = allFaults(text, parsed, expanded, findings).map((fault) => placedFault(text, fault))
  if (faults.length) throw new ConfigurationError(path, faults)

  const configuration = servers.value as Configuration
  const isDefault = (at: Path) => expanded.defaulted.some((other) => isSame(at, other))
  const foreign = servers.warnings.map(({ path: at, message }) => {
    const { line, column } = placeOf(text, parsed.offsetOf(at, 'key'))
    return `${path}:${line}:${column}: ${message}`
  })
  return {
    configuration,
    file: path,
    folder: dirname(path),
    rules: rulesOf(configuration, (at) => rulePlace(path, text, parsed.offsetOf(at, 'value'))),
    secrets: [...expanded.used, ...findSecrets(checked.value as Configuration, environment, isDefault)],
    warnings: [...warnings, ...foreign],
  }
}

function nothingConfigured(folder: string): LoadedConfiguration {
  return { configuration: {}, file: undefined, folder, rules: rulesOf({}), secrets: [], warnings: [] }
}

/**
 * The same checks for options given in code, where no variables are filled in: code has its own. Keys that the caller
 * reads itself may be named, so that a misspelt one is recognised; they are left out of what comes back.
 */
export async function checkConfiguration(
  value: unknown,
  folder: string,
  environment: Environment,
  otherKeys: readonly string[] = [],
  ruleFault?: RuleFault,
): Promise<LoadedConfiguration> {
  const shape = await readShape()
  const others = Object.fromEntries(otherKeys.map((key) => [key, {}]))
  const properties = { ...shape.properties, ...others }
  const checked = check({ ...shape, properties }, value, (_path, given) => showValue(given))
  const findings = [...checked.faults, ...ruleFindings(checked.value, ruleFault)]
  const faults = findings.map(({ path, message }) => ({ path: path.length ? showPath(path) : '', message }))
  if (faults.length) throw new ConfigurationError(undefined, faults)

  const servers = readServers(value, checked)
  const configuration = servers.value as Configuration
  for (const key of otherKeys) Reflect.deleteProperty(configuration, key)
  const secrets = findSecrets(checked.value as Configuration, environment, () => false)
  const warnings = servers.warnings.map(({ message }) => message)
  return { configuration, file: undefined, folder, rules: rulesOf(configuration), secrets, warnings }
}

const ruleLists = ['allow', 'ask', 'deny'] as const

function ruleFindings(value: unknown, ruleFault: RuleFault = () => undefined): Finding[] {
  return ruleLists.flatMap((list) => {
    const rules = valueAt(value, ['policy', list])
    return (Array.isArray(rules) ? rules : []).flatMap((rule, at): Finding[] => {
      const message = typeof rule === 'string' ? ruleFault(rule) : undefined
      return message === undefined ? [] : [{ path: ['policy', list, at], at: 'value', message }]
    })
  })
}

/** In the order of the text. What cannot be known, because the text is broken or a variable unset, is left out. */
function allFaults(text: string, parsed: Parsed, expanded: Expanded, findings: readonly Finding[]): TextFault[] {
  const unset = expanded.faults.map(({ path, reference, message }): TextFault => {
    const offset = parsed.offsetOf(path, 'value')
    return { path, message, offset: Math.max(offset, text.indexOf(reference, offset)) }
  })
  const unfit = findings
    .filter(({ path }) => !expanded.faults.some((fault) => isSame(fault.path, path)))
    .filter(({ path, at }) => at !== 'absence' || parsed.isWhole(path))
    .map(({ path, at, message }): TextFault => {
      return { path, message, offset: parsed.offsetOf(path, at === 'key' ? 'key' : 'value') }
    })
  const readable = [...unset, ...unfit].filter(({ offset }) => offset < parsed.readableUntil)
  return [...parsed.faults, ...readable].sort((one, other) => one.offset - other.offset)
}

/** A value in the author's own words: what a variable holds may be a secret, so it is never shown. */
function showWritten(written: unknown, value: unknown): string {
  if (typeof written !== 'string' || written === value) return showValue(written)
  return `${quoted(written)} with its variables filled in`
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce((found: unknown, part) => {
    if (Array.isArray(found)) return found[Number(part)]
    return isObject(found) ? found[part] : undefined
  }, value)
}

function isSame(one: Path, other: Path): boolean {
  return one.length === other.length && one.every((part, at) => part === other[at])
}

function rulesOf({ policy = {} }: Configuration, placeAt?: (path: Path) => RulePlace): PlacedRules {
  const rules = (list: keyof PlacedRules) =>
    (policy[list] ?? []).map((pattern, at): PlacedRule => {
      return placeAt ? { pattern, where: placeAt(['policy', list, at]) } : { pattern }
    })
  return { allow: rules('allow'), ask: rules('ask'), deny: rules('deny') }
}
