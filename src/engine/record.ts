// What is known of one call while it goes on: its events for listeners, its entries for the journal, its outcome at the end.

import { toJson } from '../base/json.ts'
import { type Call, callerName, libraryCaller } from '../model/call.ts'
import type { Decision } from '../model/decision.ts'
import { type Effects, mergeEffects } from '../model/effects.ts'
import type { EntryFields, Level } from '../model/entry.ts'
import type { CallEvent, Listener } from '../model/event.ts'
import { checkLimit, type Limits } from '../model/limits.ts'
import type { ModelUse, Outcome } from '../model/outcome.ts'
import type { Progress, Tool, ToolKind } from '../model/tool.ts'
import { type Ending, finish } from '../outcome/finish.ts'
import { finishRecord } from '../outcome/record.ts'
import type { RedactStream } from '../outcome/redact.ts'
import { redactedJson } from '../outcome/redacted-json.ts'
import type { Valid } from './check.ts'
import type { EngineParts } from './engine.ts'
import { endFields, inEntry, shortened } from './entry-fields.ts'
import { Running } from './running.ts'

type Told = CallEvent extends infer E ? (E extends unknown ? Omit<E, 'callId' | 'tool'> : never) : never
type StreamName = 'stdout' | 'stderr'

/** The kinds whose outcome says what they called, even where that is nothing. */
const callers = new Set<ToolKind | undefined>(['toolscript', 'document', 'contract'])

const keptInput = { skill: 256, other: 4_096 } as const

export class CallRecord {
  readonly callId: string
  /** The tool as the caller named it, redacted and cut to a sane length. */
  readonly name: string
  /** Whether a tool that is running makes this call. */
  readonly isNested: boolean
  /** The limits of this call: the caller's go first, then the tool's own, then everybody's. */
  limits: Limits
  readonly running: Running

  readonly #parts: EngineParts
  readonly #call: Call
  readonly #listeners: readonly Listener[]
  readonly #startedAt: string
  readonly #began: number
  readonly #streams = new Map<StreamName, RedactStream>()
  #tool: Tool | undefined
  #valid: Valid | undefined
  #decision: Decision | undefined
  #waitedFor: PromiseWithResolvers<Outcome> | undefined
  #startWritten = false
  #ended = false

  constructor(parts: EngineParts, call: Call, listener: Listener | undefined) {
    const { clock, running, listeners } = parts
    const parent = call.parentId === undefined ? undefined : running.get(call.parentId)
    this.#parts = parts
    this.#call = call
    this.#listeners = listener ? [listener, ...listeners] : [...listeners]
    this.limits = callLimits(parts, call, undefined)
    this.callId = clock.id()
    // What is cut off here may be a part of a secret, so it is redacted as such before it is cut to its length.
    this.name = shortened(parts.redactor.text(String(call.tool).slice(0, 4_096), true), 256)
    this.isNested = parent !== undefined
    this.running = new Running(parent)
    this.#startedAt = new Date(clock.now()).toISOString()
    this.#began = clock.elapsed()
    running.set(this.callId, this.running)
  }

