// Texts that may be secrets: what variables held, what headers carry, what children get on top of the usual environment.
// Whether one really counts as a secret is decided elsewhere.

import type { Configuration } from './configuration.ts'
import type { Path } from './words.ts'

export interface SecretCandidate {
  readonly value: string
  /** The variable or the header that it came from. */
  readonly variable: string
}

export type Environment = Readonly<Record<string, string | undefined>>

type ExtraEnvironment = readonly string[] | Readonly<Record<string, string>>

/** `isDefault` tells of a text, by its path, that it was made with a default: then it is no secret. */
export function findSecrets(
  { mcpServers = {}, programs = {}, skills = [] }: Configuration,
  environment: Environment,
  isDefault: (path: Path) => boolean,
): SecretCandidate[] {
  const found: SecretCandidate[] = []
  const add = (values: ExtraEnvironment, path: Path) => {
    for (const [variable, value] of Object.entries(childEnvironment(values, environment))) {
      if (isDefault([...path, variable])) continue
      found.push({ value, variable })
      const credential = /^(?:Basic|Bearer|Token|ApiKey)\s+(.+)$/i.exec(value)?.[1]
      if (credential !== undefined) found.push({ value: credential, variable })
    }
  }
  for (const [name, { env = {}, headers = {} }] of Object.entries(mcpServers)) {
    add(env, ['mcpServers', name, 'env'])
    add(headers, ['mcpServers', name, 'headers'])
  }
  for (const [name, { env = [] }] of Object.entries(programs)) add(env, ['programs', name, 'env'])
  for (const [at, skill] of skills.entries()) if (typeof skill === 'object') add(skill.env ?? [], ['skills', at, 'env'])
  return found
}

/** What a child gets: values as they are given, names with what our own environment holds for them, if anything. */
export function childEnvironment(given: ExtraEnvironment, environment: Environment): Record<string, string> {
  if (!isNames(given)) return { ...given }
  const held = given.flatMap((name) => {
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(held)
}

function isNames(given: ExtraEnvironment): given is readonly string[] {
  return Array.isArray(given)
}
