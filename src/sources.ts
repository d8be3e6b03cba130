// The sources that a configuration names. A fault in one takes that one out, with a warning; the rest are there.

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { configuredModel } from './adapters/configured.ts'
import type { LoadedConfiguration } from './configuration/load.ts'
import { childEnvironment } from './configuration/secrets.ts'
import type { Files } from './contract/files.ts'
import { functionModuleSource } from './function/source.ts'
import type { Source } from './model/tool.ts'
import type { LearningRedactor } from './outcome/learning-redactor.ts'
import type { ProgramSourceOptions } from './program/source.ts'
import { journalFiles } from './settings.ts'
import { type SkillPlace, usualPlaces } from './skill/discover.ts'
import type { SkillSettings } from './skill/settings.ts'

/**
 * The redactor takes secrets out of what is written beside the configuration, and hears of those that come later. A system is loaded
 * only where the configuration names something of it: most of a start is spent on loading.
 */
export async function sourcesOf(loaded: LoadedConfiguration, redactor: LearningRedactor): Promise<readonly Source[]> {
  const { functions = [], programs = {}, mcpServers = {}, contracts = [], documents = [], model } = loaded.configuration
  // First, since it makes the file that is then guarded from all the others.
  const servers = Object.keys(mcpServers).length
    ? (await import('./server-sources.ts')).mcpSources(loaded, redactor)
    : []
  const sources: Source[] = functions.map((path) =>
    functionModuleSource(`functions ${path}`, resolve(loaded.folder, path)),
  )
  if (Object.keys(programs).length) {
    const { programSource } = await import('./program/source.ts')
    sources.push(...Object.keys(programs).map((name) => programSource(name, programOptions(name, loaded))))
  }
  sources.push(...servers)
  // No source where there is nowhere to look: it would have to be asked whenever a name is not found.
  const places = skillPlaces(loaded)
  if (places.length) sources.push((await import('./skill/source.ts')).skillsSource(places))
  if (contracts.length) {
    const { contractSource } = await import('./contract/source.ts')
    sources.push(contractSource({ folder: loaded.folder, patterns: contracts, files: contractFiles(loaded) }))
  }
  if (documents.length) {
    const { documentSource } = await import('./document/tool-source.ts')
    // Without a model in the configuration, variables are found in what the caller says of them by name.
    const byModel = configuredModel(model, redactor)
    sources.push(documentSource({ folder: loaded.folder, patterns: documents, ...byModel }))
  }
  return sources
}

/** What contracts may touch: the workspace, without what no tool may see or change. */
export function contractFiles(loaded: LoadedConfiguration): Files {
  const { folder, configuration } = loaded
  const { functions = [], programs = {}, contracts = [], documents = [] } = configuration
  const programFiles = Object.values(programs).flatMap(({ command, metadata }) =>
    [command, metadata].filter((path) => typeof path === 'string'),
  )
  const modules = [...functions, ...programFiles].map((path) => resolve(folder, path))
  return {
    root: folder,
    hidden: journalFiles(loaded),
    readOnly: [...configurationFiles(loaded), ...modules],
    readOnlyPatterns: { folder, patterns: [...contracts, ...documents, '**/legwork.{jsonc,json,lock}'] },
  }
}

/** Where skills are looked for: what the configuration names, then the usual places that exist. */
export function skillPlaces(loaded: LoadedConfiguration): readonly SkillPlace<SkillSettings>[] {
  const common = { workspace: loaded.folder, hidden: journalFiles(loaded), readOnly: configurationFiles(loaded) }
  const named = (loaded.configuration.skills ?? []).map((folder) => {
    const { path, env = [], workspace, ...said } = typeof folder === 'string' ? { path: folder } : folder
    const settings = {
      ...said,
      ...common,
      ...(workspace && { workspaceAccess: workspace }),
      env: childEnvironment(env, process.env),
      settable: Array.isArray(env) ? env : [],
    }
    return { path: resolve(loaded.folder, path), settings, isNamed: true }
  })
  const usual = usualPlaces(loaded.folder).filter((path) => existsSync(path))
  return [...named, ...usual.map((path) => ({ path, settings: common, isNamed: false }))]
}

/** A tool that could write these could give itself any right. */
export function configurationFiles(loaded: LoadedConfiguration): readonly string[] {
  const lock = lockFile(loaded)
  return [...(loaded.file === undefined ? [] : [loaded.file]), ...(existsSync(lock) ? [lock] : [])]
}

/** Where the descriptions of MCP servers are pinned. */
export function lockFile({ folder }: LoadedConfiguration): string {
  return join(folder, 'legwork.lock')
}

/** What the configuration says of one program. */
export function programOptions(name: string, loaded: LoadedConfiguration): ProgramSourceOptions {
  const { env = [], ...said } = loaded.configuration.programs?.[name] ?? {}
  return {
    ...said,
    workspace: loaded.folder,
    hidden: journalFiles(loaded),
    readOnly: configurationFiles(loaded),
    env: childEnvironment(env, process.env),
  }
}
