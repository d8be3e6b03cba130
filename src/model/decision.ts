// What the policy says of a call, and what a person is asked and answers.

import type { JsonObject } from '../base/json.ts'
import type { Effects, Trust } from './effects.ts'

export type Verdict = 'allow' | 'ask' | 'deny'

export interface Decision {
  readonly verdict: Verdict
  /** The rule or setting that decided, such as `deny "effect:billable"` or `allowDestructive`. */
  readonly rule: string
  /** Why, in sentences; the decisive ones first. */
  readonly reasons: readonly string[]
  /** Where the rule stands, if it stands in a file. */
  readonly where?: RulePlace
  /** What is worth knowing although it did not decide. */
  readonly warnings?: readonly string[]
}

export interface RulePlace {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly frame: string
}

/** What a person sees before they say yes or no. Secrets are redacted in it. */
export interface ApprovalRequest {
  readonly callId: string
  readonly tool: string
  /** What people call the tool, where it has a title. */
  readonly title?: string
  readonly description: string
  readonly input: unknown
  /** Instructions in prose that go with the input, if there are any. */
  readonly content?: string
  /** The whole command line, where a process would be started. */
  readonly argv?: readonly string[]
  readonly effects: Effects
  readonly trust: Trust
  readonly rule: string
  readonly reasons: readonly string[]
  /** Fires when the answer is no longer wanted. */
  readonly signal: AbortSignal
}

/** `elsewhere`: the question cannot be put to a person here, and is kept for one to answer it elsewhere. */
export type ApprovalAnswer = boolean | 'elsewhere' | { readonly approved: boolean; readonly reason?: string }

export type Approve = (request: ApprovalRequest) => ApprovalAnswer | Promise<ApprovalAnswer>

/** What a call would do, worked out from its input before anything runs. */
export interface Plan {
  /** The command line, program first. */
  readonly argv?: readonly string[]
  /** The same without global options: what rules such as `Bash(git diff:*)` look at as well. */
  readonly command?: readonly string[]
  /** Effects that this input adds to the tool's own. */
  readonly effects?: Effects
  /** Files and folders that the input names, for telling calls apart that may run side by side. */
  readonly paths?: readonly string[]
  /** Why a person has to be asked whatever the rules allow, such as a description that has changed since it was pinned. */
  readonly questions?: readonly string[]
  /** Anything a person should see with it. */
  readonly details?: JsonObject
}
