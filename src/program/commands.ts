// The commands of programs, flattened: each with its words, what every level says of its effects, and one name.

import type { Effects } from '../model/effects.ts'
import { spell } from '../model/name.ts'
import type { AtipCommand, ProgramMetadata } from './metadata.ts'

/** One command that can be run, and where it stands in its program. */
export interface CommandMapping {
  /** The flattened name, such as `gh_pr_create`. */
  readonly name: string
  readonly toolName: string
  /** The words after the program's name, such as `["pr", "create"]`. */
  readonly path: readonly string[]
  readonly tool: ProgramMetadata
  readonly command: AtipCommand
  /** What each level says of the effects, the program first. */
  readonly levels: readonly Effects[]
}

export const defaultSeparator = '_'

type Unnamed = Omit<CommandMapping, 'name'>

/** Every command of one program that can be run, the program itself included. */
export function commandsOf(tool: ProgramMetadata): readonly Unnamed[] {
  const found: Unnamed[] = []
  const visit = (commands: ProgramMetadata['commands'], path: readonly string[], above: readonly Effects[]) => {
    for (const word of Object.keys(commands)) {
      const command = commands[word]
      if (!command) continue
      const words = word === '' ? path : [...path, word]
      const levels = command.effects ? [...above, command.effects] : above
      const isGroup = command.commands && !command.arguments && !command.options
      if (!isGroup) found.push({ toolName: tool.name, path: words, tool, command, levels })
      if (command.commands) visit(command.commands, words, levels)
    }
  }
  visit(tool.commands, [], tool.effects ? [tool.effects] : [])
  return found
}

/** All commands of all programs by their flattened names. Of two that would have one name, the second gets a suffix of its own. */
export function flatten(
  tools: readonly ProgramMetadata[],
  separator = defaultSeparator,
): ReadonlyMap<string, CommandMapping> {
  const byPlainName = new Map<string, Unnamed[]>()
  for (const tool of tools) {
    for (const command of commandsOf(tool)) {
      const plain = plainName(command, separator)
      const same = byPlainName.get(plain)
      if (same) same.push(command)
      else byPlainName.set(plain, [command])
    }
  }
  const index = new Map<string, CommandMapping>()
  const later: Unnamed[] = []
  for (const [plain, commands] of byPlainName) {
    const [first, ...others] = commands.length > 1 ? inOrder(commands) : commands
    if (first) index.set(plain, { ...first, name: plain })
    later.push(...others)
  }
  for (const command of later) {
    const name = spell('program', toolNameOf(command), (text) => index.has(text)).spellings.provider
    index.set(name, { ...command, name })
  }
  return index
}

/** The commands whose spellings could clash with a command's own: those that differ only in case and separators. */
export function groupsOf(
  index: ReadonlyMap<string, CommandMapping>,
): (mapping: CommandMapping) => readonly CommandMapping[] {
  let groups: Map<string, CommandMapping[]> | undefined
  return (mapping) => {
    groups ??= Map.groupBy(index.values(), folded)
    return groups.get(folded(mapping)) ?? [mapping]
  }
}

/** Letters outside ASCII are spelled in others before they are compared. */
function folded(mapping: CommandMapping): string {
  const text = `${mapping.toolName}${mapping.path.join('')}`
  const ascii = /^[\x00-\x7f]*$/.test(text) ? text : spell('program', toolNameOf(mapping), () => false).spellings.id
  return ascii.toLowerCase().replace(/[^a-z0-9]/g, '')
}

/** The name of the command in the author's own letters. */
export function toolNameOf({ toolName, path }: Unnamed): { module?: string; path: readonly string[] } {
  return path.length ? { module: toolName, path } : { path: [toolName] }
}

/** With the usual separator the name is the one that model providers are given. */
function plainName(command: Unnamed, separator: string): string {
  const joined = command.path.length
    ? `${command.toolName}${separator}${command.path.join(separator)}`
    : command.toolName
  if (separator !== defaultSeparator || /^[\w-]{1,64}$/.test(joined)) return joined
  return spell('program', toolNameOf(command), () => false).spellings.provider
}

/** By their words, so that the order in which they are listed does not show. */
function inOrder(commands: readonly Unnamed[]): Unnamed[] {
  const key = ({ toolName, path }: Unnamed) => [toolName, ...path].join('\0')
  return commands.toSorted((one, other) => (key(one) < key(other) ? -1 : 1))
}
