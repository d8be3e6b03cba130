// From a configuration to what the parts of an engine are made with: the journal's file, the policy, the secrets.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { messageOf } from './base/json.ts'
import { type LoadedConfiguration, loadConfiguration, type PlacedRule } from './configuration/load.ts'
import { defaultJournalPath } from './journal/default-path.ts'
import type { JournalOptions } from './journal/journal.ts'
import { ConfigurationError, type ConfigurationFault } from './model/errors.ts'
import { looksSecret } from './outcome/known-values.ts'
import { parseRule } from './policy/rules.ts'
import type { PolicySettings } from './policy/settings.ts'

/** The configuration of the working directory, or of the file that is named. */
export function readConfiguration(file: string | undefined): Promise<LoadedConfiguration> {
  return loadConfiguration({ cwd: process.cwd(), environment: process.env, ...(file !== undefined && { file }) })
}

export function journalOptions({ configuration, file, folder }: LoadedConfiguration): JournalOptions {
  const { path, durability } = configuration.journal ?? {}
  const place = path === undefined ? defaultJournalPath({ workspace: file && folder }) : resolve(folder, path)
  return { path: place, durability }
}

/** The journal's file and those that SQLite keeps beside it: no tool may read them. */
export function journalFiles(loaded: LoadedConfiguration): string[] {
  const { path } = journalOptions(loaded)
  return [path, `${path}-wal`, `${path}-shm`]
}

/** Rules keep the places they stand at, so that a decision can show them. All bad ones are reported at once. */
export function policySettings({ configuration, file, rules }: LoadedConfiguration): PolicySettings {
  const faults = (['allow', 'ask', 'deny'] as const).flatMap((verdict) => {
    return rules[verdict].flatMap((rule, at) => ruleFault(`policy.${verdict}[${at}]`, rule))
  })
  if (faults.length) throw new ConfigurationError(file, faults)
  const placed = (list: LoadedConfiguration['rules']['allow']) =>
    list.map(({ pattern, where }) => (where ? { pattern, where } : pattern))
  return { ...configuration.policy, allow: placed(rules.allow), ask: placed(rules.ask), deny: placed(rules.deny) }
}

function ruleFault(path: string, { pattern, where }: PlacedRule): ConfigurationFault[] {
  try {
    parseRule('deny', pattern)
    return []
  } catch (error) {
    const { line, column, frame } = where ?? {}
    return [{ path, message: messageOf(error), ...(where && { line, column, frame }) } as ConfigurationFault]
  }
}

/** What the owner names is always secret; what came from a variable or a header when it looks like one. */
export function secretValues({ configuration, secrets, folder }: LoadedConfiguration): string[] {
  const isPath = (text: string) => existsSync(resolve(folder, text))
  const found = secrets.filter(({ value }) => looksSecret(value, isPath)).map(({ value }) => value)
  return [...(configuration.redact?.values ?? []), ...found]
}
