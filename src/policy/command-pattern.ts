// What stands inside `Bash(...)`: the words of a command, compared with the command line of a call.
//
// A deny or ask rule must not be slipped past, so it looks generously: at the command line with and without global
// options, at the program by its path and by its bare name, at the words and at the text they make together. An allow
// rule must not be slipped into, so it looks strictly: word by word at exactly what would be started.

import type { Plan } from '../model/decision.ts'
import type { Effects } from '../model/effects.ts'
import type { ToolKind } from '../model/tool.ts'
import { wildcard } from './wildcard.ts'

/** What is known of a call before it runs. */
export interface PlannedCall {
  readonly kind: ToolKind
  /** The tool's own effects and those that the input adds. */
  readonly effects: Effects
  readonly plan: Plan | undefined
}

export interface CommandPattern {
  readonly matchesGenerously: (call: PlannedCall) => boolean
  readonly matchesStrictly: (call: PlannedCall) => boolean
}

/** `Bash` and `Bash(*)`: whatever starts a process. */
export const anyCommand: CommandPattern = {
  matchesGenerously: (call) => mayStartProcess(call) || linesOf(call.plan).length > 0,
  matchesStrictly: ({ plan }) => Boolean(plan?.argv?.length),
}

/** `git diff:*` is `git diff` and whatever follows; `git diff` is those words alone; a `*` among the words is any words. */
export function commandPattern(text: string): CommandPattern {
  const isPrefix = text.endsWith(':*')
  const words = (isPrefix ? text.slice(0, -2) : text).split(/\s+/).filter(Boolean)
  const following = isPrefix ? ['*'] : []
  const joined = words.join(' ')
  const asWritten = wordPattern([...words, ...following])
  // A star in the program may stand for folders too: taking the last part of it would widen the rule.
  const byBareName = words[0]?.includes('*') ? asWritten : wordPattern([...withBareName(words), ...following])
  const texts = [joined, ...(isPrefix ? [`${joined} *`, `${joined}:*`] : [])].map(wildcard)
  return {
    matchesGenerously: ({ plan }) =>
      linesOf(plan).some(
        (line) => asWritten(line.words) || byBareName(line.words) || texts.some((matches) => matches(line.text)),
      ),
    matchesStrictly: ({ kind, plan }) => {
      const argv = plan?.argv
      if (!argv?.length) return false
      // Only a program's path comes from the owner alone; a script in a skill may be called `git` by its author.
      return asWritten(argv) || (kind === 'program' && asWritten(withBareName(argv)))
    },
  }
}

/** Whether a call starts processes, as far as descriptions tell. */
export function mayStartProcess({ kind, effects }: Pick<PlannedCall, 'kind' | 'effects'>): boolean {
  return kind === 'program' || kind === 'skill' || effects.subprocess === true
}

interface Line {
  readonly words: readonly string[]
  readonly text: string
}

const linesOfPlans = new WeakMap<Plan, readonly Line[]>()

/** Every way to read the command of a plan, worked out once however many rules look at it. */
function linesOf(plan: Plan | undefined): readonly Line[] {
  if (!plan) return []
  const known = linesOfPlans.get(plan)
  if (known) return known
  const commands = [plan.argv ?? [], plan.command ?? []].filter((words) => words.length > 0)
  const lines = commands
    .flatMap((words) => [words, withBareName(words)])
    .map((words) => ({ words, text: words.join(' ') }))
  linesOfPlans.set(plan, lines)
  return lines
}

/** The program without its folder. */
function withBareName(words: readonly string[]): readonly string[] {
  return words.map((word, at) => (at > 0 ? word : word.replace(/^.*[/\\](?=.)/s, '')))
}

type WordTest = 'any' | ((word: string) => boolean)

/** A word that is `*` stands for any number of words; a `*` inside a word stays inside it. */
function wordPattern(words: readonly string[]): (command: readonly string[]) => boolean {
  const pattern = words.map((word): WordTest => (word === '*' ? 'any' : wildcard(word)))
  return (command) => matchesWords(pattern, command)
}

/** Goes back only to the last `any`: the cost is at most the words of the one times the words of the other. */
function matchesWords(pattern: readonly WordTest[], command: readonly string[]): boolean {
  let at = 0
  let next = 0
  let retry: { readonly at: number; readonly next: number } | undefined
  for (let word = command[0]; word !== undefined; word = command[at]) {
    const test = pattern[next]
    if (test === 'any') {
      next += 1
      retry = { at: at + 1, next }
    } else if (test?.(word)) {
      at += 1
      next += 1
    } else if (retry) {
      ;({ at, next } = retry)
      retry = { at: at + 1, next }
    } else return false
  }
  return pattern.slice(next).every((test) => test === 'any')
}
