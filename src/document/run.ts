// A document's run as a call: the document itself takes the one path, and so does every block of it. Whoever joins systems hands in
// the engine.

import { isObject, type JsonObject } from '../base/json.ts'
import type { Call } from '../model/call.ts'
import { LegworkError } from '../model/errors.ts'
import type { Listener } from '../model/event.ts'
import type { Outcome } from '../model/outcome.ts'
import type { ToolDefinition } from '../model/tool.ts'
import { definitionOf, executionOf, refusal } from './definition.ts'
import type { Document } from './document.ts'
import type { DocumentFault } from './faults.ts'
import { forwardEvents } from './forward-events.ts'
import type { DocumentOptions } from './options.ts'
import { parseDocument } from './parse.ts'
import { type ExecutionState, emptyState } from './state.ts'

export interface DocumentRun {
  /** The document's own: it has failed when a block has. Its value is the state as JSON. */
  readonly outcome: Outcome
  /** What the blocks gave, also when the run was given up. */
  readonly state: ExecutionState
  /** Missing when the text is none. */
  readonly document?: Document
  /** Why the text is no document that could run. */
  readonly faults: readonly DocumentFault[]
}

/** The part of an engine that runs documents. */
export interface DocumentEngine {
  readonly executeTool: (definition: ToolDefinition, call: Omit<Call, 'tool'>) => Promise<Outcome>
  readonly on: (listener: Listener) => () => void
  /** Hides secrets in a text. */
  readonly redact: (text: string) => string
}

/** Runs a document, or says what is wrong with the text. A block that nobody knows, and a state that is none, are misuse. */
export async function runDocument(
  engine: DocumentEngine,
  given: Document | string,
  options: DocumentOptions = {},
): Promise<DocumentRun> {
  checkGiven(given, options)
  const parsed = typeof given === 'string' ? parseDocument(given) : { ok: true as const, document: given }
  if (!parsed.ok) {
    const outcome = await engine.executeTool(refusal(parsed.faults, options), callOf(options))
    return { outcome, state: emptyState(outcome.startedAt), faults: parsed.faults }
  }
  const { document } = parsed
  const { tell, listener, began } = forwardEvents(options.onEvent)
  const execution = executionOf(document, options, engine.redact, tell)
  const silence = options.onEvent ? engine.on(listener) : undefined
  try {
    const outcome = await engine.executeTool(definitionOf(document, options, execution, began), callOf(options))
    return { outcome, state: execution.state(), document, faults: [] }
  } finally {
    silence?.()
  }
}

/** For callers without a type checker. */
export function checkGiven(given: unknown, options: unknown): void {
  if (!isObject(options)) throw new LegworkError('invalid-options', 'The options are no object. Write {}, or none.')
  if (typeof given === 'string') return
  if (isObject(given) && typeof given.text === 'string' && typeof given.block === 'function') return
  const hint = 'Give its text, or the "document" of what parseDocument gave.'
  throw new LegworkError('invalid-document', `This is no document. ${hint}`)
}

function callOf(options: DocumentOptions): Omit<Call, 'tool'> {
  const { signal, caller, timeoutMs, approvalWaitMs } = options
  return {
    input: inputOf(options),
    ...(signal && { signal }),
    ...(caller && { caller }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(approvalWaitMs !== undefined && { approvalWaitMs }),
  }
}

/** What the journal says of the run. */
function inputOf(options: DocumentOptions): JsonObject {
  if (options.mode === 'single') return { mode: 'single', blockId: options.blockId }
  const { from, only, skip, triggers } = options
  return {
    mode: 'document',
    ...(from !== undefined && { from }),
    ...(only && { only: [...only] }),
    ...(skip && { skip: [...skip] }),
    ...(triggers && { triggers }),
  }
}
