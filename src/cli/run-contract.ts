// `legwork run` for contract scripts and compose files.

import { extname } from 'node:path'
import { isObject, messageOf, parseJson } from '../base/json.ts'
import { type ContractText, readContractText } from '../contract/compose-file.ts'
import type { ComposeRequest, ContractCallOptions, ContractRequest } from '../contract/definition.ts'
import type { ScriptRequest } from '../contract/request.ts'
import { exitCodeOf, type Outcome } from '../model/outcome.ts'
import { paint, print, printAside, printJson, printPainted } from './print.ts'
import type { Globals } from './program.ts'
import { withProgress } from './progress.ts'
import { UsageError } from './usage.ts'

export interface RunContractOptions extends Globals {
  /** The state, as JSON. Default: what the file says, else `{}`. */
  readonly input?: string
  /** Longest it may run, in milliseconds. */
  readonly timeout?: number
  /** Calls only tools that are known to change nothing, and writes no file. Default false. */
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
  const call = callOptions(file, options, legwork, signal)
  return show(await withProgress(`Running ${file}`, options, () => legwork.contract(request, call)), options)
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
  return show(await withProgress(`Running ${file}`, options, () => legwork.contract(request, call)), options)
}

/** A file whose name says nothing may hold the text of a function alone. */
async function scriptRequest(file: string, text: string): Promise<ScriptRequest> {
  const extension = extname(file).toLowerCase()
  const isData = /^\.(ya?ml|json)$/.test(extension)
  if (/^\.[cm]?[jt]s$/.test(extension) || !(isData || sourceKey.test(text))) return { source: text }
  const read = await readText(file, text)
  if (read.type === 'script') return read.request
  throw new UsageError(`"${file}" has steps and no "source". Run it with --as compose.`)
}

const sourceKey = /^[{\s]*["']?source["']?\s*:/m

async function composeRequest(file: string, text: string): Promise<ComposeRequest> {
  const read = await readText(file, text)
  if (read.type === 'script') throw new UsageError(`"${file}" has a "source" and no steps. Run it with --as contract.`)
  // Whatever they are, the engine looks at them before a step runs.
  const compose = read.steps as ComposeRequest['compose']
  return { compose, ...(read.input !== undefined && { input: read.input }) }
}

async function readText(file: string, text: string): Promise<ContractText> {
  return readContractText(text).catch((error: unknown) => {
    throw new UsageError(`"${file}": ${messageOf(error)}`)
  })
}

/** A person who runs a file by hand lets it use the files of the workspace. */
function callOptions(
  file: string,
  { readOnly = false }: RunContractOptions,
  { workspace }: ContractHost,
  signal: AbortSignal,
): ContractCallOptions {
  const caller = { front: 'command-line', name: file, ...(readOnly && { readOnly }) } as const
  return { signal, caller, files: { root: workspace } }
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
  const untold = outcome.issues.filter(({ message }) => !outcome.message.includes(message))
  for (const { path, message } of untold) printAside(path ? `  ${path}: ${message}` : `  ${message}`)
}
