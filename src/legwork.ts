// Joins configuration, sources, policy, redactor and journal into one engine: the library as people use it.

import { resolve } from 'node:path'
import type { AiSdkTools } from './adapters/ai-sdk-tools.ts'
import type { OfferOptions } from './adapters/offered.ts'
import { type Clock, systemClock } from './base/clock.ts'
import { machinePlaces } from './base/machine-places.ts'
import { Catalogue, type CatalogueStatus } from './catalogue/catalogue.ts'
import { type Configuration, checkConfiguration, type LoadedConfiguration } from './configuration/load.ts'
import type { ExecuteBatch } from './engine/batch.ts'
import { createEngine } from './engine/engine.ts'
import { OpenWork } from './engine/open-work.ts'
import { createStream, type Stream } from './engine/stream.ts'
import { createWhy, createWhyTool, type Why } from './engine/why.ts'
import { type FunctionTool, isFunctionTool } from './function/define-tool.ts'
import { functionSource } from './function/source.ts'
import type { Journal } from './journal/journal.ts'
import { lazyJournal } from './journal/lazy.ts'
import { memoryJournal } from './journal/memory.ts'
import { openJournal } from './journal/open.ts'
import { openResults } from './large-results.ts'
import type { Call } from './model/call.ts'
import type { Approve } from './model/decision.ts'
import { LegworkError } from './model/errors.ts'
import type { Listener } from './model/event.ts'
import type { LargeResults } from './model/large-result.ts'
import { makeLimits } from './model/limits.ts'
import type { Outcome } from './model/outcome.ts'
import { describeTool, type Ran, type Tool, type ToolDescription } from './model/tool.ts'
import { learningRedactor } from './outcome/learning-redactor.ts'
import { makePolicy, type Policy, unmatchedRules } from './policy/policy.ts'
import { createRuns, type Runs } from './runs.ts'
import { createServing, type Serving } from './serving.ts'
import { journalOptions, policySettings, readConfiguration, ruleFault, secretValues } from './settings.ts'
import { sourcesOf } from './sources.ts'
import type { CompileOptions } from './toolcall/compile.ts'
import type { Handle } from './toolcall/front.ts'
import type { Provider } from './toolcall/provider.ts'
import type { CompiledTools } from './toolcall/wire.ts'

/** What only code can give. */
export interface CodeOptions {
  /** Asks a person whether a call may run. Default: nobody, so that whatever asks does not run. */
  readonly approve?: Approve | undefined
  /**
   * Keeps a question that nobody is there to answer in the journal's file, to be answered by `legwork approve`. Default: true,
   * unless the journal is in memory.
   */
  readonly pendingApprovals?: boolean
  /** How many sandboxes wait, started, for the next toolscript once one has run. Default 2. */
  readonly scriptPool?: number
  /** Puts arguments and results on telemetry spans, redacted. Default false. */
  readonly traceContent?: boolean
  /** Default: the system's. */
  readonly clock?: Clock
}

export interface FileOptions extends CodeOptions {
  /** The configuration file. Default: `legwork.jsonc`, looked for from the working directory upwards. */
  readonly configuration?: string
}

/** The keys of the configuration file, given in code instead; no file is looked for. */
export interface LegworkOptions extends CodeOptions, Omit<Configuration, '$schema' | 'functions'> {
  /** Tools made by `defineTool`, or paths of modules that export some. Default none. */
  readonly functions?: readonly (FunctionTool | string)[]
  /** The folder that relative paths stand in. Default: the working directory. */
  readonly workspace?: string
}

