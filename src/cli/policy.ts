// `legwork policy why`: what the policy decides on a call, and where the rule stands that decided it. Nothing runs.

import { readExpression } from './expression.ts'
import { withLegwork } from './open.ts'
import { paint, print, printJson, printPainted } from './print.ts'
import type { Globals } from './program.ts'
import { withProgress } from './progress.ts'

const colours = { allow: 'green', ask: 'yellow', deny: 'red' } as const

export async function whyVerb(text: string, input: string | undefined, options: Globals): Promise<number> {
  const expression = readExpression(text, input)
  const given = input === undefined && expression.tool === text ? undefined : expression.input
  return withLegwork(options, async (legwork) => {
    const call = { tool: expression.tool, input: given, caller: { front: 'command-line' } } as const
    const why = await withProgress(`Looking for ${expression.tool}`, options, () => legwork.why(call))
    if (options.json) printJson(why)
    if (!why.ok) {
      if (!options.json) print(why.message)
      return 2
    }
    if (options.json) return 0
    const { tool, argv, decision } = why
    printPainted(`${paint(['bold', colours[decision.verdict]], decision.verdict)} ${paint('reset', tool)}`)
    print(`by ${decision.rule}`)
    for (const reason of [...decision.reasons, ...(decision.warnings ?? [])]) print(`  ${reason}`)
    if (argv) print(`it would run: ${argv.join(' ')}`)
    if (decision.where)
      print(`${decision.where.file}:${decision.where.line}:${decision.where.column}\n${decision.where.frame}`)
    return 0
  })
}
