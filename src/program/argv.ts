// From a valid input to the command line. Nothing that an input holds can become an option that was not asked for.

import type { Issue } from '../model/schema.ts'
import type { ProgramArgument, ProgramCommand, ProgramOption } from './metadata.ts'

export type BuiltArgv =
  | { readonly ok: true; readonly argv: readonly string[]; readonly given: readonly ProgramOption[] }
  | { readonly ok: false; readonly issues: readonly Issue[] }

/** Program and command, then options, then positional arguments. */
export function buildArgv(
  start: readonly string[],
  command: ProgramCommand,
  input: Readonly<Record<string, unknown>>,
  endOfOptions: boolean,
): BuiltArgv {
  const issues: Issue[] = []
  const given = (command.options ?? []).filter(({ name }) => input[name] !== undefined && input[name] !== false)
  const options = given.flatMap((option) => optionWords(option, input[option.name]))
  const positionals = (command.arguments ?? []).flatMap((argument) =>
    positionalWords(argument, input, endOfOptions, issues),
  )
  const argv = [...start, ...options, ...(endOfOptions && positionals.length ? ['--'] : []), ...positionals]
  const nul = argv.find((word) => word.includes('\0'))
  if (nul !== undefined)
    issues.push({ path: '', code: 'INVALID_VALUE', message: 'A NUL character cannot be passed on.' })
  return issues.length ? { ok: false, issues } : { ok: true, argv, given }
}

/** `--name=value`, so that a value that begins with a dash stays a value; a short flag takes it in the same word. */
function optionWords(option: ProgramOption, value: unknown): string[] {
  const flag = option.flags.find((text) => text.startsWith('--')) ?? option.flags[0] ?? ''
  if (value === true) return [flag]
  return listOf(value).map((item) => (flag.startsWith('--') ? `${flag}=${item}` : `${flag}${item}`))
}

function positionalWords(
  { name }: ProgramArgument,
  input: Readonly<Record<string, unknown>>,
  endOfOptions: boolean,
  issues: Issue[],
): string[] {
  if (input[name] === undefined) return []
  const words = listOf(input[name]).map(String)
  const dashed = words.find((word) => word.startsWith('-') && word !== '-')
  if (dashed !== undefined && !endOfOptions) {
    const message = `"${dashed}" begins with "-" and would be read as an option. Write "./${dashed}" for a file of that name.`
    issues.push({ path: name, code: 'INVALID_VALUE', message })
  }
  return words
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value]
}
