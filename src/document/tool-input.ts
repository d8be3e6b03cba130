// What a custom tool is called with: words, values, or both. Its description for callers names the variables, and nothing of how they
// are used.

import { isObject, setOwn } from '../base/json.ts'
import type { JsonSchema } from '../model/schema.ts'
import type { ToolBlock, VariableDeclaration } from './document.ts'

export interface ToolInput {
  /** Besides the call's own content. */
  readonly content?: string
  /** Values that need not be found. */
  readonly variables: ReadonlyMap<string, string>
}

export function inputSchema({ variables }: ToolBlock): JsonSchema {
  const names = variables.map(({ name }) => name).join(', ')
  const content = {
    type: 'string',
    description: `What is wanted, in words${names && `; found in them, where they are not given: ${names}`}.`,
  }
  const properties = {}
  for (const variable of variables) setOwn(properties, variable.name, valueSchema(variable))
  const values = { type: 'object', description: 'Values that are known.', properties, additionalProperties: false }
  return {
    type: 'object',
    properties: { content, ...(variables.length > 0 && { variables: values }) },
    additionalProperties: false,
  }
}

function valueSchema({ name, prompt = name, options, type, optional }: VariableDeclaration): JsonSchema {
  const kind = type === undefined || type === 'text' || type === 'string' ? '' : ` (${type}, as text)`
  const allowed = options && { enum: optional ? [...new Set([...options, ''])] : options }
  return { type: 'string', description: `${prompt}${kind}`, ...allowed }
}

/** Reads an input that fits the schema. */
export function readInput(input: unknown): ToolInput {
  const { content, variables } = isObject(input) ? input : {}
  const given = isObject(variables) ? Object.entries(variables) : []
  return {
    ...(typeof content === 'string' && { content }),
    variables: new Map(given.filter((pair): pair is [string, string] => typeof pair[1] === 'string')),
  }
}
