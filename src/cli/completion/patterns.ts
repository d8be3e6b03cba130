// What the scripts for bash and zsh have in common: patterns over a verb and the word behind it.

import type { Place } from '../completion.ts'

/** The words that lead to another verb. Both shells take a pattern in brackets. */
export function stepsOf({ verb, words }: Place): string[] {
  const verbs = words.filter(({ isVerb }) => isVerb)
  return verbs.map(({ word }) => `      ('${verb} ${word}') verb='${`${verb} ${word}`.trim()}' given=0 ;;`)
}

/** The options that take a value, as patterns: the value is no argument. */
export function valuedOptions({ verb, options }: Place): string[] {
  return options.filter(({ takesValue }) => takesValue).map(({ long }) => `'${verb} ${long}'`)
}
