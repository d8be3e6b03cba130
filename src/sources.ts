// The sources that a configuration names. A fault in one takes that one out, with a warning; the rest are there.

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { configuredModel } from './adapters/configured.ts'
import type { LoadedConfiguration } from './configuration/load.ts'
import { childEnvironment } from './configuration/secrets.ts'
import type { Files } from './contract/files.ts'
import { contractSource } from './contract/source.ts'
import { documentSource } from './document/tool-source.ts'
import { functionModuleSource } from './function/source.ts'
import { moduleNames } from './mcp/module-names.ts'
import { oauthProvider } from './mcp/oauth.ts'
import { hasAuthorisationHeader } from './mcp/oauth-status.ts'
import { lockPins } from './mcp/pins.ts'
import { createPins } from './mcp/pins-file.ts'
import type { McpSettings } from './mcp/settings.ts'
import { mcpSource } from './mcp/source.ts'
import type { Source } from './model/tool.ts'
import type { LearningRedactor } from './outcome/learning-redactor.ts'
import { type ProgramSourceOptions, programSource } from './program/source.ts'
import { journalFiles } from './settings.ts'
import { type SkillPlace, usualPlaces } from './skill/discover.ts'
import type { SkillSettings } from './skill/settings.ts'
import { skillsSource } from './skill/source.ts'

/** The redactor takes secrets out of what is written beside the configuration, and hears of those that come later. */
export function sourcesOf(loaded: LoadedConfiguration, redactor: LearningRedactor): readonly Source[] {
  const { functions = [], programs = {}, mcpServers = {} } = loaded.configuration
  const pins = lockPins({ path: lockFile(loaded), hide: redactor.value })
  // There before anything runs that could put one of its own in its place.
  if (Object.values(mcpServers).some(({ legwork }) => legwork?.pin !== 'off')) createPins(lockFile(loaded))
  const modules = moduleNames(Object.keys(mcpServers))
  const server = (name: string) =>
    mcpSource(name, { ...mcpSettings(name, loaded, redactor.learn), pins, module: modules.get(name) })
  return [
    ...functions.map((path) => functionModuleSource(`functions ${path}`, resolve(loaded.folder, path))),
    ...Object.keys(programs).map((name) => programSource(name, programOptions(name, loaded))),
    ...Object.keys(mcpServers).map(server),
    ...skillSources(skillPlaces(loaded)),
    ...contractSources(loaded),
    ...documentSources(loaded, redactor),
  ]
}

function contractSources(loaded: LoadedConfiguration): readonly Source[] {
  const { contracts: patterns = [] } = loaded.configuration
  return patterns.length ? [contractSource({ folder: loaded.folder, patterns, files: contractFiles(loaded) })] : []
}

/** Without a model in the configuration, variables are found in what the caller says of them by name. */
function documentSources(loaded: LoadedConfiguration, redactor: LearningRedactor): readonly Source[] {
  const { documents: patterns = [], model } = loaded.configuration
  const byModel = configuredModel(model, redactor)
  return patterns.length ? [documentSource({ folder: loaded.folder, patterns, ...byModel })] : []
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

/** No source where there is nowhere to look: it would have to be asked whenever a name is not found. */
function skillSources(places: readonly SkillPlace<SkillSettings>[]): readonly Source[] {
  return places.length ? [skillsSource(places)] : []
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
function configurationFiles(loaded: LoadedConfiguration): readonly string[] {
  const lock = lockFile(loaded)
  return [...(loaded.file === undefined ? [] : [loaded.file]), ...(existsSync(lock) ? [lock] : [])]
}

/** Where the descriptions of MCP servers are pinned. */
export function lockFile({ folder }: LoadedConfiguration): string {
  return join(folder, 'legwork.lock')
}

/** What the configuration says of one MCP server. */
export function mcpSettings(
  name: string,
  loaded: LoadedConfiguration,
  onSecret?: (value: string) => void,
): McpSettings {
  const {
    command,
    args,
    env,
    cwd,
    url = '',
    headers,
    type,
    legwork = {},
  } = loaded.configuration.mcpServers?.[name] ?? {}
  const { oauth: _, ...own } = legwork
  const provider = () => oauthProvider({ server: name, url, ...oauthClient(name, loaded), onSecret })
  const authProvider = hasAuthorisationHeader({ url, headers }) ? undefined : provider
  const transport = type === 'sse' ? ('sse' as const) : undefined
  const place = command === undefined ? { url, headers, transport, authProvider } : { command, args, env, cwd }
  const guarded = { hidden: journalFiles(loaded), readOnly: configurationFiles(loaded) }
  return { ...place, ...own, ...guarded, workspace: loaded.folder }
}

/** Who Legwork is to a remote server, where its owner has said so. */
export function oauthClient(name: string, loaded: LoadedConfiguration) {
  const {
    clientId: id,
    clientSecret: secret,
    clientMetadataUrl,
  } = loaded.configuration.mcpServers?.[name]?.legwork?.oauth ?? {}
  return {
    ...(id !== undefined && { client: { id, ...(secret !== undefined && { secret }) } }),
    ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
  }
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