  found(tool: Tool): void {
    this.#tool = tool
    this.limits = callLimits(this.#parts, this.#call, tool)
    this.#tellStarted()
  }

  checked(valid: Valid): void {
    this.#valid = valid
  }

  decided(decision: Decision): void {
    // Where a rule stands in the owner's file is for "policy why", not for every caller.
    const { where: _, ...rest } = decision
    const told = this.#parts.redactor.value(rest)
    this.#decision = told
    this.#tell({ type: 'decided', decision: told })
  }

  /** The tool's effects with those that this input adds. */
  effects(): Effects {
    return mergeEffects(this.#tool?.effects, this.#valid?.plan?.effects)
  }

  /** A refusal when tools have called tools too many times over. */
  tooDeep(): Decision | undefined {
    const { maxCallDepth } = this.limits
    if (this.running.depth <= maxCallDepth) return undefined
    const reasons = [`Tools may call tools ${maxCallDepth} levels deep, and no deeper.`]
    return { verdict: 'deny', rule: 'maxCallDepth', reasons }
  }

  /** Writes the first entry. Nothing may run unless this succeeds. */
  async start(): Promise<{ readonly ok: true } | { readonly ok: false; readonly error: unknown }> {
    try {
      await this.#parts.journal.append([this.#startEntry()])
      this.#startWritten = true
      return { ok: true }
    } catch (error) {
      return { ok: false, error }
    }
  }

  readonly progress = (progress: Progress): void => {
    if (this.#ended || this.#listeners.length === 0) return
    const made = toJson(progress)
    if (made.ok) this.#tell({ type: 'progress', progress: this.#parts.redactor.value(made.json) as Progress })
  }

  readonly log = (level: Level, message: string): void => {
    if (this.#ended || this.#listeners.length === 0) return
    this.#tell({ type: 'log', level, message: shortened(this.#parts.redactor.text(message)) })
  }

  readonly output = (stream: StreamName, text: string): void | Promise<void> => {
    if (this.#ended || this.#listeners.length === 0) return
    const redacting = this.#streams.get(stream) ?? this.#parts.redactor.stream()
    this.#streams.set(stream, redacting)
    return this.#tellOutput(stream, redacting.push(text))
  }

  readonly usedModel = (use: ModelUse): void => this.running.usedModel(use)

  /** Finishes the outcome, writes the last entry, tells everybody. */
  async end(ending: Ending): Promise<Outcome> {
    this.#tellStarted()
    this.#ended = true
    for (const [stream, redacting] of this.#streams) this.#tellOutput(stream, redacting.end())
    const { record, ...rest } = ending
    const told = finish(rest, this.#circumstances(), this.#parts.redactor, this.limits, this.#parts.places)
    const whole = record === undefined ? undefined : finishRecord(record, this.#parts.redactor)
    const calls = this.running.calls()
    const { modelUse } = this.running
    const finished = {
      ...told,
      ...(whole !== undefined && this.#isOwners() && { value: whole }),
      ...((calls.length || callers.has(this.#tool?.kind)) && { calls }),
      ...(modelUse && { modelUse }),
    }
    const last = this.#entry('end', endFields(finished, whole))
    const outcome = await this.#append(this.#startWritten ? [last] : [this.#startEntry(), last], finished)
    this.#parts.running.delete(this.callId)
    this.#waitedFor?.resolve(outcome)
    if (last.level !== 'info') {
      // Not the entry's words: the record of a run is in them, and that is for its owner.
      const message = finished.ok ? (last.message ?? finished.text) : shortened(finished.message)
      this.#tell({ type: 'log', level: last.level, message })
    }
    // A copy: whoever listens cannot change what the caller gets.
    if (this.#listeners.length) this.#tell({ type: 'ended', outcome: structuredClone(outcome) })
    return outcome
  }

  /** How this call ends, for an identical one that waits for it. */
  whenEnded(): Promise<Outcome> {
    this.#waitedFor ??= Promise.withResolvers()
    return this.#waitedFor.promise
  }

  /** Whether the owner's own code or terminal calls, and no tool for them: what is behind a result is for them alone. */
  #isOwners(): boolean {
    const { caller = libraryCaller, parentId } = this.#call
    const { front } = caller
    if (parentId !== undefined) return false
    return front === 'library' || front === 'command-line'
  }

  #circumstances() {
    const warnings = [...(this.#valid?.warnings ?? []), ...(this.#decision?.warnings ?? [])]
    return {
      callId: this.callId,
      tool: this.#tool?.id ?? this.name,
      ...(this.#tool?.title !== undefined && { title: this.#tool.title }),
      startedAt: this.#startedAt,
      durationMs: Math.round((this.#parts.clock.elapsed() - this.#began) * 1_000) / 1_000,
      decision: this.#decision,
      warnings,
      notes: this.#valid?.notes ?? [],
    }
  }

  #startEntry(): EntryFields {
    return this.#entry('start', { at: this.#startedAt, input: this.#inputText() })
  }

  #entry(phase: 'start' | 'end', more: Partial<EntryFields>): EntryFields {
    const { parentId, caller = libraryCaller } = this.#call
    return {
      at: new Date(this.#parts.clock.now()).toISOString(),
      phase,
      callId: this.callId,
      ...(parentId !== undefined && { parentId }),
      caller: this.#parts.redactor.text(callerName(caller)),
      tool: this.#tool?.id ?? this.name,
      ...(this.#tool && { kind: this.#tool.kind }),
      ...this.#tool?.labels,
      ...(this.#decision && { decision: inEntry(this.#decision) }),
      level: 'info',
      ...more,
    }
  }

  #inputText(): string {
    const text = redactedJson(this.#told(), this.#parts.redactor)
    return shortened(text, this.#tool?.kind === 'skill' ? keptInput.skill : keptInput.other)
  }

  /** The input; with content beside it where the call has some. */
  #told(): unknown {
    const { input = {}, content } = this.#call
    const given = this.#valid ? this.#valid.input : input
    return content ? { input: given, content } : given
  }

  /** The call has run by now, so a journal that fails here cannot undo it: the outcome says so. */
  async #append(entries: readonly EntryFields[], outcome: Outcome): Promise<Outcome> {
    try {
      await this.#parts.journal.append(entries)
      return outcome
    } catch (error) {
      const warning = `The journal could not record how this call ended. ${this.#parts.redactor.text(String(error))}`
      return { ...outcome, warnings: [...outcome.warnings, warning] }
    }
  }

  #startedTold = false

  #tellStarted(): void {
    if (this.#startedTold) return
    this.#startedTold = true
    const { parentId } = this.#call
    this.#tell({ type: 'started', ...(parentId !== undefined && { parentId }) })
  }

  #tellOutput(stream: StreamName, text: string): void | Promise<void> {
    if (text) return this.#tell({ type: 'output', stream, text })
  }

  #tell(told: Told): void | Promise<void> {
    if (this.#listeners.length === 0) return
    const tool = this.#tool?.id ?? this.name
    const event = { ...told, callId: this.callId, tool } as CallEvent
    const waits = this.#listeners.map((listener) => safely(listener, event)).filter((wait) => wait !== undefined)
    return waits.length ? Promise.all(waits).then(() => {}) : undefined
  }
}

/** The owner's bound on output goes before a tool's own; for time, the tool knows better what it needs. */
function callLimits({ limits, ownersLimits }: EngineParts, call: Call, tool: Tool | undefined): Limits {
  return {
    ...limits,
    timeoutMs: checkLimit('timeoutMs', call.timeoutMs ?? tool?.limits?.timeoutMs ?? limits.timeoutMs),
    maxOutputBytes: ownersLimits.maxOutputBytes ?? tool?.limits?.maxOutputBytes ?? limits.maxOutputBytes,
  }
}

/** A listener that throws does not break the call it listens to. */
function safely(listener: Listener, event: CallEvent): undefined | Promise<void> {
  try {
    const wait = listener(event)
    return wait instanceof Promise ? wait.catch(() => {}) : undefined
  } catch {
    return undefined
  }
}
