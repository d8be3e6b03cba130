// `legwork call`: one call, its outcome, its exit code.

import { exitCodeOf, type Outcome } from '../model/outcome.ts'
import { readExpression } from './expression.ts'
import { withLegwork } from './open.ts'
import { paint, print, printAside, printJson, printPainted } from './print.ts'
import type { Globals } from './program.ts'
import { readStdin } from './stdin.ts'

interface CallOptions extends Globals {
  readonly content?: string
  readonly timeout?: number
}

export async function callVerb(text: string, input: string | undefined, options: CallOptions): Promise<number> {
  const { tool, input: given } = readExpression(text, input === '-' ? await readStdin() : input)
  return withLegwork(options, async (legwork, signal) => {
    const outcome = await legwork.call({
      tool,
      input: given,
      signal,
      caller: { front: 'command-line' },
      ...(options.content !== undefined && { content: options.content }),
      ...(options.timeout !== undefined && { timeoutMs: options.timeout }),
    })
    if (options.json) printJson(outcome)
    else printOutcome(outcome)
    return exitCodeOf(outcome)
  })
}

/** A process's output goes where the process would have put it; any other value is printed as text or JSON. */
function printOutcome(outcome: Outcome): void {
  const { process: report } = outcome
  if (report?.stdout) print(report.stdout)
  if (report?.stderr) printAside(report.stderr)
  if (outcome.ok && !report)
    print(typeof outcome.value === 'string' ? outcome.value : JSON.stringify(outcome.value, null, 2))
  if (!outcome.ok) printFailure(outcome)
  for (const warning of outcome.warnings) printAside(`Warning: ${warning}`)
}

function printFailure(outcome: Extract<Outcome, { ok: false }>): void {
  printPainted(paint('red', outcome.message, process.stderr), process.stderr)
  if (outcome.code !== 'invalid-input') return
  for (const { path, message } of outcome.issues) printAside(path ? `  ${path}: ${message}` : `  ${message}`)
}
