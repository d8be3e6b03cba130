// The door `legwork/program`: command-line programs described by ATIP metadata, under the names of specification 003.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { systemClock } from '../base/clock.ts'
import { Catalogue } from '../catalogue/catalogue.ts'
import { createEngine } from '../engine/engine.ts'
import { lazyJournal } from '../journal/lazy.ts'
import { memoryJournal } from '../journal/memory.ts'
import type { ApprovalRequest, Approve } from '../model/decision.ts'
import { checkLimit } from '../model/limits.ts'
import type { Tool, ToolDefinition } from '../model/tool.ts'
import { createRedactor, looksSecret, type Redactor } from '../outcome/redact.ts'
import { makePolicy } from '../policy/policy.ts'
import { executorOn } from '../program/executor.ts'
import type { Executor, ExecutorConfig } from '../program/executor-types.ts'
import { patternSources } from '../program/format.ts'
import type { ExecutionPolicy } from '../program/policy-check.ts'
import type { ExecutorResult } from '../program/settle.ts'
import type { ToolCall } from '../toolcall/parse.ts'
import type { Provider } from '../toolcall/provider.ts'
import { handleToolResult } from '../toolcall/result.ts'
import type { ProviderMessages } from '../toolcall/wire.ts'

export type { Effects, Trust } from '../model/effects.ts'
export { mergeEffects } from '../model/effects.ts'
export type { TruncateMode } from '../outcome/truncate.ts'
export { checkDestructive, checkInteractive, checkTrustLevel } from '../policy/checks.ts'
export {
  type Arguments,
  buildArguments,
  buildCommandArray,
  buildOptions,
  formatOptionFlag,
} from '../program/argv.ts'
export { checkMetadata, type MetadataCheck } from '../program/check-metadata.ts'
export {
  type CapturedOutput,
  captureOutput,
  type EndingProcess,
  handleTimeout,
  type PrintingProcess,
  type TimeoutHandle,
} from '../program/child.ts'
export type { CommandMapping } from '../program/commands.ts'
export {
  ArgumentValidationError,
  type AtipErrorCode,
  AtipExecuteError,
  type ConfirmationContext,
  CostExceededError,
  ExecutionError,
  InsufficientTrustError,
  InteractiveNotSupportedError,
  PolicyViolationError,
  RequiresConfirmationError,
  TimeoutError,
  UnknownCommandError,
} from '../program/errors.ts'
export {
  type CommandOptions,
  type ExecutionOptions,
  type ExecutionResult,
  executeCommand,
  spawnWithTimeout,
} from '../program/execution.ts'
export type {
  BatchOptions,
  BatchResult,
  CallOptions,
  Executor,
  ExecutorCall,
  ExecutorConfig,
  StreamEvent,
} from '../program/executor-types.ts'
export {
  combineStreams,
  filterSecrets,
  formatError,
  formatResult,
  type OutputOptions,
  truncateOutput,
} from '../program/format.ts'
export { findCommand, getAvailableCommands, mapToCommand, unflattenName } from '../program/mapping.ts'
export type {
  AtipArgument,
  AtipCommand,
  AtipOption,
  AtipTool,
  ParameterType,
  ProgramMetadata,
} from '../program/metadata.ts'
export {
  checkEnumValue,
  coerceType,
  type ParameterIssue,
  type ParameterValidation,
  type ValidationResult,
  validateArgument,
  validateOption,
  validateToolCall,
} from '../program/parameters.ts'
export { checkPolicy, type ExecutionPolicy, type PolicyCheckResult } from '../program/policy-check.ts'
export { type MetadataFiles, readMetadata } from '../program/read-metadata.ts'
export type { ExecutorResult } from '../program/settle.ts'
export { parseToolCall, type ToolCall } from '../toolcall/parse.ts'

/** An executor with a small engine of its own and a journal in memory. The commands of the tools are the owner's own. */
export function createExecutor(config: ExecutorConfig): Executor {
  const { execution = {}, output = {} } = config
  const { confirmationHandler, ...settings } = config.policy ?? {}
  const workspace = resolve(execution.cwd ?? '.')
  const maxOutputSize = checkLimit('maxOutputBytes', execution.maxOutputSize)
  checkLimit('timeoutMs', execution.timeout)
  const names = new Map<string, string>()
  let amount = 0
  const catalogue = new Catalogue()
  const policy = makePolicy(settings)
  const journal = lazyJournal(':memory:', memoryJournal)
  const redactor = output.redactSecrets === false ? nothingRedacted : redactorFor(config, workspace)
  const engine = createEngine({
    catalogue,
    policy,
    journal,
    redactor,
    limits: { maxOutputBytes: maxOutputSize },
    clock: systemClock,
    approve: confirmationHandler && approveBy(confirmationHandler, names),
  })
  const add = async (definitions: readonly ToolDefinition[]): Promise<readonly Tool[]> => {
    const source = `programs ${++amount}`
    const aliased = definitions.map((definition, at) => {
      return { ...definition, name: { ...definition.name, aliases: [`${source} ${at}`] } }
    })
    await catalogue.add({ name: source, load: () => ({ tools: aliased }) })
    return Promise.all(definitions.map(async (_, at) => (await catalogue.resolve(`${source} ${at}`)) as Tool))
  }
  const isTaken = (spelling: string) => catalogue.resolve(spelling) !== undefined
  const parts = { ...engine, add, isTaken, policy, redactor, journal, names, workspace, maxOutputSize }
  return executorOn(parts, config)
}

/** The message that tells a model of a result, as its provider wants it. */
export function formatForProvider<P extends Provider>(
  provider: P,
  call: Pick<ToolCall, 'id' | 'name' | 'madeUpId'>,
  result: Pick<ExecutorResult, 'success' | 'formatted'>,
): ProviderMessages[P] {
  return handleToolResult(provider, call, { ok: result.success, text: result.formatted })
}

function redactorFor({ execution, output }: ExecutorConfig, workspace: string): Redactor {
  const isPath = (text: string) => existsSync(resolve(workspace, text))
  const values = Object.values(execution?.env ?? {}).filter((value) => looksSecret(value, isPath))
  return createRedactor({ values, patterns: patternSources(output?.redactPatterns ?? []) })
}

/** For owners who say so: everything as it is. */
const nothingRedacted: Redactor = {
  text: (text) => text,
  value: (value) => value,
  stream: () => ({ push: (chunk) => chunk, end: () => '' }),
}

type Handler = NonNullable<ExecutionPolicy['confirmationHandler']>

function approveBy(handler: Handler, names: ReadonlyMap<string, string>): Approve {
  return ({ tool, reasons, argv = [], input, effects, trust }: ApprovalRequest) =>
    handler({ toolName: names.get(tool) ?? tool, reasons, command: argv, arguments: input, effects, trust })
}
