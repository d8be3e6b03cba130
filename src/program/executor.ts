// The executor of specification 003 on an engine it is handed: names in, the one path, results or the specification's
// errors out.

import { parseJson } from '../base/json.ts'
import { nearest } from '../base/text.ts'
import type { Journal } from '../journal/journal.ts'
import type { Call } from '../model/call.ts'
import type { CallEvent, Listener } from '../model/event.ts'
import type { Outcome } from '../model/outcome.ts'
import type { Tool, ToolDefinition } from '../model/tool.ts'
import type { Redactor } from '../outcome/redact.ts'
import type { Policy } from '../policy/policy.ts'
import { checkMetadata } from './check-metadata.ts'
import { type CommandMapping, flatten } from './commands.ts'
import { UnknownCommandError } from './errors.ts'
import type { ExecutionOptions } from './execution.ts'
import type { OutputOptions } from './format.ts'
import { type Keeper, startKeeping } from './keep-output.ts'
import type { AtipTool, ProgramMetadata } from './metadata.ts'
import { type ValidationResult, validateToolCall } from './parameters.ts'
import { asTool, checkDefinition, type ExecutionPolicy, type PolicyCheckResult } from './policy-check.ts'
import { type ExecutorResult, type Settled, settle } from './settle.ts'
import { programTool } from './tools.ts'

export interface ExecutorConfig {
  /** The metadata of the programs. One that is not valid is left out, with a warning; the others work. */
  readonly tools: readonly AtipTool[]
  readonly policy?: ExecutionPolicy
  readonly execution?: ExecutionOptions & {
    /** A folder for output beyond the limit, which is then kept whole there. Default: it is dropped. */
    readonly keepOutput?: string
  }
  readonly output?: Omit<OutputOptions, 'workspace'>
  /** What stands between the words of a flattened name. Default `_`. */
  readonly separator?: string
  /** Whether arguments are taken as they are; for callers that have checked them. Default false. */
  readonly skipValidation?: boolean
}

/** A model's call, as `parseToolCall` gives it. */
export interface ExecutorCall {
  readonly id?: string
  /** The flattened name, such as `gh_pr_create`. */
  readonly name: string
  /** An object, or the JSON text of one. Default `{}`. */
  readonly arguments?: unknown
  /** Set where the arguments could not be read: such a call is refused. */
  readonly error?: unknown
}

export interface CallOptions {
  /** Ends the call. */
  readonly signal?: AbortSignal
  /** Longest it may run, in milliseconds. Default: the executor's, else what the metadata says, else 30 000. */
  readonly timeout?: number
  /** Default: the executor's. */
  readonly skipValidation?: boolean
}

export interface BatchOptions {
  /** How many calls run side by side, where that is safe. Default 4. */
  readonly concurrency?: number
  /** Whether the rest runs when a call fails. Default true. */
  readonly continueOnError?: boolean
  readonly signal?: AbortSignal
}

/** A call has its result or its error. */
export type BatchResult = { readonly call: ExecutorCall } & Settled

export type StreamEvent =
  | { readonly type: 'stdout' | 'stderr'; readonly text: string }
  | { readonly type: 'result'; readonly result: ExecutorResult }

export interface Executor {
  /** Throws one of the specification's errors; an exit code that is not 0 is a result. */
  readonly execute: (call: ExecutorCall, options?: CallOptions) => Promise<ExecutorResult>
  /** Never throws; results in the order of the calls. */
  readonly executeBatch: (calls: readonly ExecutorCall[], options?: BatchOptions) => Promise<readonly BatchResult[]>
  /** Output as it comes, then the result. Throws as `execute` does. Whoever stops reading cancels the call. */
  readonly executeStream: (call: ExecutorCall, options?: CallOptions) => AsyncGenerator<StreamEvent, void, void>
  /** Whether the arguments fit. Nothing runs. */
  readonly validate: (call: ExecutorCall) => ValidationResult
  /** What the policy says. Nothing runs. Throws for a command that does not exist and for arguments that do not fit. */
  readonly checkPolicy: (call: ExecutorCall) => PolicyCheckResult
  /** The flattened names. */
  readonly commands: () => readonly string[]
  /** What was wrong with the metadata, each with its path. */
  readonly warnings: readonly string[]
  /** Every call that was made, refused ones included. In memory. */
  readonly journal: Journal
}

