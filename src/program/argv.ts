// From arguments to the command line. Nothing that an argument holds can become an option that was not asked for.

import type { Issue } from '../model/schema.ts'
import type { CommandMapping } from './commands.ts'
import { ArgumentValidationError } from './errors.ts'
import type { AtipArgument, AtipOption } from './metadata.ts'
import { parametersOf } from './schema.ts'

export type Arguments = Readonly<Record<string, unknown>>

export type BuiltArgv =
  | {
      readonly ok: true
      /** The words after the program: global options, the command, its options, its positional arguments. */
      readonly words: readonly string[]
      /** The same without the global options. */
      readonly commandWords: readonly string[]
      /** The options that were given. */
      readonly given: readonly AtipOption[]
    }
  | { readonly ok: false; readonly issues: readonly Issue[] }

/** `["gh", "pr", "create"]` from a name and a path; the whole command line from a mapping and arguments. */
export function buildCommandArray(toolName: string, path: readonly string[]): readonly string[]
export function buildCommandArray(mapping: CommandMapping, args: Arguments): readonly string[]
export function buildCommandArray(
  from: string | CommandMapping,
  rest: readonly string[] | Arguments,
): readonly string[] {
  if (typeof from === 'string') return [from, ...(rest as readonly string[])]
  const built = buildArgv(from, rest as Arguments)
  if (!built.ok) throw new ArgumentValidationError(from.name, built.issues)
  return [from.toolName, ...built.words]
}

/** The positional arguments in the order of the schema, a variadic one as several words. */
export function buildArguments(args: Arguments, schema: readonly AtipArgument[]): readonly string[] {
  return orThrow('arguments', (issues) => positionalWords(args, schema, false, issues))
}

/** The options that are given, in the order of the schema. */
export function buildOptions(args: Arguments, schema: readonly AtipOption[]): readonly string[] {
  return orThrow('options', (issues) => schema.flatMap((option) => optionWords(option, own(args, option.name), issues)))
}

/** `--flag=value`, or `--flag` alone for what is true, or nothing for what is false. */
export function formatOptionFlag(option: AtipOption, value: unknown): readonly string[] {
  return orThrow(option.name, (issues) => optionWords(option, value, issues))
}

/** The words that come before positional arguments to end the options; undefined where nothing does. */
export function endOfOptionsOf({ tool, command }: CommandMapping): string | undefined {
  const said = command['x-endOfOptions'] ?? tool['x-endOfOptions']
  return said === true ? '--' : said || undefined
}

export function buildArgv(mapping: CommandMapping, args: Arguments): BuiltArgv {
  const issues: Issue[] = []
  const { positionals, options, globals } = parametersOf(mapping)
  const wordsOf = (list: readonly AtipOption[]) =>
    list.flatMap((option) => optionWords(option, own(args, option.name), issues))
  const globalWords = wordsOf(globals)
  const given = wordsOf(options)
  const isFirst = mapping.command['x-positionalsFirst'] === true
  const marker = isFirst ? undefined : endOfOptionsOf(mapping)
  const last = positionalWords(args, positionals, marker !== undefined, issues)
  const ended = marker !== undefined && last.length ? [marker, ...last] : last
  const commandWords = [...mapping.path, ...(isFirst ? [...ended, ...given] : [...given, ...ended])]
  if (issues.length) return { ok: false, issues }
  return {
    ok: true,
    words: [...globalWords, ...commandWords],
    commandWords,
    given: [...globals, ...options].filter(({ name }) => isGiven(own(args, name))),
  }
}

function orThrow(name: string, build: (issues: Issue[]) => string[]): readonly string[] {
  const issues: Issue[] = []
  const words = build(issues)
  if (issues.length) throw new ArgumentValidationError(name, issues)
  return words
}

function own(args: Arguments, name: string): unknown {
  return Object.hasOwn(args, name) ? args[name] : undefined
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false
}

/** The value stands in the flag's own word, so that one that begins with a dash stays a value. */
function optionWords(option: AtipOption, value: unknown, issues: Issue[]): string[] {
  if (!isGiven(value)) return []
  const { name, type } = option
  const flag = option.flags.find((text) => text.startsWith('--')) ?? option.flags[0] ?? ''
  if (type === 'boolean') return value === true ? [flag] : refuse(issues, name, `"${name}" must be true or false.`)
  return textsOf(value, name, issues).flatMap((text) => {
    if (option['x-separateValue']) return [flag, text]
    if (/^-[^-]./.test(flag)) return isDashed(text) ? refuse(issues, name, dashed(text)) : [flag, text]
    if (flag.startsWith('--')) return [`${flag}=${text}`]
    // Without a value in it, a short flag would take the next word for one.
    return text === '' ? refuse(issues, name, `"${name}" cannot be empty.`) : [`${flag}${text}`]
  })
}

function positionalWords(
  args: Arguments,
  schema: readonly AtipArgument[],
  areProtected: boolean,
  issues: Issue[],
): string[] {
  return schema.flatMap(({ name }) => {
    const value = own(args, name)
    const texts = value === undefined || value === null ? [] : textsOf(value, name, issues)
    const wrong = areProtected ? undefined : texts.find(isDashed)
    return wrong === undefined ? texts : refuse(issues, name, dashed(wrong))
  })
}

/** The values as words; only texts, numbers and truth values can be some. */
function textsOf(value: unknown, name: string, issues: Issue[]): string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  return list.flatMap((item) => {
    if (typeof item !== 'string' && typeof item !== 'number' && typeof item !== 'boolean') {
      return refuse(issues, name, `"${name}" must be a text or a number.`, 'INVALID_TYPE')
    }
    const text = String(item)
    return text.includes('\0')
      ? refuse(issues, name, `"${name}" holds a NUL character, which cannot be passed on.`)
      : [text]
  })
}

function isDashed(text: string): boolean {
  return text.startsWith('-') && text !== '-'
}

function dashed(text: string): string {
  const short = text.length > 60 ? `${text.slice(0, 60)}…` : text
  return `"${short}" begins with "-" and would be read as an option. Write "./${short}" for a file of that name.`
}

function refuse(issues: Issue[], path: string, message: string, code: Issue['code'] = 'INVALID_VALUE'): [] {
  issues.push({ path, code, message })
  return []
}
