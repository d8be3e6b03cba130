// One request to run one tool, and who makes it.

import type { AskedClient } from './client.ts'
import type { Approve } from './decision.ts'

export const fronts = [
  'library',
  'gateway',
  'command-line',
  'toolscript',
  'document',
  'contract',
  'toolcall',
  'mcp',
  'agent',
] as const
export type Front = (typeof fronts)[number]

export interface Caller {
  /** The way in that the call took. */
  readonly front: Front
  /** Which of them, such as a client's name or a script's file. */
  readonly name?: string
  /** May call only tools that are known to change nothing. Default false. */
  readonly readOnly?: boolean
  /** Which connection or session of it, where there are several of one name: an approval holds for one of them alone. */
  readonly session?: string
  /** Whether a caller can have any number of such sessions: then all of them count as one for what each may have. Default false. */
  readonly isOneOfMany?: boolean
}

export interface Call {
  /** The tool, by any of its spellings. */
  readonly tool: string
  /** Its arguments. Default `{}`. */
  readonly input?: unknown
  /** Instructions in prose that go with the arguments. Default none. */
  readonly content?: string
  /** Default: the library. */
  readonly caller?: Caller
  /** Ends the call when it fires. */
  readonly signal?: AbortSignal
  /** Longest it may run, in milliseconds. Default: the tool's own limit, else the engine's. */
  readonly timeoutMs?: number
  /** Asks the person behind this call, and behind what it calls. Default: whom the engine asks. */
  readonly approve?: Approve
  /** Who can be asked by the tool itself, and by those that it calls. Default: nobody. */
  readonly client?: AskedClient
  /**
   * How long this call, and each that it makes, waits for an answer that is not given in place, in milliseconds. Default 0: it
   * ends at once with `approval-needed` and the id of the question.
   */
  readonly approvalWaitMs?: number
  /**
   * What a person has approved already, where the program that makes the call has asked them: the `question` that `why` told of. It
   * holds for that question, not for one about a tool that has changed since, and not for what the call makes in turn.
   */
  readonly approved?: string
  /** Set where it may not run although the policy does not deny it, such as after a person's no: it is written down and ends so. */
  readonly refusal?: Refusal
  /** The call that this one was made from, such as a script's. */
  readonly parentId?: string
  /** The same, for questions: whom they are for. Set by the engine. */
  readonly above?: Above
}

/** A call that makes others. */
export interface Above {
  readonly tool: string
  /** Who made it, and those above them, to be shown. */
  readonly caller: string
  /** What it is: another caller, tool or input is another. Undefined where two could not be told apart. */
  readonly key: () => string | undefined
}

/** How a call ends that was refused before it was made. */
export interface Refusal {
  readonly code: 'denied' | 'approval-needed'
  readonly message: string
}

export function callerName({ front, name }: Caller): string {
  return name === undefined ? String(front) : `${front}:${name}`
}

/** Who calls, out of what and behind whom, for a person: `contract in contract:tidy for mcp:claude`. */
export function shownCaller({ caller = libraryCaller, above }: Pick<Call, 'caller' | 'above'>): string {
  const name = callerName(caller)
  if (!above) return name
  return name === above.caller ? `${name} in ${above.tool}` : `${name} in ${above.tool} for ${above.caller}`
}

/** Who calls when nobody says otherwise. */
export const libraryCaller: Caller = { front: 'library' }
