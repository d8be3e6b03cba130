// From a configuration to what the parts of an engine are made with: the journal's file, the policy, the secrets.

import { existsSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { modelKeyVariable } from './adapters/configured.ts'
import { messageOf } from './base/json.ts'
import { type LoadedConfiguration, loadConfiguration } from './configuration/load.ts'
import { defaultJournalPath } from './journal/default-path.ts'
import type { JournalOptions } from './journal/journal.ts'
import { resultsFolder } from './journal/results.ts'
import { defaultAuthorisationFolder, knownTokens } from './mcp/oauth-store.ts'
import { type FoundSecret, secretsIn } from './outcome/entry-secrets.ts'
import { looksSecret } from './outcome/known-values.ts'
import { isSecretValue, secretKindOf } from './outcome/secret-value.ts'
import { parseRule } from './policy/rules.ts'
import type { PolicySettings } from './policy/settings.ts'

/** The configuration of the working directory, or of the file that is named. */
export function readConfiguration(file: string | undefined): Promise<LoadedConfiguration> {
  return loadConfiguration({
    cwd: process.cwd(),
    environment: process.env,
    ruleFault,
    ...(file !== undefined && { file }),
  })
}

export function journalOptions({ configuration, file, folder }: LoadedConfiguration): JournalOptions {
  const { path, durability } = configuration.journal ?? {}
  const place = path === undefined ? defaultJournalPath({ workspace: file && folder }) : resolve(folder, path)
  return { path: place, durability }
}

/**
 * What no tool may see: the journal's folder, since a file alone could be moved aside with it; where the journal lies beside
 * other things, its file and those that SQLite keeps with it.
 */
export function journalFiles(loaded: LoadedConfiguration): string[] {
  const { path } = journalOptions(loaded)
  const folder = dirname(path)
  const isShared = !relative(folder, loaded.folder).startsWith('..')
  return isShared ? [path, `${path}-wal`, `${path}-shm`, resultsFolder(path)] : [folder]
}

/** Rules keep the places they stand at, so that a decision can show them. */
export function policySettings({ configuration, rules }: LoadedConfiguration): PolicySettings {
  const placed = (list: LoadedConfiguration['rules']['allow']) =>
    list.map(({ pattern, where }) => (where ? { pattern, where } : pattern))
  return { ...configuration.policy, allow: placed(rules.allow), ask: placed(rules.ask), deny: placed(rules.deny) }
}

/** What is wrong with a rule, told with everything else that is wrong with a configuration. */
export function ruleFault(pattern: string): string | undefined {
  try {
    parseRule('deny', pattern)
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}

/** What the owner names is always secret; what came from a variable or a header when it looks like one. */
export function secretValues({ configuration, secrets, folder }: LoadedConfiguration): string[] {
  const isPath = (text: string) => existsSync(resolve(folder, text))
  const found = secrets.filter(({ value }) => looksSecret(value, isPath)).map(({ value }) => value)
  // Tokens of remote servers are known by their files; nothing is read where no server is remote.
  const isRemote = Object.values(configuration.mcpServers ?? {}).some(({ url }) => url !== undefined)
  const tokens = isRemote ? knownTokens(defaultAuthorisationFolder()) : []
  const modelKey = process.env[modelKeyVariable] ?? ''
  const keys = looksSecret(modelKey, isPath) ? [modelKey] : []
  return [
    ...(configuration.redact?.values ?? []),
    ...found,
    ...literalSecrets(configuration, isPath),
    ...tokens,
    ...keys,
  ]
}

/** What stands in an argument, an address or a command as it is, and is a secret by its name, its shape or its place. */
function literalSecrets(
  { mcpServers = {}, programs = {} }: LoadedConfiguration['configuration'],
  isPath: (text: string) => boolean,
): string[] {
  const servers = Object.values(mcpServers).map(({ command, args, cwd, url }) => ({ command, args, cwd, url }))
  const commands = Object.values(programs).map(({ command }) => ({ command }))
  const found = [...servers, ...commands].flatMap(secretsIn).filter(({ isGuess }) => !isGuess)
  const clients = Object.values(mcpServers).flatMap(({ legwork }) => legwork?.oauth?.clientSecret ?? [])
  const isSecret = ({ value, name }: FoundSecret) =>
    looksSecret(value, isPath) || isSecretValue(secretKindOf(name) ?? 'token', value, 'quoted')
  return [
    ...found.filter(isSecret).flatMap(({ value }) => [value, decoded(value)]),
    ...clients.filter((value) => value.length >= 8),
  ]
}

/** As a server reads what stands in its address. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
