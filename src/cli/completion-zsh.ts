// Completion for zsh, with a sentence beside each word.

import type { Place } from './completion.ts'

export function zshScript(places: readonly Place[]): string {
  return `#compdef legwork
# Completion of legwork for zsh: source <(legwork completion zsh), or put this into a file "_legwork" on the fpath.
_legwork() {
  local verb= index previous="\${words[CURRENT-1]}"
  local -a found
  for ((index = 2; index < CURRENT; index++)); do
    case "$verb \${words[index]}" in
${places.flatMap(stepsOf).join('\n')}
    esac
  done
  case "$verb $previous" in
${places.flatMap(valuesOf).join('\n')}
  esac
  case "$verb" in
${places.map(wordsOf).join('\n')}
  esac
  _describe -t words 'legwork' found
  [[ -z "$verb" ]] || _files
}
if [[ "$funcstack[1]" = _legwork ]]; then
  _legwork "$@"
else
  compdef _legwork legwork
fi
`
}

function stepsOf({ verb, words }: Place): string[] {
  const verbs = words.filter(({ isVerb }) => isVerb)
  return verbs.map(({ word }) => `      ('${verb} ${word}') verb='${`${verb} ${word}`.trim()}' ;;`)
}

function valuesOf({ verb, options }: Place): string[] {
  return options.flatMap(({ long, takesValue, values }) => {
    if (!takesValue) return []
    return [`    ('${verb} ${long}') ${values.length ? `compadd -- ${values.join(' ')}` : '_files'}; return ;;`]
  })
}

function wordsOf({ verb, words, options }: Place): string {
  const described = [
    ...words.map(({ word, about }) => [word, about] as const),
    ...options.map(({ long, about }) => [long, about] as const),
  ]
  const entries = described.map(([word, about]) => quoted(about ? `${word}:${about}` : word))
  return `    ('${verb}') found=(${entries.join(' ')}) ;;`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