/** What the executor stands on. */
export interface ExecutorParts {
  readonly execute: (call: Call) => Promise<Outcome>
  readonly executeBatch: (calls: readonly Call[], options?: BatchOptions) => Promise<readonly Outcome[]>
  readonly stream: (call: Call) => AsyncGenerator<CallEvent, void, void>
  readonly on: (listener: Listener) => void
  /** Adds a tool to the engine's catalogue. */
  readonly add: (definition: ToolDefinition) => Promise<Tool>
  readonly isTaken: (spelling: string) => boolean
  readonly policy: Policy
  readonly redactor: Redactor
  readonly journal: Journal
  /** The flattened names by the ids of the tools, filled here for whoever asks a person. */
  readonly names: Map<string, string>
  readonly workspace: string
  readonly maxOutputSize: number
}

export function executorOn(parts: ExecutorParts, config: ExecutorConfig): Executor {
  const { execution = {}, output = {}, separator } = config
  const { tools, warnings } = usable(config.tools)
  const index = flatten(tools, separator)
  const added = new Map<string, Promise<Tool>>()
  const keepers = listen(parts, execution)

  const definitionOf = (mapping: CommandMapping, skipValidation: boolean): ToolDefinition => {
    const { env, shell, confine, resources } = execution
    return programTool(mapping, {
      workspace: parts.workspace,
      ownersOwn: true,
      skipValidation,
      ...(env && { env }),
      ...(shell && { shell }),
      ...(confine && { confine }),
      ...(resources && { resources }),
    })
  }
  /** A command becomes a tool of the engine when it is first called: ten thousand of them cost nothing until then. */
  const toolOf = (mapping: CommandMapping, skipValidation: boolean): Promise<Tool> => {
    const key = `${skipValidation} ${mapping.name}`
    const tool = added.get(key) ?? parts.add(definitionOf(mapping, skipValidation))
    added.set(key, tool)
    return tool
  }
  const unknown = (name: string) => {
    const note = [...warnings, ...tools.flatMap(partialNote)].join(' ')
    return new UnknownCommandError(name, nearest(name, index.keys()), note)
  }

  const prepare = async (call: ExecutorCall, options: CallOptions = {}) => {
    const { signal, timeout = execution.timeout, skipValidation = config.skipValidation ?? false } = options
    const name = String(call.name)
    const mapping = index.get(name)
    const tool = mapping && (await toolOf(mapping, skipValidation))
    if (mapping && tool) parts.names.set(tool.id, mapping.name)
    const made: Call = {
      // Only flattened names count here, though the catalogue knows more spellings of what was called already.
      tool: tool?.id ?? (parts.isTaken(name) ? `"${name}"` : name),
      input: inputOf(call),
      ...(signal && { signal }),
      ...(timeout !== undefined && { timeoutMs: timeout }),
    }
    return { call, mapping, tool, made }
  }
  type Prepared = Awaited<ReturnType<typeof prepare>>

  const finish = async ({ call, mapping, tool, made }: Prepared, outcome: Outcome): Promise<Settled> => {
    const kept = await keepers?.end(outcome)
    if (!mapping || !tool) return { ok: false, error: unknown(String(call.name)) }
    const { policy, redactor, maxOutputSize, workspace } = parts
    const asked = { ...call, arguments: made.input }
    const circumstances = {
      call: asked,
      mapping,
      tool,
      policy,
      redactor,
      maxOutputSize,
      output: { ...output, workspace },
    }
    return settle(outcome, { ...circumstances, kept, timeout: made.timeoutMs ?? tool.limits?.timeoutMs })
  }
  const orThrow = (settled: Settled): ExecutorResult => {
    if (settled.ok) return settled.result
    throw settled.error
  }
  const mapped = ({ name }: ExecutorCall): CommandMapping => {
    const mapping = index.get(name)
    if (!mapping) throw unknown(name)
    return mapping
  }

  return {
    execute: async (call, options) => {
      const prepared = await prepare(call, options)
      return orThrow(await finish(prepared, await parts.execute(prepared.made)))
    },
    executeBatch: async (calls, options = {}) => {
      const prepared = await Promise.all(calls.map((call) => prepare(call)))
      const outcomes = await parts.executeBatch(
        prepared.map(({ made }) => made),
        options,
      )
      const settled = await Promise.all(prepared.map((one, at) => finish(one, outcomes[at] as Outcome)))
      return settled.map((one, at) => ({ call: calls[at] as ExecutorCall, ...one }))
    },
    executeStream: async function* (call, options) {
      const prepared = await prepare(call, options)
      for await (const event of parts.stream(prepared.made)) {
        if (event.type === 'output') yield { type: event.stream, text: event.text }
        if (event.type === 'ended') yield { type: 'result', result: orThrow(await finish(prepared, event.outcome)) }
      }
    },
    validate: (call) => {
      const mapping = index.get(call.name)
      if (mapping) return validateToolCall({ arguments: inputOf(call) }, mapping)
      const error = { path: '', code: 'UNKNOWN_COMMAND', message: unknown(call.name).message } as const
      return { valid: false, errors: [error], warnings: [], arguments: {} }
    },
    checkPolicy: (call) => {
      const mapping = mapped(call)
      const given = call.arguments === undefined ? {} : { arguments: inputOf(call) }
      return checkDefinition(given, mapping, asTool(definitionOf(mapping, false)), parts.policy)
    },
    commands: () => [...index.keys()],
    warnings,
    journal: parts.journal,
  }
}

