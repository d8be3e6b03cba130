// `legwork call`: one call, its outcome, its exit code.

import { isObject, setOwn } from '../base/json.ts'
import { exitCodeOf, type Outcome, type Success } from '../model/outcome.ts'
import type { ToolDescription } from '../model/tool.ts'
import { readExpression } from './expression.ts'
import { withLegwork } from './open.ts'
import { columns, paint, print, printAside, printJson, printPainted } from './print.ts'
import type { Globals } from './program.ts'
import { withProgress } from './progress.ts'
import { readStdin } from './stdin.ts'
import { UsageError } from './usage.ts'
import { readVariables } from './variables.ts'

interface CallOptions extends Globals {
  readonly content?: string
  /** Values of variables, each `name=value`. For tools that documents define. */
  readonly var?: readonly string[]
  /** Shows the values of the variables and runs nothing. For tools that documents define. */
  readonly dry?: boolean
  readonly timeout?: number
}

export async function callVerb(text: string, input: string | undefined, options: CallOptions): Promise<number> {
  const { tool, input: given } = readExpression(text, input === '-' ? await readStdin() : input)
  return withLegwork(options, async (legwork, signal) => {
    const description = await withProgress('Looking for the tool', options, () => legwork.tool(tool))
    const call = {
      tool,
      input: withVariables(given, options, description),
      signal,
      caller: { front: 'command-line' },
      ...(options.content !== undefined && { content: options.content }),
      ...(options.timeout !== undefined && { timeoutMs: options.timeout }),
    } as const
    const ask = options.dry ? legwork.preview : legwork.call
    const outcome = await withProgress(description?.id ?? tool, options, () => ask(call))
    if (options.json) printJson(outcome)
    else if (outcome.ok && description?.kind === 'document') printCustom(outcome, options)
    else printOutcome(outcome)
    return exitCodeOf(outcome)
  })
}

/** What only tools that documents define take. */
function withVariables(input: unknown, { var: given = [], dry }: CallOptions, tool?: ToolDescription): unknown {
  if (given.length === 0 && !dry) return input
  if (tool && tool.kind !== 'document') {
    throw new UsageError(`"${tool.id}" is no tool that a document defines, so it takes no --var and no --dry.`)
  }
  if (!isObject(input)) throw new UsageError('--var and --dry need an input that is an object, or none.')
  const variables = { ...(isObject(input.variables) && input.variables) }
  for (const [name, value] of readVariables(given)) setOwn(variables, name, value)
  return { ...input, ...(given.length > 0 && { variables }) }
}

/** What the tool answers; the whole of its run is in the outcome, for --json. */
function printCustom({ text, warnings, value }: Success, { dry }: CallOptions): void {
  const pairs: unknown = isObject(value) ? value.variables : []
  if (!dry) print(text)
  else if (Array.isArray(pairs)) for (const line of columns(pairs)) print(line)
  for (const warning of warnings) printAside(`Warning: ${warning}`)
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
