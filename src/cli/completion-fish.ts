// Completion for fish, with a sentence beside each word.

import type { OptionWord, Place } from './completion.ts'

export function fishScript(places: readonly Place[]): string {
  return `# Completion of legwork for fish: legwork completion fish > ~/.config/fish/completions/legwork.fish
function __legwork_at
    set -l verb ''
    for word in (commandline -opc)[2..-1]
        switch "$verb $word"
${places.flatMap(stepsOf).join('\n')}
        end
    end
    test "$verb" = "$argv[1]"
end
${places.flatMap(linesOf).join('\n')}
`
}

function stepsOf({ verb, words }: Place): string[] {
  const verbs = words.filter(({ isVerb }) => isVerb)
  return verbs.map(
    ({ word }) =>
      `            case ${quoted(`${verb} ${word}`)}\n                set verb ${quoted(`${verb} ${word}`.trim())}`,
  )
}

function linesOf({ verb, words, options }: Place): string[] {
  const here = `complete -c legwork -n ${quoted(`__legwork_at ${quoted(verb)}`)}`
  return [
    ...words.map(({ word, about }) => `${here} -f -a ${quoted(word)}${described(about)}`),
    ...options.map((option) => `${here} -l ${option.long.slice(2)}${valueWords(option)}${described(option.about)}`),
  ]
}

/** `-r`: it needs a value, files by default; `-x`: a value, and no files. */
function valueWords({ takesValue, values }: OptionWord): string {
  if (!takesValue) return ''
  return values.length ? ` -x -a ${quoted(values.join(' '))}` : ' -r'
}

function described(about: string): string {
  return about ? ` -d ${quoted(about)}` : ''
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`
}
