// The parts that one engine is made of, joined.

import type { Clock } from '../base/clock.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Journal } from '../journal/journal.ts'
import type { Approve } from '../model/decision.ts'
import type { Listener } from '../model/event.ts'
import { type LimitName, type Limits, makeLimits } from '../model/limits.ts'
import type { Places } from '../outcome/paths.ts'
import type { Redactor } from '../outcome/redact.ts'
import type { Policy } from '../policy/policy.ts'
import { createExecuteBatch, type ExecuteBatch } from './batch.ts'
import { createExecute, type Execute, type ExecuteTool } from './execute.ts'
import { PendingCalls } from './pending.ts'
import { createQueue, type Queue } from './queue.ts'
import type { Running } from './running.ts'
import { createStream, type Stream } from './stream.ts'

export interface EngineOptions {
  readonly catalogue: Catalogue
  readonly policy: Policy
  readonly journal: Journal
  readonly redactor: Redactor
  /** Those that the owner set; they go before a tool's own bound on output. Default: none. */
  readonly limits?: { readonly [Name in LimitName]?: number | undefined }
  readonly clock: Clock
  /** Asks a person. Default: nobody, so that whatever asks does not run. */
  readonly approve?: Approve | undefined
  /** Keeps a question that nobody is there to answer, for a person to answer it elsewhere. Default false. */
  readonly pendingApprovals?: boolean
  /** Folders that failures name in a short form in the text for a model. Default: paths stay whole. */
  readonly places?: Places
  /** Puts arguments and results on telemetry spans, redacted. Default false. */
  readonly traceContent?: boolean
}

export interface EngineParts extends Omit<EngineOptions, 'limits'> {
  readonly limits: Limits
  readonly ownersLimits: NonNullable<EngineOptions['limits']>
  readonly queue: Queue
  readonly pending: PendingCalls | undefined
  readonly listeners: Set<Listener>
  /** The calls that run now, by their id. */
  readonly running: Map<string, Running>
}

export interface Engine {
  readonly execute: Execute
  readonly executeTool: ExecuteTool
  readonly executeBatch: ExecuteBatch
  readonly stream: Stream
  /** Tells the listener of every event of every call, until the returned function is called. */
  readonly on: (listener: Listener) => () => void
}

export function createEngine(options: EngineOptions): Engine {
  const limits = makeLimits(options.limits)
  const parts: EngineParts = {
    ...options,
    limits,
    ownersLimits: options.limits ?? {},
    queue: createQueue(limits),
    pending: options.pendingApprovals ? new PendingCalls(options.journal, options.clock) : undefined,
    listeners: new Set(),
    running: new Map(),
  }
  const { execute, executeTool } = createExecute(parts)
  return {
    execute,
    executeTool,
    executeBatch: createExecuteBatch(parts, execute),
    stream: createStream(execute),
    on: (listener) => {
      parts.listeners.add(listener)
      return () => parts.listeners.delete(listener)
    },
  }
}
