// From the input of a call to what a script gets: words on its command line, text on its standard input, variables, a
// working directory. The whole input goes to standard input as JSON, unless it says otherwise by the reserved keys alone, or
// the script declares its arguments.

import { existsSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { isObject } from '../base/json.ts'
import { didYouMean, nearest } from '../base/text.ts'
import type { Issue } from '../model/schema.ts'
import { type DeclaredArgument, type DeclaredArguments, namesPath } from './declared.ts'

export interface ScriptInput {
  readonly words: readonly string[]
  readonly stdin: string
  readonly env: Readonly<Record<string, string>>
  readonly cwd: 'skill' | 'workspace'
  /** The files and folders that it names. */
  readonly paths: readonly string[]
}

export type ReadInput =
  | { readonly ok: true; readonly input: ScriptInput }
  | { readonly ok: false; readonly issues: readonly Issue[] }

export interface InputCircumstances {
  readonly declared: DeclaredArguments | undefined
  /** The variables that the owner lets a call set. */
  readonly settable: readonly string[]
  /** Where files that an input names are. */
  readonly workspace: string
  readonly skillFolder: string
}

export function readInput(input: unknown, circumstances: InputCircumstances): ReadInput {
  if (isReserved(input)) return readReserved(input, circumstances)
  const { declared } = circumstances
  if (declared && isObject(input) && (Object.keys(input).length === 0 || declared.some(({ name }) => name in input))) {
    return readDeclared(declared, input, circumstances)
  }
  const { value, paths } = locateFiles(input, circumstances)
  return { ok: true, input: { ...nothing, stdin: JSON.stringify(value), paths } }
}

const nothing: ScriptInput = { words: [], stdin: '', env: {}, cwd: 'skill', paths: [] }

interface Reserved {
  readonly args?: readonly (string | number)[]
  readonly stdin?: string
  readonly env?: Readonly<Record<string, string | number | boolean>>
  readonly cwd?: 'skill' | 'workspace'
}

const reservedTypes: { readonly [Key in keyof Reserved]-?: (value: unknown) => boolean } = {
  args: (value) => Array.isArray(value) && value.every((word) => typeof word === 'string' || typeof word === 'number'),
  stdin: (value) => typeof value === 'string',
  env: (value) =>
    isObject(value) && Object.values(value).every((text) => ['string', 'number', 'boolean'].includes(typeof text)),
  cwd: (value) => value === 'skill' || value === 'workspace',
}

/** They count only where there is no other key and each has its type. */
function isReserved(input: unknown): input is Reserved {
  if (!isObject(input)) return false
  const keys = Object.keys(input)
  return keys.length > 0 && keys.every((key) => isReservedKey(key) && reservedTypes[key](input[key]))
}

function isReservedKey(key: string): key is keyof Reserved {
  return Object.hasOwn(reservedTypes, key)
}

function readReserved(
  { args = [], stdin = '', env = {}, cwd = 'skill' }: Reserved,
  circumstances: InputCircumstances,
): ReadInput {
  const issues = [
    ...Object.keys(env).flatMap((name) => variableIssue(name, circumstances.settable)),
    ...nulIssues(args),
  ]
  if (issues.length) return { ok: false, issues }
  const paths: string[] = []
  const words = args.map((given) => {
    const word = String(given)
    const located =
      cwd === 'skill' && /[./]/.test(word) && !word.startsWith('-') ? existingFile(word, circumstances) : undefined
    if (located !== undefined) paths.push(located)
    return located ?? word
  })
  const variables = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)]))
  return { ok: true, input: { words, stdin, env: variables, cwd, paths } }
}

/** Variables that decide what is run and how: no call may set them, whatever the owner lists. */
const untouchable =
  /^(PATH|HOME|BASH_ENV|ENV|IFS|LD_.*|DYLD_.*|PYTHON.*|NODE_.*|PERL5?.*|RUBY.*|GEM_.*|SKILL_.*|SKILLKIT_.*)$/i

function variableIssue(name: string, settable: readonly string[]): readonly Issue[] {
  if (settable.includes(name) && !untouchable.test(name)) return []
  const message = `The variable "${name}" may not be set by a call. The owner of the skill lists those that may, in "env".`
  return [{ path: `env.${name}`, code: 'INVALID_VALUE', message }]
}

