// The MCP servers that a configuration names, with what is kept of each: its pins, its authorisation.

import type { LoadedConfiguration } from './configuration/load.ts'
import { moduleNames } from './mcp/module-names.ts'
import { oauthProvider } from './mcp/oauth.ts'
import { hasAuthorisationHeader } from './mcp/oauth-status.ts'
import { lockPins } from './mcp/pins.ts'
import { createPins } from './mcp/pins-file.ts'
import type { McpSettings } from './mcp/settings.ts'
import { mcpSource } from './mcp/source.ts'
import type { Source } from './model/tool.ts'
import type { LearningRedactor } from './outcome/learning-redactor.ts'
import { journalFiles } from './settings.ts'
import { configurationFiles, lockFile } from './sources.ts'

export function mcpSources(loaded: LoadedConfiguration, redactor: LearningRedactor): readonly Source[] {
  const { mcpServers = {} } = loaded.configuration
  const pins = lockPins({ path: lockFile(loaded), hide: redactor.value })
  // There before anything runs that could put one of its own in its place.
  if (Object.values(mcpServers).some(({ legwork }) => legwork?.pin !== 'off')) createPins(lockFile(loaded))
  const modules = moduleNames(Object.keys(mcpServers))
  return Object.keys(mcpServers).map((name) => {
    const settings = mcpSettings(name, loaded, redactor.learn)
    return mcpSource(name, { ...settings, pins, module: modules.get(name), hide: redactor.known })
  })
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
  return { ...place, ...own, ...guarded, workspace: loaded.folder, configuration: loaded.file }
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
