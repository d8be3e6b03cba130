// From a flattened name back to the command, through the index that flattening made. A name is never taken apart for it:
// `my_tool_run` may be the command `run` of `my_tool` or the command `tool run` of `my`.

import { nearest } from '../base/text.ts'
import { checkMetadata } from './check-metadata.ts'
import { type CommandMapping, defaultSeparator, flatten } from './commands.ts'
import { UnknownCommandError } from './errors.ts'
import type { AtipCommand, AtipTool, ProgramMetadata } from './metadata.ts'

/** The command of that name; throws `UnknownCommandError` for a name that no command has. */
export function mapToCommand(name: string, tools: readonly AtipTool[], separator = defaultSeparator): CommandMapping {
  const index = indexOf(tools, separator)
  const mapping = index.get(name)
  if (mapping) return mapping
  throw new UnknownCommandError(name, nearest(name, index.keys()))
}

/**
 * The parts of a flattened name. With the tools they are the true ones, undefined for a name that no command has; with a
 * separator alone the text is split, which is wrong for every name that has the separator in it.
 */
export function unflattenName(name: string, separator?: string): readonly string[]
export function unflattenName(
  name: string,
  tools: readonly AtipTool[],
  separator?: string,
): readonly string[] | undefined
export function unflattenName(
  name: string,
  by: string | readonly AtipTool[] = defaultSeparator,
  separator = defaultSeparator,
): readonly string[] | undefined {
  if (typeof by === 'string') return by === '' ? [name] : name.split(by)
  const mapping = indexOf(by, separator).get(name)
  return mapping && [mapping.toolName, ...mapping.path]
}

/** The command at the end of a path, groups included; undefined where there is none. No words mean the program itself. */
export function findCommand(tool: AtipTool, path: readonly string[]): AtipCommand | undefined {
  const checked = checkMetadata(tool)
  if (!checked.ok) return undefined
  let commands: ProgramMetadata['commands'] | undefined = checked.metadata.commands
  let command: AtipCommand | undefined
  for (const word of path.length ? path : ['']) {
    command = commands && Object.hasOwn(commands, word) ? commands[word] : undefined
    commands = command?.commands
  }
  return command
}

/** The flattened names of all commands that can be run. */
export function getAvailableCommands(
  tools: AtipTool | readonly AtipTool[],
  separator = defaultSeparator,
): readonly string[] {
  return [...indexOf(isOne(tools) ? [tools] : tools, separator).keys()]
}

interface Indexed {
  readonly amount: number
  readonly index: ReadonlyMap<string, CommandMapping>
}

const indexes = new WeakMap<readonly AtipTool[], Map<string, Indexed>>()

/**
 * Made once for each list, and again when the list has grown or shrunk, so that a name is found in constant time. Whoever
 * exchanges tools inside a list hands over another list. Tools that are not valid have no commands.
 */
function indexOf(tools: readonly AtipTool[], separator: string): ReadonlyMap<string, CommandMapping> {
  const bySeparator = indexes.get(tools) ?? new Map<string, Indexed>()
  indexes.set(tools, bySeparator)
  const known = bySeparator.get(separator)
  if (known?.amount === tools.length) return known.index
  const checked = tools.map((tool) => checkMetadata(tool))
  const index = flatten(
    checked.flatMap((check) => (check.ok ? [check.metadata] : [])),
    separator,
  )
  bySeparator.set(separator, { amount: tools.length, index })
  return index
}

function isOne(tools: AtipTool | readonly AtipTool[]): tools is AtipTool {
  return !Array.isArray(tools)
}
