// Completion for bash. Where nothing is known, bash completes files.

import type { Place } from '../completion.ts'
import { stepsOf, valuedOptions } from './patterns.ts'

export function bashScript(places: readonly Place[]): string {
  return `# Completion of legwork for bash: source <(legwork completion bash)
_legwork() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" verb= words= prefix= given=0 index
  # bash takes "--as=do" apart, unless somebody told it not to.
  if [[ "$current" = '=' ]]; then current=
  elif [[ "$previous" = '=' ]]; then previous="\${COMP_WORDS[COMP_CWORD-2]}"
  elif [[ "$current" = --*=* ]]; then previous="\${current%%=*}" prefix="\${current%%=*}=" current="\${current#*=}"
  fi
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "$verb \${COMP_WORDS[index]}" in
${places.flatMap(stepsOf).join('\n')}
${places.flatMap(skipsOf).join('\n')}
      *' '-* | *' =') ;;
      *) given=1 ;;
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

function skipsOf(place: Place): string[] {
  const names = valuedOptions(place)
  return names.length ? [`      ${names.join(' | ')}) [[ "\${COMP_WORDS[++index]}" != '=' ]] || ((++index)) ;;`] : []
}

function valuesOf({ verb, options }: Place): string[] {
  return options.flatMap(({ long, takesValue, values }) => {
    if (!takesValue) return []
    const reply = values.length
      ? `COMPREPLY=($(compgen -P "$prefix" -W '${values.join(' ')}' -- "$current"))`
      : 'COMPREPLY=()'
    return [`    '${verb} ${long}') ${reply}; return ;;`]
  })
}

/** Verbs and the values of an argument are there for the first argument alone. */
function wordsOf({ verb, words, options }: Place): string {
  const first = words.map(({ word }) => word).join(' ')
  const always = options.map(({ long }) => long).join(' ')
  return `    '${verb}') words='${always}'${first && `; ((given)) || words='${first} ${always}'`} ;;`
}
