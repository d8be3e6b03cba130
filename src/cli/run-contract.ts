// `legwork run` for contract scripts and compose files.

import { extname } from 'node:path'
import { isObject, messageOf, parseJson } from '../base/json.ts'
import { parseComposeText } from '../contract/compose-file.ts'
import type { ComposeRequest, ContractCallOptions, ContractRequest } from '../contract/definition.ts'
import { isScriptRequest, type ScriptRequest } from '../contract/request.ts'
import { exitCodeOf, type Outcome } from '../model/outcome.ts'
import { paint, print, printAside, printJson, printPainted } from './print.ts'
import type { Globals } from './program.ts'
import { UsageError } from './usage.ts'

export interface RunContractOptions extends Globals {
  /** The state, as JSON. Default: what the file says, else `{}`. */
  readonly input?: string
  /** Longest it may run, in milliseconds. */
  readonly timeout?: number
  /** Calls only tools that are known to change nothing, and touches no file. Default false. */
  readonly readOnly?: boolean
}

/** What is needed of a Legwork. */
export interface ContractHost {
  readonly workspace: string
  readonly contract: (request: ContractRequest, options?: ContractCallOptions) => Promise<Outcome>
}

/** A file with a request in YAML or JSON, or the text of a function alone. Answers with the exit code. */
export async function runContract(
  file: string,
  text: string,
  options: RunContractOptions,
  legwork: ContractHost,
  signal: AbortSignal,
): Promise<number> {
  const { input, timeout } = options
  const request = {
    ...(await scriptRequest(file, text)),
    ...(input !== undefined && { input: parseInput(input) }),
    ...(timeout !== undefined && { timeoutMs: timeout }),
  }
  return show(await legwork.contract(request, callOptions(file, options, legwork, signal)), options)
}

/** A file of steps. Answers with the exit code. */
export async function runCompose(
  file: string,
  text: string,
  options: RunContractOptions,
  legwork: ContractHost,
  signal: AbortSignal,
): Promise<number> {
  const { input, timeout } = options
  const request = { ...(await composeRequest(file, text)), ...(input !== undefined && { input: parseInput(input) }) }
  const call = { ...callOptions(file, options, legwork, signal), ...(timeout !== undefined && { timeoutMs: timeout }) }
  return show(await legwork.contract(request, call), options)
}

async function scriptRequest(file: string, text: string): Promise<ScriptRequest> {
  const isSource = /^\.[cm]?[jt]s$/.test(extname(file))
  const parsed: unknown = isSource ? undefined : await parseComposeText(text).catch(() => undefined)
  if (!isScriptRequest(parsed)) return { source: text }
  const { id: _, description: __, inputs: ___, ...request } = { id: 0, description: 0, inputs: 0, ...parsed }
  return request
}

async function composeRequest(file: string, text: string): Promise<ComposeRequest> {
  const parsed = await parseComposeText(text).catch((error: unknown) => {
    throw new UsageError(`"${file}": ${messageOf(error)}`)
  })
  const { compose, input } = isObject(parsed) ? parsed : { compose: parsed, input: undefined }
  // Whatever it is, the engine looks at it before a step runs.
  return { compose: compose as ComposeRequest['compose'], ...(input !== undefined && { input }) }
}

/** A person who runs a file by hand lets it use the files of the workspace. */
function callOptions(
  file: string,
  { readOnly = false }: RunContractOptions,
  { workspace }: ContractHost,
  signal: AbortSignal,
): ContractCallOptions {
  const caller = { front: 'command-line', name: file, ...(readOnly && { readOnly }) } as const
  return { signal, caller, ...(!readOnly && { files: { root: workspace } }) }
}

function parseInput(text: string): unknown {
  const parsed = parseJson(text)
  if (!parsed.ok) throw new UsageError(`--input is not JSON: ${parsed.message}`)
  return parsed.value
}

function show(outcome: Outcome, { json }: RunContractOptions): number {
  if (json) printJson(outcome)
  else if (outcome.ok) print(typeof outcome.value === 'string' ? outcome.value : JSON.stringify(outcome.value, null, 2))
  else showFailure(outcome)
  return exitCodeOf(outcome)
}

function showFailure(outcome: Extract<Outcome, { ok: false }>): void {
  const logs = isObject(outcome.value) && Array.isArray(outcome.value.logs) ? outcome.value.logs : []
  for (const message of logs) printAside(typeof message === 'string' ? message : JSON.stringify(message))
  printPainted(paint('red', outcome.message, process.stderr), process.stderr)
  if (outcome.code !== 'invalid-input') return
  for (const { path, message } of outcome.issues) printAside(path ? `  ${path}: ${message}` : `  ${message}`)
}
