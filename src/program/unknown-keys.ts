// Keys of metadata that mean nothing, where a known one may be meant: what stands under them does not count, and nothing else says so.

import { didYouMean, nearest } from '../base/text.ts'

const parameter = ['name', 'type', 'description', 'required', 'default', 'variadic', 'enum', 'deprecated', 'effects']

/** What metadata may hold at each place; extensions (`x-…`) may stand anywhere. */
const knownKeys = {
  program: [
    'atip',
    'name',
    'version',
    'description',
    'homepage',
    'binary',
    'partial',
    'filter',
    'totalCommands',
    'includedCommands',
    'omitted',
    'trust',
    'commands',
    'globalOptions',
    'authentication',
    'effects',
    'patterns',
  ],
  command: ['description', 'arguments', 'options', 'commands', 'effects', 'examples', 'deprecated'],
  argument: parameter,
  option: [...parameter, 'flags', 'envVar'],
} as const

const known = Object.fromEntries(Object.entries(knownKeys).map(([place, keys]) => [place, new Set<string>(keys)]))

/** One sentence a key that is not known and nearly one that is; `prefix` is the path of the place, with its dot. */
export function unknownKeys(
  value: Readonly<Record<string, unknown>>,
  prefix: string,
  place: keyof typeof knownKeys,
): readonly string[] {
  const unknown = Object.keys(value).filter((key) => !known[place]?.has(key) && !key.startsWith('x-'))
  return unknown.flatMap((key) => {
    if (place === 'program' && (key === 'arguments' || key === 'options'))
      return `${key}: ${key} of the program itself do not stand here. Write "commands": {"": {"${key}": …}}.`
    const near = nearest(key, knownKeys[place], 1)
    return near.length ? `${prefix}${key}: this key means nothing.${didYouMean(near)}` : []
  })
}
