// Completion for bash. Where nothing is known, bash completes files.

import type { Place } from './completion.ts'

export function bashScript(places: readonly Place[]): string {
  return `# Completion of legwork for bash: source <(legwork completion bash)
_legwork() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" verb= words= index
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "$verb \${COMP_WORDS[index]}" in
${places.flatMap(stepsOf).join('\n')}
    esac
  done
  case "$verb $previous" in
${places.flatMap(valuesOf).join('\n')}
  esac
  case "$verb" in
${places.map(wordsOf).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _legwork legwork
`
}

function stepsOf({ verb, words }: Place): string[] {
  const verbs = words.filter(({ isVerb }) => isVerb)
  return verbs.map(({ word }) => `      '${verb} ${word}') verb='${`${verb} ${word}`.trim()}' ;;`)
}

function valuesOf({ verb, options }: Place): string[] {
  return options.flatMap(({ long, takesValue, values }) => {
    if (!takesValue) return []
    const reply = values.length ? `COMPREPLY=($(compgen -W '${values.join(' ')}' -- "$current"))` : 'COMPREPLY=()'
    return [`    '${verb} ${long}') ${reply}; return ;;`]
  })
}

function wordsOf({ verb, words, options }: Place): string {
  const all = [...words.map(({ word }) => word), ...options.map(({ long }) => long)]
  return `    '${verb}') words='${all.join(' ')}' ;;`
}
