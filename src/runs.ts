// What Legwork runs that is not in the catalogue: scripts, documents, contracts. Each is a call of its own on the one path, and
// what it calls takes that path too. Every system is loaded when it is first used.

import type { Agent, AgentOptions } from './adapters/agent.ts'
import { configuredModel } from './adapters/configured.ts'
import type { Clock } from './base/clock.ts'
import type { Catalogue } from './catalogue/catalogue.ts'
import type { LoadedConfiguration } from './configuration/load.ts'
import type { ContractCallOptions, ContractRequest } from './contract/definition.ts'
import type { Document } from './document/document.ts'
import type { DocumentOptions } from './document/options.ts'
import type { DocumentRun } from './document/run.ts'
import type { Engine } from './engine/engine.ts'
import type { WhyTool } from './engine/why.ts'
import type { Legwork } from './legwork.ts'
import type { Call, Caller } from './model/call.ts'
import type { Outcome } from './model/outcome.ts'
import { describeTool } from './model/tool.ts'
import type { Redactor } from './outcome/redact.ts'
import { contractFiles } from './sources.ts'
import type { Dry, ScriptOptions, Toolscripts } from './toolscript/library.ts'

export interface ScriptRunOptions
  extends ScriptOptions,
    Pick<Call, 'timeoutMs' | 'signal' | 'approve' | 'client' | 'approvalWaitMs'> {
  /** Lets it call only tools that are known to change nothing. Default false. */
  readonly readOnly?: boolean
  /** Who has it run. Default: the library. */
  readonly caller?: Caller
}

export interface Runs {
  /** Runs a toolscript: checked against the types of the tools first, then shut in with nothing but its calls. */
  readonly script: (source: string, options?: ScriptRunOptions) => Promise<Outcome>
  /** Gets everything ready, so that the first toolscript starts as fast as the next. */
  readonly warmScripts: () => Promise<void>
  /** Checks a toolscript and says which tools it can call, without running it. */
  readonly dryScript: (source: string, options?: ScriptOptions) => Promise<Dry>
  /** Runs a document: its blocks in order, each on the one path. */
  readonly document: (given: Document | string, options?: DocumentOptions) => Promise<DocumentRun>
  /** An `<agent>` document to talk to. Throws for one that cannot be: no agent, no model. */
  readonly agent: (given: Document | string, options?: AgentOptions) => Promise<Agent>
  /** Runs a contract script or the steps of a compose. */
  readonly contract: (request: ContractRequest, options?: ContractCallOptions) => Promise<Outcome>
  readonly close: () => Promise<void>
}

export interface RunsParts extends Pick<Legwork, 'tools' | 'why'> {
  readonly whyTool: WhyTool
  readonly engine: Engine
  readonly catalogue: Catalogue
  readonly loaded: LoadedConfiguration
  readonly redactor: Redactor
  readonly clock: Clock
  readonly scriptPool: number | undefined
  readonly whileOpen: <T>(start: () => Promise<T>) => Promise<T>
}

export function createRuns(parts: RunsParts): Runs {
  const { engine, loaded, redactor, clock, whileOpen } = parts
  const byModel = configuredModel(loaded.configuration.model, redactor)
  let opened: Promise<OpenScripts> | undefined
  const scripts = async (): Promise<Toolscripts> => {
    opened ??= openScripts(parts)
    return (await opened).toolscripts
  }
  return {
    script: async (source, { timeoutMs, signal, approve, client, caller, readOnly, approvalWaitMs, ...options } = {}) =>
      whileOpen(async () => {
        const definition = (await scripts()).definition(source, options)
        return engine.executeTool(definition, {
          input: { file: options.name ?? 'script.ts', source },
          caller: { front: 'library', ...caller, ...(readOnly && { readOnly }) },
          ...(timeoutMs !== undefined && { timeoutMs }),
          ...(signal && { signal }),
          ...(approve && { approve }),
          ...(client && { client }),
          ...(approvalWaitMs !== undefined && { approvalWaitMs }),
        })
      }),
    warmScripts: async () => whileOpen(async () => (await scripts()).warm()),
    dryScript: async (source, options) => whileOpen(async () => (await scripts()).dry(source, options)),
    document: async (given, options) =>
      whileOpen(async () => {
        const { runDocument } = await import('./document/run.ts')
        const { resolveVariables } = byModel
        const ours = { clock, ...(resolveVariables && { resolveVariables }) }
        return runDocument({ ...engine, redact: redactor.text }, given, { ...ours, ...options })
      }),
    agent: async (given, options) =>
      whileOpen(async () => {
        const [{ openAgent }, { loaderOfFiles, ownToolsOf }] = await Promise.all([
          import('./adapters/agent.ts'),
          import('./document/tool-load.ts'),
        ])
        const executeTool: Engine['executeTool'] = async (...call) => whileOpen(() => engine.executeTool(...call))
        const { model, documents = [] } = loaded.configuration
        const toolsOf = (document: Document, warnings: string[]) => {
          const loadResource = loaderOfFiles(loaded.folder, documents, [document])
          return ownToolsOf(document, { ...byModel, loadResource, clock }, warnings)
        }
        const host = { ...parts, executeTool, model, toolsOf }
        return openAgent(host, given, options)
      }),
    contract: async (request, { signal, timeoutMs, approvalWaitMs, caller, files, ...options } = {}) =>
      whileOpen(async () => {
        const { contractDefinition } = await import('./contract/definition.ts')
        const { withReport } = await import('./contract/report.ts')
        const definition = contractDefinition(request, {
          ...options,
          // Whichever folder it is given, it never gets at what no tool may see or change.
          files: files && { ...contractFiles(loaded), root: files.root },
        })
        const outcome = await engine.executeTool(definition, {
          input: request,
          ...(caller && { caller }),
          ...(timeoutMs !== undefined && { timeoutMs }),
          ...(signal && { signal }),
          ...(approvalWaitMs !== undefined && { approvalWaitMs }),
        })
        return withReport(outcome)
      }),
    close: async () => (await opened)?.close(),
  }
}

interface OpenScripts {
  readonly toolscripts: Toolscripts
  readonly close: () => Promise<void>
}

/** Scripts, and the listener that they call through. A script's modules alone are asked for: no other server is started. */
async function openScripts({ engine, catalogue, loaded, clock, scriptPool }: RunsParts): Promise<OpenScripts> {
  const [{ createToolscripts }, { openRunDoors }, { engineParts }] = await Promise.all([
    import('./toolscript/library.ts'),
    import('./gateway/run-doors.ts'),
    import('./gateway/engine-parts.ts'),
  ])
  const known = () => catalogue.listLoaded().map(describeTool)
  const doors = await openRunDoors({ ...engineParts(engine, catalogue), tools: async () => known() })
  const toolscripts = createToolscripts({
    tools: async (modules) => {
      const tools = await (modules === 'all' ? catalogue.list() : catalogue.listFor(modules))
      return tools.map(describeTool)
    },
    version: () => catalogue.version,
    makeRunDoor: doors.makeRunDoor,
    workspace: loaded.folder,
    clock,
    ...(scriptPool !== undefined && { poolSize: scriptPool }),
  })
  const close = async () => {
    await toolscripts.close()
    await doors.close()
  }
  return { toolscripts, close }
}
