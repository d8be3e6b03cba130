// A document as a tool that is in no catalogue, good for one run.

import { basename, extname } from 'node:path'
import { systemClock } from '../base/clock.ts'
import { count } from '../base/text.ts'
import { checkLimit, limitSpecs } from '../model/limits.ts'
import { outcomeCodes } from '../model/outcome.ts'
import { anySchema } from '../model/schema.ts'
import type { Ran, RunContext, ToolDefinition } from '../model/tool.ts'
import { deepFreeze, failedResult } from './block-result.ts'
import { storedResult } from './call-parts.ts'
import type { Document, RunnableBlock } from './document.ts'
import type { DocumentEvent } from './events.ts'
import { type Carried, Execution } from './execution.ts'
import { blocksFailure } from './failed-blocks.ts'
import { type DocumentFault, issueOf, maxWarnings } from './faults.ts'
import { inheritedContext } from './inherited-context.ts'
import type { DocumentOptions } from './options.ts'
import { variableFiller } from './resolve-variables.ts'
import { select } from './select.ts'
import { ExecutionState } from './state.ts'

export function executionOf(
  document: Document,
  options: DocumentOptions,
  redact: (text: string) => string,
  tell: (event: DocumentEvent) => void,
): Execution {
  const { resolveVariables, stopOnError = false, blockTimeoutMs, api, hooks = {}, clock = systemClock } = options
  checkLimit('timeoutMs', blockTimeoutMs)
  checkLimit('timeoutMs', options.timeoutMs)
  const earlier = stateOf(options.state)
  const selected = select(document, options, earlier)
  return new Execution({
    ...selected,
    warnings: [...oddities(document).map(redact), ...selected.warnings],
    document,
    isHashed: true,
    carried: (block) => carriedResult(block, earlier),
    caller: { front: 'document', name: nameOf(document, options) },
    surroundings: { content: '', mentions: [], inherited: inheritedContext() },
    fill: variableFiller(document.variables, resolveVariables),
    stopOnError,
    blockTimeoutMs,
    redact,
    api,
    hooks,
    tell,
    clock,
  })
}

/** So many of a document's warnings are told when it runs. */
const mostTold = 20

/** What is odd in the document. Invalid parameters are not among it: they are the error of their block. */
function oddities({ warnings }: Document): string[] {
  const odd = warnings.filter(({ code }) => code !== 'INVALID_PARAMETERS')
  const told = odd.slice(0, mostTold).map((warning) => {
    const { path, message } = issueOf(warning)
    return `${path} ${message}`
  })
  const atLeast = warnings.length < maxWarnings ? '' : 'at least '
  const more = `There are ${atLeast}${count(odd.length - mostTold, 'more warning')} about the document.`
  return odd.length > mostTold ? [...told, more] : told
}

/** `began` is told which call the run is. */
export function definitionOf(
  document: Document,
  options: DocumentOptions,
  execution: Execution,
  began: (callId: string) => void,
): ToolDefinition {
  const { calls, root } = document
  return definition(nameOf(document, options), `A document of ${count(calls.length, 'block')}`, async (context) => {
    if (root === 'diff') return { ok: false, code: 'invalid-input', message: diffsDoNotRun, issues: [] }
    began(context.callId)
    await execution.run(context)
    return ranOf(execution.state())
  })
}

const diffsDoNotRun = 'This is a diff, which does not run. Apply it to a document with "legwork apply".'

/** The run of a text that is no document: a call like any other, which fails. */
export function refusal(faults: readonly DocumentFault[], { name = 'document' }: DocumentOptions): ToolDefinition {
  const issues = faults.map(issueOf)
  const message = `The document has ${count(faults.length, 'fault')}; nothing ran.`
  return definition(name, 'A document', async () => ({ ok: false, code: 'invalid-input', message, issues }))
}

function definition(name: string, description: string, run: (context: RunContext) => Promise<Ran>): ToolDefinition {
  return {
    name: { module: 'document', path: [name] },
    kind: 'document',
    description,
    input: anySchema,
    // What its blocks do is decided for each of them; the document itself does nothing.
    effects: { readOnly: true, destructive: false, network: false, filesystem: { write: false } },
    trust: 'native',
    ownersOwn: true,
    limits: { timeoutMs: limitSpecs.timeoutMs.max },
    run: (_, context) => run(context),
  }
}

function ranOf(state: ExecutionState): Ran {
  const { warnings } = state.metadata
  const value = state.toJSON()
  if (state.ok) return { ok: true, value, warnings }
  const stopped = { ok: false, code: 'tool-failed', message: 'The run was stopped.' } as const
  return { ...(blocksFailure(state.blocks) ?? stopped), value, warnings }
}

function nameOf({ path, attributes }: Document, { name }: DocumentOptions): string {
  return name ?? (path === undefined ? attributes.id || 'document' : basename(path, extname(path)))
}

function stateOf(given: unknown): ExecutionState | undefined {
  return given === undefined || given instanceof ExecutionState ? given : ExecutionState.fromJSON(given)
}

/** From the earlier run, else from the document's text: that is seen, and no part of this run's state. */
function carriedResult(block: RunnableBlock, earlier: ExecutionState | undefined): Carried | undefined {
  const result = earlier?.blocks.get(block.id)
  if (result) return { result, isKept: true }
  const stored = storedResult(block)
  if (!stored) return undefined
  if (stored.ok) return { result: deepFreeze({ result: stored.value, tool: block.tool }), isKept: false }
  const code = outcomeCodes.find((known) => known === stored.code) ?? 'tool-failed'
  return { result: failedResult(code, stored.message, block.tool), isKept: false }
}
