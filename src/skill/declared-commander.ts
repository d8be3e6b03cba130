// The arguments of a Node script that uses commander.

import { literalOf, readCall } from './call-arguments.ts'
import { type DeclaredArgument, type DeclaredArguments, namesPath } from './declared.ts'

/** Nothing for a script with subcommands. */
export function commanderArguments(text: string): DeclaredArguments | undefined {
  if (!/['"]commander['"]/.test(text) || /\.command\(/.test(text)) return undefined
  const found = [...text.matchAll(/\.(argument|option|requiredOption)\(/g)].map((match) => {
    const call = readCall(text, match.index + match[0].length - 1)
    const [form, help] = call?.positional.map(literalOf) ?? []
    return form === undefined ? undefined : readForm(match[1] ?? '', form, help ?? '')
  })
  return found.every((argument) => argument !== undefined) ? found : undefined
}

function readForm(method: string, form: string, description: string): DeclaredArgument | undefined {
  const [, opening, name, dots] = /([<[])([^>\].]+)(\.\.\.)?[>\]]/.exec(form) ?? []
  const isList = dots !== undefined
  if (method === 'argument') {
    const plain = name ?? form.replace(/\.\.\.$/, '')
    const isRequired = opening !== '['
    return { name: plain, type: 'string', isList, isRequired, isPath: namesPath(plain), description }
  }
  const flags = form.split(/[ ,|]+/).filter((word) => word.startsWith('-'))
  const flag = flags.find((word) => word.startsWith('--')) ?? flags[0]
  if (flag === undefined) return undefined
  const key = camel(flag.replace(/^-+/, ''))
  return {
    name: key,
    flag,
    type: name === undefined ? 'boolean' : 'string',
    isList,
    isRequired: method === 'requiredOption',
    isPath: name !== undefined && (namesPath(name) || namesPath(key)),
    description,
  }
}

function camel(name: string): string {
  return name.replace(/-+([a-z0-9])/gi, (_, letter: string) => letter.toUpperCase())
}
