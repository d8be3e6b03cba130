// Completion for fish, with a sentence beside each word.

import type { OptionWord, Place } from '../completion.ts'

export function fishScript(places: readonly Place[]): string {
  return `# Completion of legwork for fish: legwork completion fish > ~/.config/fish/completions/legwork.fish
# True at a verb, and with "first" only before its first argument.
function __legwork_at
    set -l verb ''
    set -l given ''
    set -l skips ''
    for word in (commandline -opc)[2..-1]
        if test -n "$skips"
            set skips ''
            continue
        end
        switch "$verb $word"
${places.flatMap(stepsOf).join('\n')}
${places.flatMap(skipsOf).join('\n')}
            case '* -*'
            case '*'
                set given yes
        end
    end
    test "$verb" = "$argv[1]"; and test -z "$argv[2]" -o -z "$given"
end
${places.flatMap(linesOf).join('\n')}
`
}

function stepsOf({ verb, words }: Place): string[] {
  const verbs = words.filter(({ isVerb }) => isVerb)
  return verbs.map(({ word }) => {
    const step = `${verb} ${word}`
    return `            case ${quoted(step)}\n                set verb ${quoted(step.trim())}\n                set given ''`
  })
}

/** The value of an option is no argument. */
function skipsOf({ verb, options }: Place): string[] {
  const names = options.filter(({ takesValue }) => takesValue).map(({ long }) => quoted(`${verb} ${long}`))
  return names.length ? [`            case ${names.join(' ')}\n                set skips yes`] : []
}

/** Verbs and the values of an argument are there for the first argument alone. */
function linesOf({ verb, words, options }: Place): string[] {
  const here = `complete -c legwork -n ${quoted(`__legwork_at ${quoted(verb)}`)}`
  const first = `complete -c legwork -n ${quoted(`__legwork_at ${quoted(verb)} first`)}`
  return [
    ...words.map(({ word, about }) => `${first} -f -a ${quoted(word)}${described(about)}`),
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
