// What goes into an executor and what it offers.

import type { Journal } from '../journal/journal.ts'
import type { Call } from '../model/call.ts'
import type { CallEvent, Listener } from '../model/event.ts'
import type { Outcome } from '../model/outcome.ts'
import type { Tool, ToolDefinition } from '../model/tool.ts'
import type { Redactor } from '../outcome/redact.ts'
import type { Policy } from '../policy/policy.ts'
import type { ExecutionOptions } from './execution.ts'
import type { OutputOptions } from './format.ts'
import type { AtipTool } from './metadata.ts'
import type { ValidationResult } from './parameters.ts'
import type { ExecutionPolicy, PolicyCheckResult } from './policy-check.ts'
import type { ExecutorResult, Settled } from './settle.ts'

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
  /** Adds tools to the engine's catalogue, and gives them back in their order. */
  readonly add: (definitions: readonly ToolDefinition[]) => Promise<readonly Tool[]>
  readonly isTaken: (spelling: string) => boolean
  readonly policy: Policy
  readonly redactor: Redactor
  readonly journal: Journal
  /** The flattened names by the ids of the tools, filled here for whoever asks a person. */
  readonly names: Map<string, string>
  readonly workspace: string
  readonly maxOutputSize: number
}
