// Checks arguments against metadata, one by one and at once: the same answers as the schema of the command gives on the one
// path, for those who only want to ask.

import { isObject, type Json } from '../base/json.ts'
import { didYouMean, nearest } from '../base/text.ts'
import type { IssueCode } from '../model/schema.ts'
import { coerce } from '../validate/coerce.ts'
import { describe, preview } from '../validate/path.ts'
import { type Arguments, buildArgv } from './argv.ts'
import type { CommandMapping } from './commands.ts'
import { type AtipArgument, type AtipOption, type AtipParameter, isList, type ParameterType } from './metadata.ts'
import { parameterSchema, parametersOf } from './schema.ts'

export interface ParameterIssue {
  /** The parameter; empty for the arguments as a whole. */
  readonly path: string
  readonly code: IssueCode | 'DEPRECATED'
  readonly message: string
}

export interface ParameterValidation {
  readonly valid: boolean
  /** The value with its type put right; undefined where it was left out. */
  readonly value: unknown
  readonly errors: readonly ParameterIssue[]
  readonly warnings: readonly ParameterIssue[]
}

export interface ValidationResult {
  readonly valid: boolean
  readonly errors: readonly ParameterIssue[]
  readonly warnings: readonly ParameterIssue[]
  /** The arguments with their types put right, without those that are unknown or left out. */
  readonly arguments: Arguments
}

/** All the faults at once. Unknown and deprecated parameters are warnings. */
export function validateToolCall(call: { readonly arguments?: unknown }, mapping: CommandMapping): ValidationResult {
  const given = call.arguments ?? {}
  if (!isObject(given)) return refusal('INVALID_TYPE', `The arguments must be an object, but are ${describe(given)}.`)
  const { positionals, options, globals } = parametersOf(mapping)
  const flagged = [...options, ...globals]
  const checks = [
    ...positionals.map((argument) => [argument.name, validateArgument(own(given, argument.name), argument)] as const),
    ...flagged.map((option) => [option.name, validateOption(own(given, option.name), option)] as const),
  ]
  const errors = checks.flatMap(([, { errors: found }]) => found)
  const warnings = [
    ...commandWarnings(mapping),
    ...unknownParameters(given, new Set(checks.map(([name]) => name))),
    ...checks.flatMap(([, { warnings: found }]) => found),
  ]
  const values = Object.fromEntries(
    checks.flatMap(([name, { value }]) => (value === undefined ? [] : [[name, value] as const])),
  )
  const built = errors.length ? undefined : buildArgv(mapping, values)
  const faults = built && !built.ok ? built.issues : errors
  return { valid: faults.length === 0, errors: faults, warnings, arguments: values }
}

/** One positional argument: required unless said otherwise. */
export function validateArgument(value: unknown, schema: AtipArgument): ParameterValidation {
  return validateParameter(value, schema, schema.required !== false)
}

/** One option: not required unless said so. */
export function validateOption(value: unknown, schema: AtipOption): ParameterValidation {
  return validateParameter(value, schema, schema.required === true)
}

/** The value as that type where nothing is lost by it; undefined where it does not fit: `"12abc"` is no number. */
export function coerceType(value: unknown, type: ParameterType): unknown {
  const parameter = { name: '', type: type === 'enum' ? 'string' : type } as const
  const coerced = coerce(parameterSchema(parameter), value as Json)
  return typeFault(coerced, parameter) === undefined ? coerced : undefined
}

/** Whether a value is one of those allowed: `"2"` is 2. */
export function checkEnumValue(value: unknown, allowed: readonly (string | number)[]): boolean {
  return allowed.some((member) => member === value || (isText(value) && String(member) === String(value)))
}

/** A warning for each deprecated thing that is used. */
export function deprecations(mapping: CommandMapping, args: Arguments): readonly ParameterIssue[] {
  const { positionals, options, globals } = parametersOf(mapping)
  const used = [...positionals, ...options, ...globals].filter(({ name }) => isThere(own(args, name)))
  return [...commandWarnings(mapping), ...used.flatMap(deprecation)]
}

