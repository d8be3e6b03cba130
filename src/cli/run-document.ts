// `legwork run report.xml`: runs a document, shows its blocks as they go, and writes their results back when asked.

import { writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { messageOf } from '../base/json.ts'
import { storedResult } from '../document/call-parts.ts'
import type { Document } from '../document/document.ts'
import { type DocumentFault, describeFault } from '../document/faults.ts'
import type { DocumentOptions } from '../document/options.ts'
import { parseDocument } from '../document/parse.ts'
import type { DocumentRun } from '../document/run.ts'
import type { ExecutionState } from '../document/state.ts'
import type { ResultCheck } from '../document/stored-results.ts'
import { exitCodeOf, type Outcome } from '../model/outcome.ts'
import { showDocument } from './document-lines.ts'
import { checkDocumentOptions, refuseAgentOptions } from './document-options.ts'
import { junitOf } from './junit.ts'
import { columns, paint, print, printAside, printJson, printPainted } from './print.ts'
import { withProgress } from './progress.ts'
import type { AgentHost, RunAgentOptions } from './run-agent.ts'

export interface RunDocumentOptions extends RunAgentOptions {
  /** Writes the results into the file. Default false. */
  readonly write?: boolean
  /** Only this block. Default: all of them. */
  readonly block?: string
  /** Also writes a JUnit report to this file. Default none. */
  readonly junit?: string
  /** Runs nothing: says whether the stored results still belong to the blocks. Default false. */
  readonly check?: boolean
  /** Runs triggers too. Default false. */
  readonly triggers?: boolean
  /** Leaves the rest alone once a block fails. Default false. */
  readonly stopOnError?: boolean
  /** Longest the whole may run, in milliseconds. Default and at most 600,000. */
  readonly timeout?: number
  /** Lets blocks call only tools that are known to change nothing. Default false. */
  readonly readOnly?: boolean
  /** For other things that run; refused here, as a document would run without them. */
  readonly input?: string
  readonly dry?: boolean
  readonly memory?: number
}

/** What runs documents: a Legwork. */
export interface DocumentHost extends Partial<AgentHost> {
  readonly document: (given: Document | string, options?: DocumentOptions) => Promise<DocumentRun>
}

/** `file` is `-` when the text came from stdin. Answers with the exit code. */
export async function runDocument(
  file: string,
  text: string,
  options: RunDocumentOptions,
  legwork: DocumentHost,
  signal: AbortSignal,
): Promise<number> {
  checkDocumentOptions(file, options)
  const parsed = parseDocument(text, file === '-' ? {} : { path: file })
  if (options.check) return parsed.ok ? checkResults(parsed.document, options) : refuse(file, parsed.faults, options)
  const { agent, on } = legwork
  if (parsed.ok && parsed.document.root === 'agent' && agent && on && !isForBlocks(options)) {
    const { runAgent } = await import('./run-agent.ts')
    return runAgent(file, parsed.document, options, { agent, on }, signal)
  }
  if (parsed.ok) refuseAgentOptions(options)
  const run = await withProgress(`Running ${file}`, options, (say) =>
    legwork.document(parsed.ok ? parsed.document : text, {
      ...selection(options),
      ...(!options.json && { onEvent: showDocument(say) }),
      signal,
    }),
  )
  const { junit, write, json } = options
  const unwritten = [
    junit === undefined ? undefined : await writeReport(junit, junitOf(basename(file), run)),
    write && run.document ? await save(run.document, run.state) : undefined,
  ].filter((message) => message !== undefined)
  if (json) printJson(unwritten.length ? failedOutcome(run.outcome, unwritten) : run.outcome)
  else if (run.document) summarise(run)
  else showFaults(file, run.faults)
  if (!json) for (const message of unwritten) printAside(message)
  return unwritten.length && run.document ? 1 : exitCodeOf(run.outcome)
}

/** An agent is talked to, unless what is asked for is about its blocks. */
function isForBlocks({ block, write, junit, triggers }: RunDocumentOptions): boolean {
  return block !== undefined || write === true || junit !== undefined || triggers === true
}

function selection({ block, triggers, stopOnError, timeout, readOnly }: RunDocumentOptions): DocumentOptions {
  return {
    caller: { front: 'command-line', ...(readOnly && { readOnly }) },
    ...(timeout !== undefined && { timeoutMs: timeout }),
    ...(stopOnError && { stopOnError }),
    ...(block === undefined ? { ...(triggers && { triggers }) } : { mode: 'single', blockId: block }),
  }
}

function refuse(file: string, faults: readonly DocumentFault[], { json }: RunDocumentOptions): number {
  if (json) printJson({ ok: false, code: 'invalid-input', faults })
  else showFaults(file, faults)
  return 2
}

function showFaults(file: string, faults: readonly DocumentFault[]): void {
  for (const fault of faults) printAside(`${describeFault(file, fault)}\n`)
}

/** A result that is an error belongs to its block, and is nothing to be content with: the block failed when it ran. */
function checkResults(document: Document, { json }: RunDocumentOptions): number {
  const checks = document.check().map((check) => {
    const block = document.calls.find(({ id }) => id === check.blockId)
    const stored = block && storedResult(block)
    if (check.state !== 'fresh' || stored === undefined || stored.ok) return check
    return { ...check, state: 'failed', message: `failed when it ran: ${stored.code}: ${stored.message}` } as const
  })
  if (json) printJson(checks)
  else printChecks(checks)
  return checks.every(({ state }) => state === 'fresh') ? 0 : 1
}

interface ShownCheck extends Omit<ResultCheck, 'state'> {
  readonly state: ResultCheck['state'] | 'failed'
}

function printChecks(checks: readonly ShownCheck[]): void {
  if (checks.length === 0) print('The document has no block that runs.')
  const rows = checks.map(({ blockId, state, line, message }) => [state, blockId, `line ${line}`, message])
  for (const line of columns(rows)) print(line)
}

function summarise({ outcome, state }: DocumentRun): void {
  const { blocksExecuted, blocksFailed, totalDuration, stopped } = state.metadata
  // Nothing of it could run, whatever is in it.
  if (!outcome.ok && blocksExecuted === 0) {
    printAside(outcome.message)
    return
  }
  const ran = `${blocksExecuted} ${blocksExecuted === 1 ? 'block' : 'blocks'}`
  const failed = blocksFailed ? `, ${blocksFailed} failed` : ''
  printPainted(paint(blocksFailed ? 'red' : 'green', `${ran}${failed}, ${Math.round(totalDuration)} ms`))
  if (!outcome.ok && (stopped !== undefined || blocksFailed === 0)) printAside(outcome.message)
  for (const warning of outcome.warnings) printAside(`Warning: ${warning}`)
}

/** What was run well and could not be written has failed all the same. */
function failedOutcome(outcome: Outcome, unwritten: readonly string[]): Outcome {
  const failed = outcome.ok ? ({ ...outcome, ok: false, code: 'tool-failed', message: '' } as const) : outcome
  return { ...failed, message: [failed.message, ...unwritten].filter(Boolean).join(' ') }
}

/** A block that was given up keeps what it had. Answers with what went wrong. */
async function save(document: Document, state: ExecutionState): Promise<string | undefined> {
  const blocks = [...state.blocks].filter(([, { error }]) => error?.code !== 'cancelled')
  const saved = await document.write({ blocks })
  return saved.ok ? undefined : saved.message
}

/** Answers with what went wrong. */
async function writeReport(file: string, text: string): Promise<string | undefined> {
  try {
    await writeFile(file, text)
    return undefined
  } catch (error) {
    return `The report "${file}" could not be written: ${messageOf(error)}`
  }
}
