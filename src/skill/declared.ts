// What a script says that it takes on its command line, read from its text without running it: by argparse or click in
// Python, by commander in JavaScript, else by a usage line among its first comments.

import type { JsonSchema } from '../model/schema.ts'
import { commanderArguments } from './declared-commander.ts'
import { pythonArguments } from './declared-python.ts'
import { usageArguments } from './declared-usage.ts'
import { descriptionOf } from './description.ts'
import type { Language } from './languages.ts'

export interface DeclaredArgument {
  /** The key of an input. */
  readonly name: string
  /** The flag that is written, such as `--output`; missing for a positional argument. */
  readonly flag?: string
  readonly type: 'string' | 'integer' | 'number' | 'boolean'
  /** Whether it takes several values. */
  readonly isList: boolean
  readonly isRequired: boolean
  /** Whether it names a file or a folder. */
  readonly isPath: boolean
  readonly choices?: readonly string[]
  readonly description: string
}

export type DeclaredArguments = readonly DeclaredArgument[]

/** Nothing where the script declares none, or in a way that cannot be read for certain. */
export function declaredArguments(text: string, language: Language, path: string): DeclaredArguments | undefined {
  const found =
    (language.type === 'python' && pythonArguments(text)) ||
    (language.type === 'node' && commanderArguments(text)) ||
    usageArguments(descriptionOf(text, language), path)
  if (!found?.length || new Set(found.map(({ name }) => name)).size < found.length) return undefined
  return found
}

/** The input as a schema. What is required is checked later, because arguments may also come as a plain list. */
export function declaredSchema(declared: DeclaredArguments): JsonSchema {
  const properties = Object.fromEntries(declared.map((argument) => [argument.name, argumentSchema(argument)]))
  return { type: 'object', properties, additionalProperties: true }
}

/** The same for whoever can only pass these arguments. */
export function strictDeclaredSchema(declared: DeclaredArguments): JsonSchema {
  const properties = Object.fromEntries(declared.map((argument) => [argument.name, argumentSchema(argument)]))
  const required = declared.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  return { type: 'object', properties, ...(required.length && { required }), additionalProperties: false }
}

function argumentSchema({ type, isList, isRequired, choices, description }: DeclaredArgument): JsonSchema {
  const value = { type, ...(choices && { enum: choices }) }
  const said = [isRequired ? 'Required.' : '', description].filter(Boolean).join(' ')
  return { ...(isList ? { type: 'array', items: value } : value), ...(said && { description: said }) }
}

const pathWords =
  /(^|[_\s-])(files?|paths?|dir|directory|folder|filename|filepath)$|(File|Path|Dir|Directory|Folder)s?$/i

export function namesPath(name: string): boolean {
  return pathWords.test(name)
}
