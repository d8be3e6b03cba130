// `legwork run agent.xml --message "…"`: one message to an agent and its answer, or a conversation on a terminal.

import type { Agent } from '../adapters/agent.ts'
import { count } from '../base/text.ts'
import type { Document } from '../document/document.ts'
import type { Legwork } from '../legwork.ts'
import { exitCodeOf, type ModelUse, type Outcome } from '../model/outcome.ts'
import { visibleText } from '../outcome/visible.ts'
import { paint, printAside, printJson, printPainted } from './print.ts'
import type { Globals } from './program.ts'
import { withProgress } from './progress.ts'
import { readStdin } from './stdin.ts'
import { UsageError } from './usage.ts'
import { readVariables } from './variables.ts'

export interface RunAgentOptions extends Globals {
  /** What is said to it. Default: what comes on stdin, or a conversation on a terminal. */
  readonly message?: string
  /** Goes before the document's model and the configuration's. */
  readonly model?: string
  /** How often the model may be asked for one message. Default 20. */
  readonly maxSteps?: number
  /** Values of the variables in its prose, each `name=value`. Default none. */
  readonly var?: readonly string[]
  /** Longest that an answer may take, in milliseconds. Default and at most 600,000. */
  readonly timeout?: number
  /** Lets it call only tools that are known to change nothing. Default false. */
  readonly readOnly?: boolean
}

/** What agents live in: a Legwork. */
export type AgentHost = Pick<Legwork, 'agent' | 'on'>

/** `file` is `-` when the document came from stdin. Answers with the exit code. */
export async function runAgent(
  file: string,
  document: Document,
  options: RunAgentOptions,
  legwork: AgentHost,
  signal: AbortSignal,
): Promise<number> {
  const { message, model, maxSteps, readOnly, json } = options
  const isTerminal = process.stdin.isTTY === true && process.stderr.isTTY === true
  if (message === undefined && file === '-') throw new UsageError('Say something to the agent: --message "…".')
  if (message === undefined && isTerminal && json) throw new UsageError('--json needs one message: --message "…".')
  const settings = {
    ...(model !== undefined && { model }),
    ...(maxSteps !== undefined && { maxSteps }),
    ...(readOnly && { readOnly }),
    variables: Object.fromEntries(readVariables(options.var ?? [])),
  }
  const agent = await withProgress('Making the agent', options, () => legwork.agent(document, settings))
  if (!json) for (const warning of agent.warnings) printAside(`Warning: ${warning}`)
  if (message === undefined && isTerminal) return converse(agent, options, legwork, signal)
  const said = message ?? (await readStdin())
  if (said.trim() === '') throw new UsageError('The message is empty. Say something to the agent: --message "…".')
  const outcome = await answer(agent, said, options, legwork, signal)
  if (json) printJson(outcome)
  return exitCodeOf(outcome)
}

/** Until the end of the input, or Ctrl-C. An answer that failed does not end it. */
async function converse(
  agent: Agent,
  options: RunAgentOptions,
  legwork: AgentHost,
  signal: AbortSignal,
): Promise<number> {
  printAside(`${agent.name} (${agent.model}). Ctrl-D ends the conversation.`)
  for (;;) {
    const message = await question(signal)
    if (message === undefined || signal.aborted) return 0
    if (message.trim() !== '') await answer(agent, message, options, legwork, signal)
  }
}

/** One line; undefined at the end of the input. */
async function question(signal: AbortSignal): Promise<string | undefined> {
  const { createInterface } = await import('node:readline/promises')
  // Open for the question alone: while the agent answers, a person may be asked about a tool.
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  const ended = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)))
  try {
    return await Promise.race([lines.question('> ', { signal }), ended])
  } catch (error) {
    if (signal.aborted) return undefined
    throw error
  } finally {
    lines.close()
  }
}

/** Shows the answer as it comes, and beside it what the agent calls. */
function answer(
  agent: Agent,
  message: string,
  options: RunAgentOptions,
  legwork: AgentHost,
  signal: AbortSignal,
): Promise<Outcome> {
  const waiting = `Waiting for ${agent.model}`
  return withProgress(waiting, options, (say) => {
    const sayTool = (tool: string | undefined) => say(tool ?? waiting)
    return send(agent, message, options, legwork, signal, sayTool)
  })
}

/** `say` is told which tool the agent calls, and undefined when it has its answer. */
async function send(
  agent: Agent,
  message: string,
  { timeout, json }: RunAgentOptions,
  legwork: AgentHost,
  signal: AbortSignal,
  say: (tool: string | undefined) => void,
): Promise<Outcome> {
  let callId: string | undefined
  let last = '\n'
  const nested = new Set<string>()
  const silence = legwork.on((event) => {
    if (event.type === 'started' && event.parentId !== undefined && event.parentId === callId) {
      nested.add(event.callId)
      say(event.tool)
    }
    if (event.type !== 'ended' || !nested.has(event.callId) || json) return
    say(undefined)
    const { ok, durationMs } = event.outcome
    const how = event.outcome.ok ? 'ok' : event.outcome.code
    printPainted(
      paint(ok ? 'dim' : 'yellow', `${event.tool}: ${how}, ${Math.round(durationMs)} ms`, process.stderr),
      process.stderr,
    )
  })
  try {
    const outcome = await agent.send(message, {
      signal,
      caller: { front: 'command-line' },
      ...(timeout !== undefined && { timeoutMs: timeout }),
      onEvent: (event) => {
        if (event.type === 'started') callId = event.callId
        if (event.type !== 'output' || json) return
        process.stdout.write(visibleText(event.text))
        last = event.text.at(-1) ?? last
      },
    })
    if (!json) finish(outcome, last)
    return outcome
  } finally {
    silence()
  }
}

function finish(outcome: Outcome, last: string): void {
  if (last !== '\n') process.stdout.write('\n')
  if (!outcome.ok) printPainted(paint('red', outcome.message, process.stderr), process.stderr)
  for (const warning of outcome.warnings) printAside(`Warning: ${warning}`)
  if (outcome.modelUse) printPainted(paint('dim', useLine(outcome.modelUse), process.stderr), process.stderr)
}

function useLine({ model, calls, inputTokens = 0, outputTokens = 0 }: ModelUse): string {
  return `${model}: ${count(calls, 'request')}, ${count(inputTokens, 'token')} in, ${count(outputTokens, 'token')} out`
}
