// `legwork run`: a toolscript, a document, a contract script or a compose file, told apart by its name.

import { dirname, extname, resolve } from 'node:path'
import type { Legwork } from '../legwork.ts'
import { withLegwork } from './open.ts'
import type { RunContractOptions } from './run-contract.ts'
import type { RunDocumentOptions } from './run-document.ts'
import type { RunToolscriptOptions } from './run-toolscript.ts'
import { withSignals } from './signals.ts'
import { readStdin } from './stdin.ts'
import { readTextFile } from './text-file.ts'
import { UsageError } from './usage.ts'

const runKinds = ['toolscript', 'document', 'contract', 'compose'] as const
type RunKind = (typeof runKinds)[number]

export interface RunOptions extends RunToolscriptOptions, RunDocumentOptions, RunContractOptions {
  readonly as?: string
}

export async function runVerb(file: string, options: RunOptions): Promise<number> {
  const text = file === '-' ? await readStdin() : readTextFile(file)
  if (text === undefined) throw new UsageError(`There is no file "${file}".`)
  const kind = await kindOf(file, text, options.as)
  if (kind === 'toolscript' && !options.dry) return runEarly(file, text, options)
  return runKind(kind, file, text, options)
}

/** What takes longest is begun first, and ended whatever becomes of the rest. */
async function runEarly(file: string, text: string, options: RunOptions): Promise<number> {
  const { prepareEarly, endEarly } = await import('../toolscript/early.ts')
  prepareEarly()
  return runKind('toolscript', file, text, options).finally(endEarly)
}

async function runKind(kind: RunKind, file: string, text: string, options: RunOptions): Promise<number> {
  const gateway = process.env.TOOLSCRIPT_GATEWAY_URL
  if (kind === 'toolscript' && gateway) return runAtGateway(gateway, file, text, options)
  // One script is run: no box has to wait for the next.
  const code = { scriptPool: 0 }
  return withLegwork(options, (legwork, signal) => run[kind](file, text, options, legwork, signal), code)
}

type Run = (file: string, text: string, options: RunOptions, legwork: Legwork, signal: AbortSignal) => Promise<number>

const run: { readonly [Kind in RunKind]: Run } = {
  toolscript: async (...given) => (await import('./run-toolscript.ts')).runToolscript(...given),
  document: async (...given) => (await import('./run-document.ts')).runDocument(...given),
  contract: async (...given) => (await import('./run-contract.ts')).runContract(...given),
  compose: async (...given) => (await import('./run-contract.ts')).runCompose(...given),
}

/** The tools are those of a gateway that runs already; the script runs here. */
async function runAtGateway(url: string, file: string, text: string, options: RunOptions): Promise<number> {
  const { gatewayScripts } = await import('./gateway-scripts.ts')
  const { runToolscript } = await import('./run-toolscript.ts')
  const { findConfiguration } = await import('../configuration/find.ts')
  const configuration = options.config ?? findConfiguration(process.cwd())
  const host = gatewayScripts(url, configuration === undefined ? process.cwd() : dirname(resolve(configuration)))
  return withSignals((signal, ready) => {
    ready()
    return runToolscript(file, text, options, host, signal)
  })
}

const kinds: Readonly<Record<string, RunKind>> = {
  '.ts': 'toolscript',
  '.mts': 'toolscript',
  '.js': 'toolscript',
  '.mjs': 'toolscript',
  '.xml': 'document',
  '.idyll': 'document',
}

/** A contract script has a source; a compose file has steps. */
async function kindOf(file: string, text: string, said: string | undefined): Promise<RunKind> {
  if (said !== undefined) return checkKind(said)
  const kind = file === '-' ? kindOfText(text) : kinds[extname(file).toLowerCase()]
  if (kind) return kind
  if (/\.(ya?ml|json)$/i.test(file)) {
    const { hasSource } = await import('../contract/compose-file.ts')
    return (await hasSource(text)) ? 'contract' : 'compose'
  }
  throw new UsageError(`The name "${file}" does not tell what it is. Say so with --as ${runKinds.join('|')}.`)
}

/** No script begins like a document. */
function kindOfText(text: string): RunKind {
  return /^\uFEFF?\s*</.test(text) ? 'document' : 'toolscript'
}

function checkKind(said: string): RunKind {
  const kind = runKinds.find((each) => each === said)
  if (kind) return kind
  throw new UsageError(`"${said}" is no kind of thing to run. Write one of ${runKinds.join(', ')}.`)
}