export interface Legwork extends Omit<Runs, 'close'>, Serving {
  /** Runs one call on the one path. A failing tool is an outcome, not an exception. */
  readonly call: (call: Call) => Promise<Outcome>
  /**
   * Tells what a call would begin with, such as the values of a custom tool's variables, and does none of it. It takes the one path
   * too. A tool that has no preview has failed.
   */
  readonly preview: (call: Call) => Promise<Outcome>
  /** Runs many calls, side by side where that is safe; outcomes in the order of the calls. */
  readonly batch: ExecuteBatch
  /** Runs one call and tells its events as they happen. Whoever stops reading cancels it. */
  readonly stream: Stream
  /** What the policy decides on a call, without running it. */
  readonly why: (call: Call) => Promise<Why>
  /** Every tool there is; for a model provider, as the `tools` of a request to it. */
  readonly tools: ListTools
  /** The tools as the AI SDK takes them, with its own approval: `generateText({ model, ...(await legwork.aiSdk()), prompt })`. */
  readonly aiSdk: (options?: OfferOptions) => Promise<AiSdkTools>
  /** Runs the tool calls of a model's reply and gives the messages to send back. */
  readonly handle: Handle
  /** One tool by any of its spellings. */
  readonly tool: (spelling: string) => Promise<ToolDescription | undefined>
  /** The tools that fit some words, best first. */
  readonly search: (words: string, most?: number) => Promise<readonly ToolDescription[]>
  /** Tells the listener of every event of every call, until the returned function is called. */
  readonly on: (listener: Listener) => () => void
  readonly journal: Journal
  /** Results that are too long to be handed over at once. */
  readonly results: LargeResults
  /** What each source gave. */
  readonly sources: () => readonly CatalogueStatus[]
  /** What was wrong with the configuration and the sources, though not so wrong that nothing works. */
  readonly warnings: readonly string[]
  /** Which rules of the policy match no tool, one sentence each. Every source is asked for its tools. */
  readonly unmatchedRules: () => Promise<readonly string[]>
  readonly workspace: string
  /** Waits for what runs, ends the streams, then lets go of everything. */
  readonly close: () => Promise<void>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

export interface ListTools {
  (): Promise<readonly ToolDescription[]>
  <P extends Provider>(provider: P, options?: ProviderToolsOptions): Promise<CompiledTools<P>>
}

export interface ProviderToolsOptions extends CompileOptions {
  /** Which tools the model is offered. Default: all of them. */
  readonly only?: (tool: ToolDescription) => boolean
}

/** Without the keys of the configuration file, looks for the file; with any of them, takes those instead. */
export async function createLegwork(options: FileOptions | LegworkOptions = {}): Promise<Legwork> {
  const { approve, traceContent = false, clock = systemClock, scriptPool } = options
  const { loaded, functions } = await load(options)
  const policy = makePolicy(policySettings(loaded))
  const redactor = learningRedactor({
    values: secretValues(loaded),
    patterns: loaded.configuration.redact?.patterns ?? [],
  })
  const limits = loaded.configuration.limits ?? {}
  const catalogue = new Catalogue(clock)
  if (functions.length) await catalogue.add(functionSource('functions', functions))
  const sources = await sourcesOf(loaded, redactor)
  for (const source of sources) await catalogue.add(source)
  const journal = journalOf(loaded, clock)
  const places = machinePlaces(loaded.folder)
  const { pendingApprovals = journal.path !== undefined } = options
  const engine = createEngine({
    catalogue,
    policy,
    journal,
    redactor,
    limits,
    clock,
    approve,
    pendingApprovals,
    traceContent,
    places,
  })
  const results = openResults(journal.path, { redactor, limits: makeLimits(limits), clock }, catalogue)
  if (results.hasSome) await results.addReader()
  const why = createWhy({ catalogue, policy, limits })
  const tools = listTools(catalogue)
  const loadHandle = once(async () => {
    const { createHandle } = await import('./toolcall/front.ts')
    const resolve = (spelling: string) => catalogue.resolve(spelling)
    return createHandle({ executeBatch: engine.executeBatch, resolve, maxInputBytes: limits.maxInputBytes })
  })
  const work = new OpenWork('This Legwork is closed. Make another with createLegwork.')
  const streamsEnd = new AbortController()
  let closing: Promise<void> | undefined

  const whileOpen = <T>(start: () => Promise<T>): Promise<T> => work.begin(start)
  const { close: closeRuns, ...whatRuns } = createRuns({
    engine,
    catalogue,
    loaded,
    redactor,
    clock,
    whileOpen,
    scriptPool,
    tools,
    why,
    whyTool: createWhyTool({ policy }),
  })
  const { close: closeServing, ...serving } = createServing({
    engine,
    catalogue,
    sources,
    loaded,
    results: results.large,
    script: whatRuns.script,
    whileOpen,
  })
  // Nobody may be reading a stream any more, and its tool would wait for that.
  const untilClosed = (call: Call): Call => {
    const signals = [call.signal, streamsEnd.signal].filter((signal) => signal !== undefined)
    return { ...call, signal: AbortSignal.any(signals) }
  }
  const close = () => {
    streamsEnd.abort()
    work.shut()
    closing ??= closeServing()
      .then(() => work.settled())
      .then(() => closeRuns())
      .then(() => catalogue.close())
      .then(() => journal.close())
    return closing
  }

  const call = async (given: Call) => whileOpen(() => engine.execute(given))

  return {
    call,
    preview: async (call) =>
      whileOpen(async () => {
        const tool = await catalogue.resolve(call.tool)
        if (!tool) return engine.execute(call)
        const { preview, plan, ...rest } = tool
        if (preview) return engine.executeTool({ ...rest, ...(plan && { plan }), run: preview }, call)
        // Nobody need be asked about what does nothing.
        return engine.executeTool({ ...rest, effects: { readOnly: true }, run: async () => hasNoPreview }, call)
      }),
    batch: async (calls, batchOptions) => whileOpen(() => engine.executeBatch(calls, batchOptions)),
    stream: createStream(async (call, listener) => whileOpen(() => engine.execute(untilClosed(call), listener))),
    why: async (given) => whileOpen(() => why(given)),
    tools: listTools(catalogue, whileOpen),
    aiSdk: async (offerOptions) =>
      whileOpen(async () => {
        const { aiSdkTools } = await import('./adapters/ai-sdk-tools.ts')
        return aiSdkTools({ tools, why, call }, offerOptions)
      }),
    handle: async (...reply) => whileOpen(async () => (await loadHandle())(...reply)),
    tool: async (spelling) =>
      whileOpen(async () => {
        const tool = await catalogue.resolve(spelling)
        return tool && describeTool(tool)
      }),
    search: async (words, most) => whileOpen(async () => (await catalogue.search(words, most)).map(describeTool)),
    ...whatRuns,
    ...serving,
    on: engine.on,
    journal,
    results: results.large,
    sources: () => redactor.value(catalogue.status()),
    warnings: warningsOf(loaded, catalogue, policy),
    unmatchedRules: async () => whileOpen(async () => rulesThatMatchNothing(policy, await catalogue.list())),
    workspace: loaded.folder,
    close,
    [Symbol.asyncDispose]: close,
  }
}

function listTools(catalogue: Catalogue, whileOpen = <T>(list: () => Promise<T>) => list()): ListTools {
  const compiled = async <P extends Provider>(provider: P, { only, ...options }: ProviderToolsOptions = {}) => {
    const { compileTools } = await import('./toolcall/compile.ts')
    const tools = (await catalogue.list()).map(describeTool)
    return compileTools(provider, only ? tools.filter(only) : tools, options)
  }
  const list = async (provider?: Provider, options?: ProviderToolsOptions): Promise<unknown> =>
    whileOpen(async () =>
      provider === undefined ? (await catalogue.list()).map(describeTool) : compiled(provider, options),
    )
  return list as ListTools
}

const hasNoPreview: Ran = { ok: false, code: 'tool-failed', message: 'This tool has no preview, and did not run.' }

/** Makes something when it is first wanted, and keeps it. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}

const codeKeys = ['approve', 'scriptPool', 'pendingApprovals', 'traceContent', 'clock', 'workspace']

async function load(
  options: FileOptions | LegworkOptions,
): Promise<{ loaded: LoadedConfiguration; functions: FunctionTool[] }> {
  const { approve: _, traceContent: __, clock: ___, pendingApprovals: ____, scriptPool: _____, ...rest } = options
  if ('configuration' in rest || Object.keys(rest).length === 0) {
    return { loaded: await readConfiguration('configuration' in rest ? rest.configuration : undefined), functions: [] }
  }
  const { workspace = '.', functions = [], ...keys } = rest as LegworkOptions
  if (!Array.isArray(functions)) {
    throw new LegworkError('invalid-tool', '"functions" must be a list of tools and of paths of modules.')
  }
  const paths = functions.filter((item) => typeof item === 'string')
  const tools = functions.filter(isFunctionTool)
  if (paths.length + tools.length < functions.length) {
    throw new LegworkError('invalid-tool', 'Something in "functions" is no tool. Make it with defineTool.')
  }
  const loaded = await checkConfiguration(
    { ...keys, functions: paths },
    resolve(workspace),
    process.env,
    codeKeys,
    ruleFault,
  )
  return { loaded, functions: tools }
}

function journalOf(loaded: LoadedConfiguration, clock: Clock): Journal {
  if (loaded.configuration.journal?.path === ':memory:') return memoryJournal(clock)
  const options = { ...journalOptions(loaded), clock }
  return lazyJournal(options.path, () => openJournal(options))
}

/** Rules are compared with tools only where that opens no source that waits to be asked; `doctor` compares them all. */
function warningsOf(loaded: LoadedConfiguration, catalogue: Catalogue, policy: Policy): string[] {
  const rules = catalogue.hasUnasked() ? [] : rulesThatMatchNothing(policy, catalogue.listLoaded())
  return [...loaded.warnings, ...catalogue.status().flatMap(({ warnings }) => warnings), ...rules]
}

function rulesThatMatchNothing(policy: Policy, tools: Iterable<Tool>): string[] {
  return unmatchedRules(policy, tools).map(
    ({ verdict, pattern }) => `The rule ${verdict} "${pattern}" matches no tool.`,
  )
}
