// The MCP clients that Legwork knows: where each keeps its servers, and how an entry looks there.

import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { FileError } from '../file-error.ts'

export interface Client {
  readonly id: ClientId
  readonly title: string
  /** Whether its file belongs to one project, or to everything its user does. */
  readonly scope: 'project' | 'user'
  readonly format: 'json' | 'toml'
  /** The key that holds the servers. */
  readonly key: string
  readonly file: (places: ClientPlaces) => string
  /** What goes into an entry besides the command. */
  readonly extra?: Readonly<Record<string, string>>
  /** What it fills in for the folder of its project, in the entries of that project. Default: it has no such word. */
  readonly projectWord?: string
}

export interface ClientPlaces {
  readonly project: string
  readonly home: string
  readonly platform: NodeJS.Platform
  readonly appData: string | undefined
}

export const clientIds = ['claude-code', 'cursor', 'vscode', 'claude-desktop', 'codex'] as const
export type ClientId = (typeof clientIds)[number]

export const clients: readonly Client[] = [
  {
    id: 'claude-code',
    title: 'Claude Code',
    scope: 'project',
    format: 'json',
    key: 'mcpServers',
    file: ({ project }) => join(project, '.mcp.json'),
  },
  {
    id: 'cursor',
    title: 'Cursor',
    scope: 'project',
    format: 'json',
    key: 'mcpServers',
    projectWord: '${workspaceFolder}',
    file: ({ project }) => join(project, '.cursor/mcp.json'),
  },
  {
    id: 'vscode',
    title: 'VS Code',
    scope: 'project',
    format: 'json',
    key: 'servers',
    extra: { type: 'stdio' },
    projectWord: '${workspaceFolder}',
    file: ({ project }) => join(project, '.vscode/mcp.json'),
  },
  {
    id: 'claude-desktop',
    title: 'Claude Desktop',
    scope: 'user',
    format: 'json',
    key: 'mcpServers',
    file: desktopFile,
  },
  {
    id: 'codex',
    title: 'Codex',
    scope: 'user',
    format: 'toml',
    key: 'mcp_servers',
    file: ({ home }) => join(home, '.codex/config.toml'),
  },
]

/** No client's file is larger. */
export const maxClientFileBytes = 4 * 1_048_576

export function clientPlaces(project: string): ClientPlaces {
  const home = homedir()
  if (!isAbsolute(home)) {
    throw new FileError(`HOME is "${home}", so it is not known where your files are. Set it to your home folder.`)
  }
  return { project, home, platform: process.platform, appData: process.env.APPDATA }
}

function desktopFile({ home, platform, appData }: ClientPlaces): string {
  const name = 'Claude/claude_desktop_config.json'
  if (platform === 'darwin') return join(home, 'Library/Application Support', name)
  if (platform === 'win32') return join(appData ?? join(home, 'AppData/Roaming'), name)
  return join(home, '.config', name)
}
