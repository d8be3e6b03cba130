// The arguments that a usage line names: `Usage: convert.sh <input> [output] [--format FORMAT] [--verbose]`.

import { basename } from 'node:path/posix'
import { type DeclaredArgument, type DeclaredArguments, namesPath } from './declared.ts'

/** Nothing where there is no such line, or where a word of it cannot be understood. */
export function usageArguments(description: string, path: string): DeclaredArguments | undefined {
  const [, sameLine = '', nextLine = ''] = /^\s*usage:[ \t]*(.*)(?:\n[ \t]*(.*))?/im.exec(description) ?? []
  const words = wordsOf((sameLine.trim() || nextLine.trim()).replace(/\s+#.*$/, ''))
  const program = words.findIndex((word) => word.endsWith(basename(path)) || /^(\$0|\$\(basename)/.test(word))
  if (program < 0) return undefined
  const found: DeclaredArgument[] = []
  const rest = words.slice(program + 1)
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at] ?? ''
    if (/^\[?options?\]?$/i.test(word)) continue
    const next = rest[at + 1]
    const takesValue = /^--?\w[\w-]*$/.test(word) && next !== undefined && isValue(next)
    const argument = takesValue ? option(word, next, false) : readWord(word)
    if (!argument) return undefined
    if (takesValue) at++
    found.push(argument)
  }
  return found
}

/** Words, with what stands in brackets in one piece. */
function wordsOf(line: string): readonly string[] {
  return line.match(/\[[^\]]*\](?:\.\.\.)?|<[^>]*>(?:\.\.\.)?|\S+/g) ?? []
}

const isValue = (word: string) => /^<[^>]+>$/.test(word) || /^[A-Z][A-Z0-9_-]*$/.test(word)

function readWord(word: string): DeclaredArgument | undefined {
  const [, inside, outerDots] = /^\[([^\]]*)\](\.\.\.)?$/.exec(word) ?? []
  const isOptional = inside !== undefined
  const text = (inside ?? word).trim()
  const [, flag, value] = /^(--?\w[\w-]*)(?:[ =](.+))?$/.exec(text) ?? []
  if (flag !== undefined) return option(flag, value, isOptional)
  const [, quoted, plain, dots] = /^(?:<([^>]+)>|([A-Za-z][\w.-]*))(\.\.\.)?$/.exec(text) ?? []
  const name = quoted ?? plain
  if (name === undefined || /[|{}]/.test(name)) return undefined
  // A word in small letters without brackets is most likely a subcommand.
  if (plain !== undefined && plain !== plain.toUpperCase() && !isOptional) return undefined
  const key = keyOf(name)
  const isList = dots !== undefined || outerDots !== undefined
  return { name: key, type: 'string', isList, isRequired: !isOptional, isPath: isPathName(name), description: '' }
}

function option(flag: string, value: string | undefined, isOptional: boolean): DeclaredArgument | undefined {
  const name = value?.replace(/^<(.+)>$/, '$1')
  if (name !== undefined && /[|{}[\]<>\s]/.test(name)) return undefined
  return {
    name: keyOf(flag.replace(/^-+/, '')),
    flag,
    type: value === undefined ? 'boolean' : 'string',
    isList: false,
    isRequired: value !== undefined && !isOptional,
    isPath: name !== undefined && (isPathName(name) || isPathName(flag)),
    description: '',
  }
}

const isPathName = (name: string) => namesPath(name) || /\.\w{1,5}$/.test(name)

function keyOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
}
