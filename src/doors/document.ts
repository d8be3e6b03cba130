// The door `legwork/document`: documents whose blocks run, under the names of specification 001.

import { type Clock, systemClock } from '../base/clock.ts'
import { isObject, setOwn } from '../base/json.ts'
import { Catalogue } from '../catalogue/catalogue.ts'
import { type BlockContext, type BlockExecutionContext, currentBlock } from '../document/block-context.ts'
import type { Document } from '../document/document.ts'
import { DocumentError } from '../document/document-error.ts'
import type { DocumentHooks } from '../document/events.ts'
import { withIsolation } from '../document/inherited-context.ts'
import type { ExtractResult, LoadResource } from '../document/isolation.ts'
import type { DocumentOptions } from '../document/options.ts'
import { parseDocument } from '../document/parse.ts'
import type { ResolveVariables } from '../document/resolve-variables.ts'
import { checkGiven, runDocument } from '../document/run.ts'
import type { ExecutionState } from '../document/state.ts'
import { ToolExecutionContext } from '../document/tool-context.ts'
import { loaderOf, toolsOf } from '../document/tool-load.ts'
import { createEngine, type Engine as PathEngine } from '../engine/engine.ts'
import { OpenWork } from '../engine/open-work.ts'
import type { Journal } from '../journal/journal.ts'
import { lazyJournal } from '../journal/lazy.ts'
import { memoryJournal } from '../journal/memory.ts'
import type { Approve } from '../model/decision.ts'
import { effectFaults, unknownEffects } from '../model/effect-faults.ts'
import type { Effects } from '../model/effects.ts'
import { LegworkError } from '../model/errors.ts'
import type { Listener } from '../model/event.ts'
import { checkLimit, type LimitName } from '../model/limits.ts'
import { checkId } from '../model/name.ts'
import type { Outcome } from '../model/outcome.ts'
import { anySchema, type StandardSchema } from '../model/schema.ts'
import type { RunContext, ToolDefinition } from '../model/tool.ts'
import { createRedactor } from '../outcome/redact.ts'
import { makePolicy } from '../policy/policy.ts'
import type { PolicySettings } from '../policy/settings.ts'

export {
  type BlockContext,
  type BlockExecutionContext,
  currentBlock,
  type Resource,
  type Said,
  type SaidMention,
} from '../document/block-context.ts'
export { BlockError, type BlockResult } from '../document/block-result.ts'
export type * from '../document/document.ts'
export { DocumentError } from '../document/document-error.ts'
export type { DocumentEvent, DocumentHooks } from '../document/events.ts'
export { type DocumentFault, type DocumentFaultCode, describeFault } from '../document/faults.ts'
export {
  type InheritedContext,
  type ToolResult,
  type Utterance,
  withInherited,
} from '../document/inherited-context.ts'
export type { ExtractContext, ExtractResult, LoadResource } from '../document/isolation.ts'
export type { DocumentOptions } from '../document/options.ts'
export { parseDocument } from '../document/parse.ts'
export type { ResolveVariables, VariableContext, VariableValues } from '../document/resolve-variables.ts'
export type { DocumentRun } from '../document/run.ts'
export { type ExecutionMetadata, ExecutionState } from '../document/state.ts'
export { ToolExecutionContext, type ToolMetadata } from '../document/tool-context.ts'

/** What a tool is told besides its parameters and its content. */
export type ToolContext<Api = unknown> = BlockExecutionContext &
  Pick<RunContext, 'signal' | 'progress' | 'log' | 'call'> & {
    /** What the host lends to its tools. */
    readonly api?: Api
  }

export interface DocumentTool<Params = unknown, Api = unknown> {
  /** By zod or any Standard Schema. Default: anything, of which nothing is known. */
  readonly schema?: StandardSchema<unknown, Params>
  /** Default none. */
  readonly description?: string
  /** What it may do to the world. Default: unknown, which the host's own tools may be. */
  readonly effects?: Effects
  /** Longest it may run, in milliseconds. Default: the engine's. */
  readonly timeoutMs?: number
  /** Carries it out. `content` is the text of the block, `""` when it has none. */
  readonly execute: (params: Params, content: string, context: ToolContext<Api>) => unknown
}

