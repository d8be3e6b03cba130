// Completion for zsh, with a sentence beside each word.

import type { Place } from '../completion.ts'
import { stepsOf, valuedOptions } from './patterns.ts'

export function zshScript(places: readonly Place[]): string {
  return `#compdef legwork
# Completion of legwork for zsh: source <(legwork completion zsh), or put this into a file "_legwork" on the fpath.
_legwork() {
  local verb= index given=0 previous="\${words[CURRENT-1]}"
  local -a first always
  if [[ "\${words[CURRENT]}" = --*=* ]]; then
    previous="\${words[CURRENT]%%=*}"
    compset -P 1 '*='
  fi
  for ((index = 2; index < CURRENT; index++)); do
    case "$verb \${words[index]}" in
${places.flatMap(stepsOf).join('\n')}
${places.flatMap(skipsOf).join('\n')}
      (*' '-*) ;;
      (*) given=1 ;;
    esac
  done
  case "$verb $previous" in
${places.flatMap(valuesOf).join('\n')}
  esac
  case "$verb" in
${places.map(wordsOf).join('\n')}
  esac
  ((given)) || _describe -t words 'legwork' first
  _describe -o -t options 'option' always
  [[ -z "$verb" ]] || _files
}
if [[ "$funcstack[1]" = _legwork ]]; then
  _legwork "$@"
else
  compdef _legwork legwork
fi
`
}

function skipsOf(place: Place): string[] {
  const names = valuedOptions(place)
  return names.length ? [`      (${names.join('|')}) ((++index)) ;;`] : []
}

function valuesOf({ verb, options }: Place): string[] {
  return options.flatMap(({ long, takesValue, values }) => {
    if (!takesValue) return []
    return [`    ('${verb} ${long}') ${values.length ? `compadd -- ${values.join(' ')}` : '_files'}; return ;;`]
  })
}

/** Verbs and the values of an argument are there for the first argument alone. */
function wordsOf({ verb, words, options }: Place): string {
  const first = words.map(({ word, about }) => described(word, about))
  const always = options.map(({ long, about }) => described(long, about))
  return `    ('${verb}') first=(${first.join(' ')}) always=(${always.join(' ')}) ;;`
}

function described(word: string, about: string): string {
  return quoted(about ? `${word}:${about}` : word)
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
