// What a command-line program says of itself, in ATIP's words: commands, arguments, options, effects, trust.

import { isObject } from '../base/json.ts'
import { type Effects, type Trust, trustLevels } from '../model/effects.ts'

export interface ProgramMetadata {
  readonly name: string
  readonly description: string
  readonly trust?: Trust
  readonly effects?: Effects
  readonly commands: Readonly<Record<string, ProgramCommand>>
  /** Whether `--` before the positional arguments keeps them from being read as options. */
  readonly endOfOptions: boolean
}

export interface ProgramCommand {
  readonly description: string
  readonly arguments?: readonly ProgramArgument[]
  readonly options?: readonly ProgramOption[]
  readonly commands?: Readonly<Record<string, ProgramCommand>>
  readonly effects?: Effects
}

export interface ProgramArgument {
  readonly name: string
  readonly type: ParameterType
  readonly description: string
  /** Default true. */
  readonly required?: boolean
  readonly variadic?: boolean
  readonly enum?: readonly (string | number)[]
}

export interface ProgramOption extends Omit<ProgramArgument, 'required'> {
  readonly flags: readonly string[]
  /** Default false. */
  readonly required?: boolean
  /** What giving this option adds to the command's effects. */
  readonly effects?: Effects
}

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

export type MetadataCheck =
  | { readonly ok: true; readonly metadata: ProgramMetadata }
  | { readonly ok: false; readonly faults: readonly string[] }

/** Checks metadata of unknown origin; every fault is named with its path. */
export function checkMetadata(value: unknown): MetadataCheck {
  const faults: string[] = []
  if (!isObject(value)) return { ok: false, faults: ['The metadata is not a JSON object.'] }
  if (typeof value.name !== 'string' || value.name === '') faults.push('name: write the name of the program.')
  const trust = isObject(value.trust) ? value.trust.source : value.trust
  if (trust !== undefined && !trustLevels.includes(trust as Trust)) {
    faults.push(`trust.source: ${JSON.stringify(trust)} is none of ${trustLevels.join(', ')}.`)
  }
  if (value.effects !== undefined && !isObject(value.effects)) faults.push('effects: write an object.')
  checkCommands(value.commands, 'commands', faults)
  if (faults.length) return { ok: false, faults }
  return {
    ok: true,
    metadata: {
      name: value.name as string,
      description: typeof value.description === 'string' ? value.description : '',
      ...(trust !== undefined && { trust: trust as Trust }),
      ...(value.effects !== undefined && { effects: value.effects as Effects }),
      commands: (value.commands ?? {}) as ProgramMetadata['commands'],
      endOfOptions: value['x-endOfOptions'] === true,
    },
  }
}

function checkCommands(commands: unknown, path: string, faults: string[]): void {
  if (commands === undefined) return
  if (!isObject(commands)) {
    faults.push(`${path}: write an object of commands by name.`)
    return
  }
  for (const [name, command] of Object.entries(commands)) {
    const at = `${path}.${name || '""'}`
    if (!isObject(command)) {
      faults.push(`${at}: write an object.`)
      continue
    }
    checkParameters(command.arguments, `${at}.arguments`, faults, false)
    checkParameters(command.options, `${at}.options`, faults, true)
    if (command.effects !== undefined && !isObject(command.effects)) faults.push(`${at}.effects: write an object.`)
    checkCommands(command.commands, `${at}.commands`, faults)
  }
}

function checkParameters(parameters: unknown, path: string, faults: string[], flagged: boolean): void {
  if (parameters === undefined) return
  if (!Array.isArray(parameters)) {
    faults.push(`${path}: write a list.`)
    return
  }
  for (const [at, parameter] of parameters.entries()) {
    if (!isObject(parameter)) faults.push(`${path}[${at}]: write an object.`)
    else checkParameter(parameter, `${path}[${at}]`, faults, flagged)
  }
}

function checkParameter(parameter: Record<string, unknown>, path: string, faults: string[], flagged: boolean): void {
  if (typeof parameter.name !== 'string' || parameter.name === '') faults.push(`${path}.name: write a name.`)
  if (!parameterTypes.includes(parameter.type as ParameterType)) {
    faults.push(`${path}.type: ${JSON.stringify(parameter.type)} is none of ${parameterTypes.join(', ')}.`)
  }
  if (parameter.enum !== undefined && !Array.isArray(parameter.enum)) faults.push(`${path}.enum: write a list.`)
  const { flags } = parameter
  const areFlags = Array.isArray(flags) && flags.length > 0 && flags.every((flag) => /^-/.test(String(flag)))
  if (flagged && !areFlags) faults.push(`${path}.flags: write a list such as ["--all"].`)
}
