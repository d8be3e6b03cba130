// The arguments of a Python script that uses argparse or click.

import { type CallArguments, literalList, literalOf, readCall } from './call-arguments.ts'
import { type DeclaredArgument, type DeclaredArguments, namesPath } from './declared.ts'

const maxArguments = 200

/** Nothing for a script with subcommands: which arguments it takes then depends on the first of them. */
export function pythonArguments(text: string): DeclaredArguments | undefined {
  if (/\.add_subparsers\(|@\w+\.group\(/.test(text) || (text.match(/@\w+\.command\(/g) ?? []).length > 1)
    return undefined
  if (text.includes('.add_argument(')) return all(callsOf(text, /\.add_argument\(/g), argparseArgument)
  if (!/\bclick\b/.test(text)) return undefined
  const options = callsOf(text, /@(?:click\.)?option\(/g).map((call) => clickArgument(call, true))
  const positionals = callsOf(text, /@(?:click\.)?argument\(/g).map((call) => clickArgument(call, false))
  const found = [...positionals, ...options]
  return found.every((argument) => argument !== undefined) ? found : undefined
}

function all<T>(calls: readonly T[], read: (call: T) => DeclaredArgument | undefined): DeclaredArguments | undefined {
  const found = calls.map(read)
  return found.every((argument) => argument !== undefined) ? found : undefined
}

function callsOf(text: string, pattern: RegExp): readonly (CallArguments | undefined)[] {
  return [...text.matchAll(pattern)]
    .slice(0, maxArguments)
    .map((match) => readCall(text, match.index + match[0].length - 1))
}

const argparseSwitches = new Set(['store_true', 'store_false', 'count'])

function argparseArgument(call: CallArguments | undefined): DeclaredArgument | undefined {
  const names = call?.positional.map(literalOf)
  if (!call || !names?.length || !names.every((name) => name !== undefined)) return undefined
  const { type, action, nargs, help, required, choices, dest } = call.named
  const flags = names.filter((name) => name.startsWith('-'))
  const [first = ''] = names
  const flag = flags.find((name) => name.startsWith('--')) ?? flags[0]
  const name = literalOf(dest) ?? (flag ?? first).replace(/^-+/, '').replaceAll('-', '_')
  const how = literalOf(action) ?? action
  const isSwitch = argparseSwitches.has(how ?? '') || how?.endsWith('BooleanOptionalAction') === true
  const amount = literalOf(nargs) ?? nargs
  return {
    name,
    ...(flag !== undefined && { flag }),
    type: isSwitch ? 'boolean' : typeOf(type),
    isList: (amount !== undefined && amount !== '?') || how === 'append',
    isRequired:
      flag === undefined ? amount !== '?' && amount !== '*' && !('default' in call.named) : required === 'True',
    isPath: !isSwitch && (/Path|FileType|open/.test(type ?? '') || namesPath(name)),
    ...choicesOf(literalList(choices)),
    description: helpOf(help),
  }
}

function clickArgument(call: CallArguments | undefined, isOption: boolean): DeclaredArgument | undefined {
  const names = call?.positional.map(literalOf)
  if (!call || !names?.length || !names.every((name) => name !== undefined)) return undefined
  const { type, is_flag: isFlag, multiple, nargs, help, required } = call.named
  const flags = names.filter((name) => name.startsWith('-'))
  const named = names.find((name) => !name.startsWith('-'))
  const flag = (flags.find((text) => text.startsWith('--')) ?? flags[0])?.split('/')[0]
  const isSwitch = isFlag === 'True' || flags.some((text) => text.includes('/'))
  const name = named ?? (flag ?? '').replace(/^-+/, '').replaceAll('-', '_').toLowerCase()
  const [, choices] = /Choice\(\s*([[(][\s\S]*?[\])])/.exec(type ?? '') ?? []
  return {
    name,
    ...(isOption && flag !== undefined && { flag }),
    type: isSwitch ? 'boolean' : typeOf(type),
    isList: multiple === 'True' || (nargs !== undefined && nargs !== '1'),
    isRequired: isOption ? required === 'True' : required !== 'False' && nargs !== '-1' && !('default' in call.named),
    isPath: !isSwitch && (/Path|File/.test(type ?? '') || namesPath(name)),
    ...choicesOf(literalList(choices)),
    description: helpOf(help),
  }
}

function typeOf(type: string | undefined): DeclaredArgument['type'] {
  if (type === 'int' || /\bINT\b|IntRange/.test(type ?? '')) return 'integer'
  return type === 'float' || /\bFLOAT\b|FloatRange/.test(type ?? '') ? 'number' : 'string'
}

function choicesOf(choices: readonly string[] | undefined) {
  return choices?.length ? { choices } : {}
}

function helpOf(help: string | undefined): string {
  return (literalOf(help) ?? '').replace(/\s+/g, ' ').trim()
}
