// A thing that can be called. Systems give these to the catalogue; the engine alone runs them.

import type { Deadline } from '../base/deadline.ts'
import type { PendingNotice } from './approval.ts'
import type { Call, Caller } from './call.ts'
import type { AskedClient } from './client.ts'
import type { Plan } from './decision.ts'
import type { Effects, Trust } from './effects.ts'
import type { Level } from './entry.ts'
import type { Limits } from './limits.ts'
import type { Spellings, ToolName } from './name.ts'
import type { DeniedReason, ModelUse, NotRunnableReason, Outcome, ProcessReport } from './outcome.ts'
import type { Issue, Schema } from './schema.ts'

export const toolKinds = ['function', 'program', 'skill', 'mcp', 'document', 'contract', 'toolscript'] as const
export type ToolKind = (typeof toolKinds)[number]

/** A tool as its source describes it, before the catalogue has given it its spellings. */
export interface ToolDefinition {
  readonly name: ToolName
  /** What people call it, where that is more than its name; it is then found by a title that is nearly the same, too. Default none. */
  readonly title?: string
  readonly kind: ToolKind
  readonly description: string
  readonly input: Schema
  /** What it returns, for callers that want to know; checked for functions alone. */
  readonly output?: Schema
  readonly effects: Effects
  readonly trust: Trust
  /** Whether its author is the owner of this catalogue: then unknown effects need no question. Default false. */
  readonly ownersOwn?: boolean
  /** Limits of its own; the caller's and the configuration's go before them. */
  readonly limits?: Partial<Pick<Limits, 'timeoutMs' | 'maxOutputBytes'>>
  /** What its journal entries say besides, such as the skill and the script. */
  readonly labels?: { readonly skill?: string; readonly script?: string }
  /**
   * Says which code a run would run, beyond what the definition tells: a script's text, a server's command line. Another text, and
   * an approval of before holds no more. Default: nothing is known of it.
   */
  readonly fingerprint?: () => string
  /** Works out from a valid input what a run would do. Pure. */
  readonly plan?: (input: unknown) => Planned
  /** Carries it out. Settles soon after the signal fires, and leaves nothing running. */
  readonly run: (input: unknown, context: RunContext) => Promise<Ran>
  /** Tells what a run would begin with, and does none of it. Default: it has no preview. */
  readonly preview?: ToolDefinition['run']
}

export interface Tool extends ToolDefinition {
  /** `module:function`, or a single word. */
  readonly id: string
  /** The name of the source that gave it. */
  readonly source: string
  readonly spellings: Spellings
}

/** A tool to look at: it cannot be run from here, only by a call. */
export type ToolDescription = Omit<Tool, 'run' | 'preview' | 'plan' | 'fingerprint'>

export function describeTool({ run: _, preview: ___, plan: __, fingerprint: ____, ...tool }: Tool): ToolDescription {
  return { ...tool, effects: structuredClone(tool.effects) }
}

/** A plan, or the faults that only planning could find. */
export type Planned =
  | { readonly ok: true; readonly plan: Plan }
  /** `refusal` where it is not the input's fault: what the tool runs is not there. */
  | { readonly ok: false; readonly issues: readonly Issue[]; readonly refusal?: NotThere }

export interface NotThere {
  readonly ok: false
  readonly code: 'not-runnable'
  readonly reason: NotRunnableReason
  readonly message: string
}