function nulIssues(words: readonly (string | number)[]): readonly Issue[] {
  return words.flatMap((word, at) => {
    if (!String(word).includes('\0')) return []
    return [
      {
        path: `args[${at}]`,
        code: 'INVALID_VALUE',
        message: 'It holds a NUL character, which no program can be given.',
      } as const,
    ]
  })
}

/** Options first, then positionals. A value that begins with `-` never becomes a flag. */
function readDeclared(
  declared: DeclaredArguments,
  input: Readonly<Record<string, unknown>>,
  circumstances: InputCircumstances,
): ReadInput {
  const issues: Issue[] = []
  const paths: string[] = []
  const options: string[] = []
  const positionals: string[] = []
  const names = declared.map(({ name }) => name)
  for (const key of Object.keys(input)) {
    if (names.includes(key)) continue
    const message = `There is no parameter "${key}".${didYouMean(nearest(key, names, 2))}`
    issues.push({ path: key, code: 'UNKNOWN_PARAMETER', message })
  }
  for (const argument of declared) {
    const given = input[argument.name]
    if (given === undefined || given === null) {
      if (argument.isRequired) {
        issues.push({ path: argument.name, code: 'MISSING_REQUIRED', message: `"${argument.name}" is required.` })
      }
      continue
    }
    const values = (Array.isArray(given) ? given : [given]).map((value) => {
      const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
      const located = argument.isPath ? locatedPath(text, circumstances) : undefined
      if (located !== undefined) paths.push(located)
      return located ?? text
    })
    if (values.some((value) => value.includes('\0')))
      issues.push(...nulIssues(values).map((issue) => ({ ...issue, path: argument.name })))
    if (argument.flag === undefined) positionals.push(...values)
    else options.push(...optionWords(argument, given, values))
  }
  if (issues.length) return { ok: false, issues }
  const needsEnd = positionals.some((word) => word.startsWith('-') && word !== '-')
  const words = [...options, ...(needsEnd ? ['--'] : []), ...positionals]
  return { ok: true, input: { ...nothing, words, paths } }
}

function optionWords(
  { flag = '', type, isList }: DeclaredArgument,
  given: unknown,
  values: readonly string[],
): readonly string[] {
  if (type === 'boolean') return given === true ? [flag] : []
  if (isList && !values.some((value) => value.startsWith('-'))) return values.length ? [flag, ...values] : []
  const isLong = flag.startsWith('--')
  return values.flatMap((value) =>
    value.startsWith('-') ? [isLong ? `${flag}=${value}` : `${flag}${value}`] : [flag, value],
  )
}

/** Keys that speak of files lead to the workspace's, where there are such. Everything else is passed on untouched. */
function locateFiles(input: unknown, circumstances: InputCircumstances): { value: unknown; paths: readonly string[] } {
  if (!isObject(input)) return { value: input, paths: [] }
  const paths: string[] = []
  const entries = Object.entries(input).map(([key, value]) => {
    const located = typeof value === 'string' && namesPath(key) ? existingFile(value, circumstances) : undefined
    if (located !== undefined) paths.push(located)
    return [key, located ?? value] as const
  })
  return paths.length ? { value: Object.fromEntries(entries), paths } : { value: input, paths }
}

/** A relative path that is there in the workspace and not in the skill, in full. */
function existingFile(path: string, { workspace, skillFolder }: InputCircumstances): string | undefined {
  if (!isRelativePath(path)) return undefined
  const place = resolve(workspace, path)
  return existsSync(place) && !existsSync(resolve(skillFolder, path)) ? place : undefined
}

/** Where the script says that it takes a path: the workspace's, unless only the skill has it. */
function locatedPath(path: string, { workspace, skillFolder }: InputCircumstances): string | undefined {
  if (!isRelativePath(path)) return undefined
  const place = resolve(workspace, path)
  return existsSync(place) || !existsSync(resolve(skillFolder, path)) ? place : undefined
}

function isRelativePath(path: string): boolean {
  return path !== '' && path.length < 4_096 && !isAbsolute(path) && !/^-|^~|^\w+:|[\0\n]/.test(path)
}