/** What is wrong with the form of a file, a folder or an address, without looking at the world. */
export function formatFaults(parameter: AtipParameter, value: unknown): readonly ParameterIssue[] {
  const check = formats[parameter.type]
  if (!check || !isThere(value)) return []
  const wrong = (Array.isArray(value) ? value : [value]).find((item) => typeof item === 'string' && !check.fits(item))
  if (wrong === undefined) return []
  const message = `"${parameter.name}" must be ${check.words}, but is ${preview(wrong)}.`
  return [{ path: parameter.name, code: 'INVALID_FORMAT', message }]
}

const isPath = (text: string) => text !== '' && !text.includes('\0')

const formats: { readonly [Type in ParameterType]?: { fits: (text: string) => boolean; words: string } } = {
  file: { fits: isPath, words: 'the path of a file' },
  directory: { fits: isPath, words: 'the path of a folder' },
  url: {
    fits: (text) => /^[a-z][a-z\d+.-]*:/i.test(text) && !text.includes('\0') && URL.canParse(text),
    words: 'an address such as "https://example.com"',
  },
}

function validateParameter(value: unknown, parameter: AtipParameter, required: boolean): ParameterValidation {
  const { name } = parameter
  if (!isThere(value)) {
    const message = `The parameter "${name}" is missing.`
    const errors = required ? [{ path: name, code: 'MISSING_REQUIRED', message } as const] : []
    return { valid: !required, value: undefined, errors, warnings: [] }
  }
  const coerced = coerce(parameterSchema(parameter), value as Json)
  const fault = typeFault(coerced, parameter)
  const errors = fault ? [fault] : formatFaults(parameter, coerced)
  return { valid: errors.length === 0, value: coerced, errors, warnings: deprecation(parameter) }
}

function typeFault(value: unknown, parameter: AtipParameter): ParameterIssue | undefined {
  const { name, enum: allowed } = parameter
  const items: readonly unknown[] = isList(parameter) && Array.isArray(value) ? value : [value]
  for (const item of items) {
    const fits = allowed ? allowed.some((member) => member === item) : fitsType(item, parameter.type)
    if (fits) continue
    if (allowed && isText(item)) {
      const choices = allowed.map((member) => preview(member)).join(', ')
      const hint = didYouMean(nearest(String(item), allowed.map(String), 2))
      const message = `"${name}" must be one of ${choices}, but is ${preview(item)}.${hint}`
      return { path: name, code: 'INVALID_ENUM', message }
    }
    const message = `"${name}" must be ${typeWords[parameter.type]}, but is ${describe(item)}.`
    return { path: name, code: allowed ? 'INVALID_ENUM' : 'INVALID_TYPE', message }
  }
  return undefined
}

function fitsType(value: unknown, type: ParameterType): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value)
    case 'number':
      return Number.isFinite(value)
    case 'boolean':
      return typeof value === 'boolean'
    default:
      return typeof value === 'string'
  }
}

const typeWords: { readonly [Type in ParameterType]: string } = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  file: 'a string',
  directory: 'a string',
  url: 'a string',
  enum: 'one of its values',
  array: 'an array of strings',
}

function commandWarnings({ name, command }: CommandMapping): readonly ParameterIssue[] {
  return command.deprecated ? [{ path: '', code: 'DEPRECATED', message: `"${name}" is deprecated.` }] : []
}

function deprecation({ name, deprecated }: AtipParameter): readonly ParameterIssue[] {
  return deprecated ? [{ path: name, code: 'DEPRECATED', message: `The parameter "${name}" is deprecated.` }] : []
}

function unknownParameters(given: Arguments, known: ReadonlySet<string>): readonly ParameterIssue[] {
  const unknown = Object.keys(given).filter((name) => !known.has(name))
  return unknown.slice(0, 20).map((name) => {
    const message = `There is no parameter ${preview(name)}.${didYouMean(nearest(name.slice(0, 100), known, 2))}`
    return { path: name, code: 'UNKNOWN_PARAMETER', message }
  })
}

function refusal(code: IssueCode, message: string): ValidationResult {
  return { valid: false, errors: [{ path: '', code, message }], warnings: [], arguments: {} }
}

function own(given: Arguments, name: string): unknown {
  return Object.hasOwn(given, name) ? given[name] : undefined
}

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null
}

function isText(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number'
}
