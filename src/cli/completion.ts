// `legwork completion SHELL`: a script that completes verbs, options and the values that are known beforehand. It starts nothing: what
// the catalogue holds is not completed, since some of it would have to be asked of servers.

import type { Command } from 'commander'
import { levels } from '../model/entry.ts'
import { toolKinds } from '../model/tool.ts'
import { clientIds } from './clients/known.ts'
import { bashScript } from './completion/bash.ts'
import { fishScript } from './completion/fish.ts'
import { zshScript } from './completion/zsh.ts'
import { print, printJson } from './print.ts'
import type { Globals } from './program.ts'
import { UsageError } from './usage.ts'

/** What can stand after a verb, such as `audit verify`; '' for the command itself. */
export interface Place {
  readonly verb: string
  /** Verbs below it, and values of its arguments. */
  readonly words: readonly Word[]
  readonly options: readonly OptionWord[]
}

export interface Word {
  readonly word: string
  readonly about: string
  /** Whether another place begins here. */
  readonly isVerb: boolean
}

export interface OptionWord {
  /** Such as `--timeout`. */
  readonly long: string
  readonly about: string
  readonly takesValue: boolean
  /** The values it may have, where they are known. */
  readonly values: readonly string[]
}

export const shells = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof shells)[number]

const scripts: Readonly<Record<Shell, (places: readonly Place[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}

/** By verb and option; by verb alone for its first argument. */
const values: Readonly<Record<string, readonly string[]>> = {
  'run --as': ['toolscript', 'document', 'contract', 'compose'],
  'tools --kind': toolKinds,
  'audit --kind': toolKinds,
  'audit --level': levels,
  link: clientIds,
  unlink: clientIds,
  completion: shells,
}

export async function completionVerb(shell: string, program: Command, { json }: Globals): Promise<number> {
  if (!isShell(shell)) throw new UsageError(`"${shell}" is no shell that Legwork knows. Write ${shells.join(', ')}.`)
  const script = scripts[shell](placesOf(program))
  if (json) printJson({ shell, script })
  else print(script)
  return 0
}

function isShell(text: string): text is Shell {
  return (shells as readonly string[]).includes(text)
}

/** The command's own description of itself, flattened. */
export function placesOf(command: Command, verb = ''): readonly Place[] {
  const verbs = command.commands.map((each) => ({ word: each.name(), about: each.description(), isVerb: true }))
  const known = (values[verb] ?? []).map((word) => ({ word, about: '', isVerb: false }))
  const options = command.createHelp().visibleOptions(command)
  const place: Place = {
    verb,
    words: [...verbs, ...known],
    options: options.flatMap(({ long, description, required, optional }) => {
      if (!long) return []
      const takesValue = required || optional
      return [{ long, about: description, takesValue, values: values[`${verb} ${long}`] ?? [] }]
    }),
  }
  return [place, ...command.commands.flatMap((each) => placesOf(each, `${verb} ${each.name()}`.trim()))]
}