export interface EngineOptions<Params extends Readonly<Record<string, unknown>>, Api> {
  /** By `module:function` or `function`, both JavaScript identifiers. The type of `params` follows from the schema. */
  readonly tools: { readonly [Name in keyof Params]: DocumentTool<Params[Name], Api> }
  /** Lent to every tool as `context.api`. Default nothing. */
  readonly api?: Api
  /** Documents whose `<tool>` blocks become tools. Default none. */
  readonly documents?: readonly (Document | string)[]
  /**
   * Finds the values of variables, all at once. Default: for a document nobody, so that a block that needs one fails; for a custom
   * tool, what its caller mentions and says of them by their names.
   */
  readonly resolveVariables?: ResolveVariables
  /** Makes the one result of an isolated run. Default: the last block's. */
  readonly extract?: ExtractResult
  /**
   * Gives the text of what is mentioned, for isolated runs. Default: of the documents above, by the id of their root, without the
   * tools in them.
   */
  readonly loadResource?: LoadResource
  /** Whether every custom tool runs apart from the conversation. Default: those that say isolated="true". */
  readonly isolated?: boolean
  /** For every document that it runs. */
  readonly hooks?: DocumentHooks
  /** Default: the usual settings. The tools count as the owner's own. */
  readonly policy?: PolicySettings
  /** Asks a person where the policy wants it. Default: nobody. */
  readonly approve?: Approve
  /** Default: the usual ones. */
  readonly limits?: { readonly [Name in LimitName]?: number }
  /** What never shows in a result, besides the tokens that are known by their shape. Default none. */
  readonly redact?: { readonly values?: readonly string[]; readonly patterns?: readonly string[] }
  /** Default: the system's. */
  readonly clock?: Clock
}

/** What one run may say otherwise than the engine: its `api`, its resolver and its hooks go before the engine's. */
export type ExecuteOptions = DocumentOptions

export interface CustomCallOptions {
  /** What is wanted, in words: rich text. Default none. */
  readonly content?: string
  /** Values that need not be found. Default none. */
  readonly variables?: ReadonlyMap<string, string> | Readonly<Record<string, string>>
  /** Runs it apart from the conversation. Default: as the tool says. */
  readonly isolated?: boolean
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
}

/** Runs documents with the tools of a host, on a small engine of its own with a journal in memory. */
export class Engine<
  Params extends Readonly<Record<string, unknown>> = Readonly<Record<string, unknown>>,
  Api = unknown,
> {
  /** Every call of every block. In memory. */
  readonly journal: Journal
  readonly #options: EngineOptions<Params, Api>
  readonly #catalogue = new Catalogue()
  readonly #engine: PathEngine & { readonly redact: (text: string) => string }
  readonly #ready: Promise<void>
  readonly #work = new OpenWork('This Engine is closed. Make another.')

  constructor(options: EngineOptions<Params, Api>) {
    const { approve, limits = {}, redact = {}, clock = systemClock } = options
    this.#options = options
    this.journal = lazyJournal(':memory:', memoryJournal)
    const redactor = createRedactor({ values: redact.values ?? [], patterns: redact.patterns ?? [] })
    const engine = createEngine({
      catalogue: this.#catalogue,
      policy: makePolicy(options.policy),
      journal: this.journal,
      redactor,
      limits,
      clock,
      approve,
    })
    this.#engine = { ...engine, redact: redactor.text }
    const tools = Object.entries<unknown>(options.tools).map(([id, tool]) => toolOf(id, tool, options.api))
    const documents = (options.documents ?? []).map(parsedOf)
    const host = { ...options, loadResource: options.loadResource ?? loaderOf(documents) }
    const custom = documents.flatMap((document) => toolsOf(document, host))
    this.#ready = this.#catalogue.add({ name: 'tools', load: () => ({ tools: [...tools, ...custom] }) })
    this.#ready.catch(() => {})
  }

  /**
   * Runs a document, or one block of it, and gives what its blocks gave, failures included. Throws when nothing can run: for a
   * text that is no document, for a block that nobody knows, for a state that is none.
   */
  async execute(document: Document | string, options: ExecuteOptions = {}): Promise<ExecutionState> {
    checkGiven(document, options)
    const { api, resolveVariables, hooks, clock } = this.#options
    const ours = {
      ...(api !== undefined && { api }),
      ...(resolveVariables && { resolveVariables }),
      ...(hooks && { hooks }),
      ...(clock && { clock }),
    }
    const { outcome, state, faults } = await this.#whileOpen(() =>
      runDocument(this.#engine, document, { ...ours, ...options }),
    )
    if (faults.length) throw new DocumentError(faults)
    if (began(outcome)) return state
    throw new LegworkError('execution-failed', outcome.message)
  }

  /** Calls one tool, as a program does: on the same path, with no document around it. */
  async call(
    tool: keyof Params & string,
    params: unknown = {},
    content = '',
    { signal, timeoutMs }: { readonly signal?: AbortSignal; readonly timeoutMs?: number } = {},
  ): Promise<Outcome> {
    return this.#whileOpen(() =>
      this.#engine.execute({
        tool,
        input: params,
        content,
        ...(signal && { signal }),
        ...(timeoutMs !== undefined && { timeoutMs }),
      }),
    )
  }

  /**
   * Calls a tool that a document defines, by its title or by its name, and gives all there is to know of its run, blocks that failed
   * included. Throws when nothing could run: for a tool that nobody knows, for variables that nothing resolves.
   */
  async executeTool(title: string, options: CustomCallOptions = {}): Promise<ToolExecutionContext> {
    const { content = '', variables = {}, isolated, signal, timeoutMs } = options
    const values = {}
    for (const [name, value] of variables instanceof Map ? variables : Object.entries(variables)) {
      setOwn(values, name, value)
    }
    const call = {
      tool: title,
      input: Object.keys(values).length > 0 ? { variables: values } : {},
      content,
      ...(signal && { signal }),
      ...(timeoutMs !== undefined && { timeoutMs }),
    }
    const start = () => this.#engine.execute(call)
    const outcome = await this.#whileOpen(isolated ? () => withIsolation(start) : start)
    if (began(outcome) && isObject(outcome.value)) return ToolExecutionContext.fromJSON(outcome.value)
    throw new LegworkError('execution-failed', outcome.ok ? `"${title}" is no tool of a document.` : outcome.text)
  }

  /** Tells the listener of every event of every call, until the returned function is called. */
  on(listener: Listener): () => void {
    return this.#engine.on(listener)
  }

  /** Waits for what runs, then lets go of everything. */
  async close(): Promise<void> {
    this.#work.shut()
    await this.#work.settled()
    await this.#catalogue.close()
    this.journal.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #whileOpen<T>(start: () => Promise<T>): Promise<T> {
    return this.#work.begin(() => this.#ready.then(start))
  }
}