export interface RunContext {
  readonly callId: string
  readonly caller: Caller
  /** Whom the tool can ask; its clock stands still meanwhile. Missing where there is nobody. */
  readonly client?: AskedClient
  readonly content: string
  /** Fires when time runs out or the caller gives up. */
  readonly signal: AbortSignal
  /** Starts a clock for a part of the run, which stands still whenever the run's own does. */
  readonly deadline: (timeoutMs: number) => Deadline
  readonly limits: Limits
  /** What the call was decided on; programs run exactly this. */
  readonly plan: Plan | undefined
  /** How far it has got; anything that helps a person waiting. */
  readonly progress: (update: Progress) => void
  /** Output of a process as it comes; a promise asks for a pause until it settles. */
  readonly output: (stream: 'stdout' | 'stderr', text: string) => void | Promise<void>
  /** What the tool says besides, for whoever listens. */
  readonly log: (level: Level, message: string) => void
  /** Says what a language model was asked on behalf of this call; the outcome has the sum. */
  readonly usedModel: (use: ModelUse) => void
  /**
   * Calls another tool on the one path, as a part of this call: it is linked to it in the journal, stands in its `calls`, ends
   * with it, may do no more than its caller may, and this call's clock stands still while a person is asked about it.
   */
  readonly call: (call: NestedCall) => Promise<Outcome>
  /** The same with a tool that is in no catalogue, such as one that an agent's own document defines. */
  readonly callTool: (definition: ToolDefinition, call: Omit<NestedCall, 'tool'>) => Promise<Outcome>
}

/** Who is asked is for the call above to say, never for a tool. */
export type NestedCall = Omit<Call, 'parentId' | 'above' | 'approve' | 'approved' | 'refusal'>

export interface Progress {
  readonly message?: string
  /** How much is done, of `total` where that is known. */
  readonly done?: number
  readonly total?: number
}

/** What a run gave back, before it is finished into an outcome. */
export type Ran = {
  readonly process?: ProcessReport
  /** Whether value and message are not what the process printed, so that the text for a model shows both. Default false. */
  readonly valueApart?: boolean
  readonly warnings?: readonly string[]
  /**
   * All there is to know of the run. The owner's own code and terminal get it as the value, and the journal keeps it; a model, a
   * script and whoever else calls get the value alone. Default none: the value is for everybody.
   */
  readonly record?: unknown
} & (
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly code: 'tool-failed'; readonly message: string; readonly value?: unknown }
  | {
      readonly ok: false
      readonly code: 'invalid-input'
      readonly message: string
      readonly issues: readonly Issue[]
      readonly value?: unknown
    }
  | {
      readonly ok: false
      readonly code: 'timed-out'
      readonly message: string
      readonly afterMs: number
      readonly value?: unknown
    }
  | { readonly ok: false; readonly code: 'not-runnable'; readonly message: string; readonly reason: NotRunnableReason }
  | {
      readonly ok: false
      readonly code: 'denied'
      readonly message: string
      readonly reason?: DeniedReason
      readonly value?: unknown
    }
  | {
      readonly ok: false
      readonly code: 'approval-needed'
      readonly message: string
      readonly approval?: PendingNotice
      readonly value?: unknown
    }
  | { readonly ok: false; readonly code: 'too-busy'; readonly message: string; readonly value?: unknown }
)

/** Gives tools to the catalogue. */
export interface Source {
  /** Unique among the sources, such as `program gh`. */
  readonly name: string
  /** Asked only when a name is not found or a list is wanted. Default false: asked when it is added. */
  readonly lazy?: boolean
  /** For a lazy source: whether a tool of that spelling may be among its tools. Default: it may, so it is asked. */
  readonly mayHave?: (spelling: string) => boolean
  /** What is known to be wrong before it is asked, such as a folder that is not there. Default nothing. */
  readonly warnings?: readonly string[]
  /** The tools it has now, with what went wrong in reading them. */
  readonly load: () => Loaded | Promise<Loaded>
  /** Told once, when the source is added: what to call whenever its tools may have changed. */
  readonly watch?: (changed: () => void) => void
  /** Lets go of everything it holds. */
  readonly close?: () => void | Promise<void>
}

export interface Loaded {
  readonly tools: readonly ToolDefinition[]
  /** More sources that it leads to, such as the skills in a folder; they come and go with it. */
  readonly sources?: readonly Source[]
  readonly warnings?: readonly string[]
  /** Why a tool is not among them, by the names that it would be called by. */
  readonly faults?: ReadonlyMap<string, string>
  /** The same by their titles. */
  readonly brokenTitles?: ReadonlyMap<string, string>
  /** What could not be read, where a tool of that spelling would have been in it. */
  readonly unread?: (spelling: string) => readonly string[]
}
