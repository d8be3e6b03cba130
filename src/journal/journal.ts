// The journal: what every call leaves behind, in the order it happened, where nothing can be changed unnoticed.

import type { Clock } from '../base/clock.ts'
import type { PendingApprovals } from '../model/approval.ts'
import type { Entry, EntryFields, Level } from '../model/entry.ts'
import type { OutcomeCode } from '../model/outcome.ts'
import type { ToolKind } from '../model/tool.ts'
import type { Fault, Link } from './chain.ts'

export interface Journal {
  /** Where it is kept; undefined for one in memory. */
  readonly path: string | undefined
  /**
   * Adds the entries in one transaction, all of them or none. Throws or rejects with a JournalError when it cannot:
   * then no call may run. Returns a promise only where another process holds the file and it has to wait.
   */
  append(entries: readonly EntryFields[]): void | Promise<void>
  /** The newest first. */
  read(filter?: JournalFilter): readonly Entry[]
  /** The `start` entries, newest first, of calls without an `end`: interrupted, or running at this moment. */
  interrupted(filter?: JournalFilter): readonly Entry[]
  /** Every entry there is now, oldest first, in pages; nothing is held open between two of them. */
  pages(size?: number): Generator<readonly Entry[]>
  /** Looks at every entry and says which were changed. Someone who rewrites the whole chain is found by `head` alone. */
  verify(options?: VerifyOptions): Verification
  /** The newest entry's number and hash: kept elsewhere, they show later whether the end was cut off. */
  head(): Link
  /** Removes the oldest entries, and adds one that says which. */
  prune(options: PruneOptions): Promise<Pruned>
  /** The questions that wait for a person, in the same file. */
  readonly approvals: PendingApprovals
  close(): void
}

export interface JournalFilter {
  /** How many entries at most. Default 100. */
  readonly limit?: number | undefined
  /** The tool's id. */
  readonly tool?: string | undefined
  readonly kind?: ToolKind | undefined
  readonly callId?: string | undefined
  /** A front such as `document`, or one caller such as `document:notes.xml`. */
  readonly caller?: string | undefined
  /** This level and worse. */
  readonly level?: Level | undefined
  readonly code?: OutcomeCode | undefined
  readonly phase?: 'start' | 'end' | undefined
  /** From this moment on. */
  readonly since?: Date | undefined
  /** Before this moment. */
  readonly until?: Date | undefined
  /** Numbers below this one: the next page. */
  readonly before?: number | undefined
  /** Numbers above this one: what is new. */
  readonly after?: number | undefined
  /** Words that stand in the tool, the input or the message; capitals do not count. */
  readonly text?: string | undefined
}

export interface VerifyOptions {
  /** The hash of an entry that has to be there. Whatever was pruned must have been pruned before it was written. */
  readonly head?: string | undefined
  /** Told now and then how many entries were looked at. */
  readonly onEntries?: (entries: number) => void
}

export interface Verification {
  readonly ok: boolean
  /** How many entries were looked at. */
  readonly entries: number
  /** The first hundred faults, oldest entry first. */
  readonly faults: readonly Fault[]
  /** Where the chain begins: the last entry that was pruned; number 0 where nothing was. */
  readonly start: Link
  readonly head: Link
}

export type PruneOptions = (
  | {
      /** Removes what is older, up to the first entry that is not. */
      readonly before: Date
    }
  | {
      /** Keeps the newest so many; the entry that tells of the pruning comes on top. */
      readonly keep: number
    }
) & {
  /** Told now and then how many entries were removed. */
  readonly onEntries?: (entries: number) => void
}

export interface Pruned {
  /** How many entries were removed. */
  readonly entries: number
  readonly start: Link
}

export interface JournalOptions {
  /** The file. It is made if it is missing, with its folder. */
  readonly path: string
  /** What an entry survives: the end of the process however sudden, or a power cut too. Default `process`. */
  readonly durability?: 'process' | 'power' | undefined
  /** Only reads; the file need not be writable. Default false. */
  readonly readOnly?: boolean | undefined
  /** How long to wait for a process that holds the file, in milliseconds. Default 5 000. */
  readonly lockTimeoutMs?: number | undefined
  /** For the deadlines of questions. Default: the system's. */
  readonly clock?: Clock | undefined
}
