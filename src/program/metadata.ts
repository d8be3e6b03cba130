// What a command-line program says of itself, in ATIP's words: commands, arguments, options, effects, trust.

import type { Effects, Trust } from '../model/effects.ts'

/** Metadata as people write it and programs print it, versions 0.1 to 0.6. */
export interface AtipTool {
  readonly atip?: string | { readonly version: string; readonly features?: readonly string[] }
  readonly name: string
  readonly version?: string
  readonly description?: string
  /** Whether commands were left out; `omitted` says what to think of those. */
  readonly partial?: boolean
  readonly omitted?: { readonly reason?: string; readonly safetyAssumption?: SafetyAssumption }
  readonly trust?: Trust | { readonly source?: Trust }
  readonly effects?: Effects
  readonly commands?: Readonly<Record<string, AtipCommand>>
  readonly globalOptions?: readonly AtipOption[]
  /** Ours: whether `--` before the positional arguments keeps them from being read as options, or what else does. */
  readonly 'x-endOfOptions'?: boolean | string
}

/** Metadata that was checked. */
export interface ProgramMetadata extends Omit<AtipTool, 'trust'> {
  readonly description: string
  readonly trust?: Trust
  readonly commands: Readonly<Record<string, AtipCommand>>
}

export interface AtipCommand {
  readonly description?: string
  readonly arguments?: readonly AtipArgument[]
  readonly options?: readonly AtipOption[]
  readonly commands?: Readonly<Record<string, AtipCommand>>
  readonly effects?: Effects
  readonly deprecated?: boolean
  /** Ours: the same as the program's, for this command alone. */
  readonly 'x-endOfOptions'?: boolean | string
  /** Ours: whether positional arguments stand before the options, as `find` wants it. Default false. */
  readonly 'x-positionalsFirst'?: boolean
}

export interface AtipArgument {
  readonly name: string
  readonly type: ParameterType
  readonly description?: string
  /** Default true. */
  readonly required?: boolean
  readonly default?: unknown
  /** Whether it takes several values. Default false. */
  readonly variadic?: boolean
  readonly enum?: readonly (string | number)[]
  readonly deprecated?: boolean
}

export interface AtipOption extends Omit<AtipArgument, 'required'> {
  readonly flags: readonly string[]
  /** Default false. */
  readonly required?: boolean
  /** What giving this option adds to the command's effects. */
  readonly effects?: Effects
  /**
   * Ours: for programs that do not take `--flag=value`. The value stands in a word of its own, and the program takes that
   * word for the value whatever it is, one that begins with a dash included. Default false.
   */
  readonly 'x-separateValue'?: boolean
}

export type AtipParameter = AtipArgument | AtipOption

export const parameterTypes = [
  'string',
  'integer',
  'number',
  'boolean',
  'file',
  'directory',
  'url',
  'enum',
  'array',
] as const
export type ParameterType = (typeof parameterTypes)[number]

export const safetyAssumptions = ['unknown', 'known-safe', 'known-unsafe', 'same-as-included'] as const
export type SafetyAssumption = (typeof safetyAssumptions)[number]

/** Whether a parameter takes a list. */
export function isList({ type, variadic }: AtipParameter): boolean {
  return variadic === true || type === 'array'
}
