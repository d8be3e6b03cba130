// What a command takes, as JSON Schema.

import type { JsonSchema } from '../model/schema.ts'
import type { CommandMapping } from './commands.ts'
import { type AtipArgument, type AtipOption, type AtipParameter, isList } from './metadata.ts'

export interface CommandParameters {
  readonly positionals: readonly AtipArgument[]
  readonly options: readonly AtipOption[]
  /** The program's global options, without those whose name the command uses itself. */
  readonly globals: readonly AtipOption[]
}

const none: readonly never[] = []

export function parametersOf({ tool, command }: Pick<CommandMapping, 'tool' | 'command'>): CommandParameters {
  const { arguments: positionals = none, options = none } = command
  const isFree = ({ name }: AtipOption) => ![...positionals, ...options].some((own) => own.name === name)
  return { positionals, options, globals: tool.globalOptions?.filter(isFree) ?? none }
}

export function inputSchema(mapping: CommandMapping): JsonSchema {
  const { positionals, options, globals } = parametersOf(mapping)
  const required = [
    ...positionals.filter((argument) => argument.required !== false),
    ...[...options, ...globals].filter((option) => option.required === true),
  ]
  const parameters = [...positionals, ...options, ...globals]
  return {
    type: 'object',
    properties: Object.fromEntries(parameters.map((parameter) => [parameter.name, parameterSchema(parameter)])),
    ...(required.length && { required: required.map(({ name }) => name) }),
  }
}

const jsonTypes = { integer: 'integer', number: 'number', boolean: 'boolean' } as const

export function parameterSchema(parameter: AtipParameter): Exclude<JsonSchema, boolean> {
  const { type, description = '', enum: values, deprecated } = parameter
  const plain = type in jsonTypes ? jsonTypes[type as keyof typeof jsonTypes] : 'string'
  const item = values ? { enum: values } : { type: plain }
  const said = { ...(description && { description }), ...(deprecated && { deprecated }) }
  return isList(parameter) ? { type: 'array', items: item, ...said } : { ...item, ...said }
}