function parsedOf(given: Document | string): Document {
  const parsed = typeof given === 'string' ? parseDocument(given) : { ok: true as const, document: given }
  if (!parsed.ok) throw new DocumentError(parsed.faults)
  return parsed.document
}

function toolOf(id: string, tool: unknown, api: unknown): ToolDefinition {
  const [first = '', second] = checkId(id).split(':')
  if (!isDocumentTool(tool)) {
    throw new LegworkError('invalid-tool', `The tool "${id}" has no function "execute". Write execute: (params) => …`)
  }
  const { schema, description = '', effects = {}, timeoutMs, execute } = tool
  const faults = [...effectFaults(effects, 'effects'), ...unknownEffects(effects, 'effects')]
  if (faults.length) throw new LegworkError('invalid-tool', `The tool "${id}" cannot be used: ${faults.join('; ')}`)
  checkLimit('timeoutMs', timeoutMs)
  return {
    name: second === undefined ? { path: [first] } : { module: first, path: [second] },
    kind: 'function',
    description,
    input: schema ? { type: 'standard', schema } : anySchema,
    effects,
    trust: 'native',
    ownersOwn: true,
    ...(timeoutMs !== undefined && { limits: { timeoutMs } }),
    run: async (params, context) => {
      const value = await execute(params, context.content, contextOf(context, api))
      return { ok: true, value }
    },
  }
}

/** For authors without a type checker. */
function isDocumentTool(tool: unknown): tool is DocumentTool {
  return isObject(tool) && typeof tool.execute === 'function'
}

/** What the run lends goes before what the engine does. */
function contextOf({ signal, progress, log, call }: RunContext, ours: unknown): ToolContext {
  const { currentBlockId, previousResults, document, api = ours } = currentBlock() ?? outsideOfDocuments()
  return { currentBlockId, previousResults, document, signal, progress, log, call, ...(api !== undefined && { api }) }
}

/** What a tool sees that no document called. */
function outsideOfDocuments(): BlockContext {
  const parsed = parseDocument('<document></document>')
  if (!parsed.ok) throw new DocumentError(parsed.faults)
  return { currentBlockId: '', previousResults: new Map(), document: parsed.document }
}

/** Whether the blocks had their turn, however they ended. */
function began(outcome: Outcome): outcome is Extract<Outcome, { ok: true } | { code: 'tool-failed' }> {
  return outcome.ok || ['tool-failed', 'timed-out', 'cancelled'].includes(outcome.code)
}
