// `legwork run FILE.ts`: a toolscript, its output as it happens, and its value as JSON at the end.

import type { Legwork } from '../legwork.ts'
import { effectNames, hasEffect } from '../model/effects.ts'
import type { CallEvent, Listener } from '../model/event.ts'
import { exitCodeOf, type Outcome } from '../model/outcome.ts'
import type { Issue } from '../model/schema.ts'
import { visibleText } from '../outcome/visible.ts'
import type { Dry, ScriptOptions } from '../toolscript/library.ts'
import { columns } from './print.ts'
import { withProgress } from './progress.ts'

export interface RunToolscriptOptions {
  /** Print one JSON value and nothing else. Default false. */
  readonly json?: boolean
  /** List the tools that the script can call, and run nothing. Default false. */
  readonly dry?: boolean
  /** The longest it may run, in milliseconds. Default 60,000. */
  readonly timeout?: number
  /** Megabytes. Default 512. */
  readonly memory?: number
  /** Let it call only tools that are known to change nothing. Default false. */
  readonly readOnly?: boolean
}

/** What a script is run by: a Legwork of this process, or a gateway that is running. */
export interface ScriptHost {
  readonly script: (source: string, options: ScriptRunOptions) => Promise<Outcome>
  readonly dryScript: (source: string, options: ScriptOptions) => Promise<Dry>
  readonly why: Legwork['why']
  /** Tells of output while a script runs. */
  readonly on: (listener: Listener) => () => void
}

export interface ScriptRunOptions extends ScriptOptions {
  readonly timeoutMs?: number
  readonly readOnly?: boolean
  readonly signal?: AbortSignal
}

export interface Streams {
  readonly stdout: Sink
  readonly stderr: Sink
}

interface Sink {
  readonly isTTY?: boolean
  /** False when it has more to write than it should hold; the callback tells when this has been written. */
  readonly write: (text: string, written?: () => void) => unknown
}

/** `file` is `-` for a script that came by standard input. */
export async function runToolscript(
  file: string,
  text: string,
  options: RunToolscriptOptions,
  host: ScriptHost,
  signal: AbortSignal,
  streams: Streams = process,
): Promise<number> {
  const place = { name: file === '-' ? 'stdin.ts' : file, cwd: process.cwd() }
  const memory = options.memory === undefined ? {} : { memoryMb: options.memory }
  if (options.dry) {
    const look = () => host.dryScript(text, { ...place, ...memory })
    return printDry(await withProgress(`Looking at ${file}`, options, look), options, host, streams)
  }

  const printed = { ended: true }
  const stopListening = options.json ? () => {} : host.on((event) => printOutput(event, printed, streams, signal))
  try {
    const outcome = await withProgress(`Running ${file}`, options, () =>
      host.script(text, {
        ...place,
        ...memory,
        signal,
        ...(options.timeout !== undefined && { timeoutMs: options.timeout }),
        ...(options.readOnly && { readOnly: true }),
      }),
    )
    if (options.json) streams.stdout.write(`${JSON.stringify(outcome)}\n`)
    else printOutcome(outcome, printed.ended, streams)
    return exitCodeOf(outcome)
  } finally {
    stopListening()
  }
}

/** The script's own output; what the programs print that it calls is part of their outcomes. */
function printOutput(
  event: CallEvent,
  printed: { ended: boolean },
  streams: Streams,
  signal: AbortSignal,
): void | Promise<void> {
  if (event.type !== 'output' || event.tool !== 'toolscript') return
  const sink = streams[event.stream]
  if (event.stream === 'stdout') printed.ended = event.text.endsWith('\n')
  const { promise: written, resolve } = Promise.withResolvers<void>()
  if (sink.write(sink.isTTY ? visibleText(event.text) : event.text, resolve) !== false || signal.aborted) return
  // The script waits for whoever reads: what nobody has read yet would fill the memory.
  const giveUp = () => resolve()
  signal.addEventListener('abort', giveUp, { once: true })
  return written.finally(() => signal.removeEventListener('abort', giveUp))
}

function printOutcome(outcome: Outcome, lineEnded: boolean, { stdout, stderr }: Streams): void {
  if (outcome.ok && outcome.value !== null) {
    const line = stdout.isTTY && !lineEnded ? '\n' : ''
    stdout.write(`${line}${JSON.stringify(outcome.value, null, stdout.isTTY ? 2 : undefined)}\n`)
  }
  if (!outcome.ok) {
    stderr.write(`${visibleText(outcome.message)}\n`)
    if (outcome.code === 'invalid-input') for (const issue of outcome.issues) stderr.write(issueText(issue))
  }
  for (const warning of outcome.warnings) stderr.write(`Warning: ${visibleText(warning)}\n`)
}

function issueText({ path, message }: Issue): string {
  return `\n${visibleText(path ? `${path}\n${message}` : message)}\n`
}

async function printDry(
  dry: Dry,
  options: RunToolscriptOptions,
  host: ScriptHost,
  { stdout, stderr }: Streams,
): Promise<number> {
  const { json, readOnly } = options
  if (!dry.ok) {
    if (json) stdout.write(`${JSON.stringify({ ok: false, code: 'invalid-input', issues: dry.issues })}\n`)
    else for (const issue of dry.issues) stderr.write(issueText(issue))
    return 2
  }
  const caller = { front: 'toolscript', ...(readOnly && { readOnly }) } as const
  const rowOf = async ({ id, effects }: (typeof dry.tools)[number]) => {
    const why = await host.why({ tool: id, caller })
    const names = effectNames.filter((name) => hasEffect(effects, name))
    return { tool: id, effects, names, ...verdictOf(why) }
  }
  const rows = await withProgress('Asking the policy', options, () => Promise.all(dry.tools.map(rowOf)))
  if (json) stdout.write(`${JSON.stringify(rows.map(({ names: _, ...row }) => row))}\n`)
  else if (rows.length === 0) stdout.write('The script calls no tools.\n')
  else {
    const lines = columns(
      rows.map(({ tool, names, verdict, rule }) => [tool, names.join(', ') || 'harmless', verdict, rule]),
    )
    for (const line of lines) stdout.write(`${line}\n`)
  }
  return 0
}

function verdictOf(why: Awaited<ReturnType<Legwork['why']>>): { readonly verdict: string; readonly rule: string } {
  return why.ok ? { verdict: why.decision.verdict, rule: why.decision.rule } : { verdict: why.code, rule: '' }
}