/** Text that is JSON is taken for what it says; any other is refused when it is checked. */
function inputOf({ arguments: given = {}, error }: ExecutorCall): unknown {
  if (error !== undefined) return 'arguments that could not be read'
  if (typeof given !== 'string') return given
  const parsed = parseJson(given)
  return parsed.ok ? parsed.value : given
}

function usable(given: readonly AtipTool[]): { tools: readonly ProgramMetadata[]; warnings: readonly string[] } {
  const tools = new Map<string, ProgramMetadata>()
  const warnings: string[] = []
  for (const [at, tool] of given.entries()) {
    const checked = checkMetadata(tool)
    if (!checked.ok) warnings.push(...checked.faults.map((fault) => `tools[${at}]: ${fault}`))
    else if (tools.has(checked.metadata.name)) {
      warnings.push(`tools[${at}].name: there is another program "${checked.metadata.name}"; the first one counts.`)
    } else tools.set(checked.metadata.name, checked.metadata)
  }
  return { tools: [...tools.values()], warnings }
}

function partialNote({ name, partial }: ProgramMetadata): readonly string[] {
  return partial ? [`The metadata of "${name}" is partial: a command that it leaves out cannot be called.`] : []
}

/** Passes output on to whoever listens, and to the files that keep it. */
function listen({ on, maxOutputSize }: ExecutorParts, execution: NonNullable<ExecutorConfig['execution']>) {
  const { onStdout, onStderr, keepOutput } = execution
  if (!onStdout && !onStderr && keepOutput === undefined) return undefined
  const keepers = new Map<string, Keeper>()
  const keep = (callId: string, folder: string): Keeper => {
    const keeper = keepers.get(callId) ?? startKeeping(folder, callId, maxOutputSize)
    keepers.set(callId, keeper)
    return keeper
  }
  on(async (event) => {
    if (event.type !== 'output') return
    const { stream, text, callId } = event
    const passed = (stream === 'stdout' ? onStdout : onStderr)?.(text)
    if (keepOutput !== undefined) await keep(callId, keepOutput).add(stream, text)
    await passed
  })
  const end = async ({ callId, process }: Outcome) => {
    const keeper = keepers.get(callId)
    keepers.delete(callId)
    const isCut = (bytes = 0) => bytes > maxOutputSize
    return keeper?.end({ stdout: isCut(process?.stdoutBytes), stderr: isCut(process?.stderrBytes) })
  }
  return { end }
}
