// The public API, by name.

export type { Agent, AgentOptions, SendOptions } from './adapters/agent.ts'
export type { Clock } from './base/clock.ts'
export type { Json } from './base/json.ts'
export type { Configuration } from './configuration/load.ts'
export type { BatchOptions } from './engine/batch.ts'
export type { Why } from './engine/why.ts'
export { defineTool, type FunctionContext, type FunctionTool, type ToolOptions } from './function/define-tool.ts'
export type { Journal, JournalFilter, Verification } from './journal/journal.ts'
export { type CodeOptions, createLegwork, type FileOptions, type Legwork, type LegworkOptions } from './legwork.ts'
export type { Call, Caller, Front } from './model/call.ts'
export type { ApprovalAnswer, ApprovalRequest, Approve, Decision, Verdict } from './model/decision.ts'
export type { Effects, Trust } from './model/effects.ts'
export type { Entry } from './model/entry.ts'
export {
  ConfigurationError,
  type ConfigurationFault,
  DuplicateToolError,
  type ErrorCode,
  JournalError,
  LegworkError,
  LimitError,
  NameError,
  RuleError,
} from './model/errors.ts'
export type { CallEvent, Listener } from './model/event.ts'
export { fromAzureName, type Spellings, toAzureName } from './model/name.ts'
export {
  exitCodeOf,
  type Failure,
  type ModelUse,
  type Outcome,
  type OutcomeCode,
  type ProcessReport,
  type Success,
} from './model/outcome.ts'
export type { Issue, IssueCode, StandardSchema } from './model/schema.ts'
export type { Progress, ToolDescription, ToolKind } from './model/tool.ts'
