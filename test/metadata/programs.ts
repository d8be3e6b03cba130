// The programs whose metadata Legwork ships, opened with one line of configuration each, in a folder of the test's own.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe } from 'vitest'
import type { Legwork, LegworkOptions } from '../../src/index.ts'
import { findProgram } from '../../src/run/lookup.ts'
import { openLegwork } from '../support/legwork.ts'

const folder = join(import.meta.dirname, '../../metadata')

export const shipped: readonly string[] = readdirSync(folder).map((file) => file.replace(/\.json$/, ''))

export function metadataText(program: string): string {
  return readFileSync(join(folder, `${program}.json`), 'utf8')
}

/** What the machine that runs all checks has; without one of these the tests fail there instead of being left out. */
const required = ['git', 'ls', 'cat', 'grep', 'find', 'curl', 'jq', 'tar', 'gh']

export function isMissing(program: string): boolean {
  if (process.env.CI && required.includes(program)) return false
  return !findProgram(program, '/', process.env.PATH).ok
}

/** Tests that start the program; left out, and named so, where it is not installed. */
export function describeProgram(program: string, tests: () => void): void {
  if (isMissing(program)) describe.skip(`${program}, which is not installed here`, tests)
  else describe(program, tests)
}

/** Nothing of the user's own configuration, and the same author at the same time in every run. */
const environments: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  git: {
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Ada',
    GIT_AUTHOR_EMAIL: 'ada@example.com',
    GIT_AUTHOR_DATE: '2024-01-01T00:00:00Z',
    GIT_COMMITTER_NAME: 'Ada',
    GIT_COMMITTER_EMAIL: 'ada@example.com',
    GIT_COMMITTER_DATE: '2024-01-01T00:00:00Z',
  },
  npm: { npm_config_userconfig: '/dev/null', npm_config_update_notifier: 'false' },
}

export interface ProgramsOptions extends Pick<LegworkOptions, 'approve' | 'policy'> {
  readonly env?: Readonly<Record<string, string>>
}

/** Programs as the configuration `"programs": {"git": {}}` gives them. */
export function openPrograms(
  workspace: string,
  names: readonly string[],
  { env = {}, ...options }: ProgramsOptions = {},
): Promise<Legwork> {
  const programs = Object.fromEntries(names.map((name) => [name, { env: { ...environments[name], ...env } }]))
  return openLegwork({ workspace, programs, ...options })
}

/** What a call printed, if it went well; else what went wrong, so that a failing test says it. */
export async function printed(legwork: Legwork, tool: string, input: object = {}): Promise<string> {
  const outcome = await legwork.call({ tool, input })
  return outcome.ok ? (outcome.process?.stdout ?? '') : `${outcome.code}: ${outcome.message}\n${outcome.text}`
}
