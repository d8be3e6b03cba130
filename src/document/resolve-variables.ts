// Fills in variables. All of them are resolved in one go, just before the first block that uses one, and each keeps its value for
// the rest of the run. A value is data: it is put in after parsing, so nothing in it can become markup.

import { messageOf } from '../base/json.ts'
import type { ModelUse } from '../model/outcome.ts'
import type { BlockContext, SaidMention, TextRange } from './block-context.ts'
import type { RichText, VariableDeclaration } from './document.ts'
import type { InheritedContext } from './inherited-context.ts'
import { variablesIn } from './rich-text.ts'
import { untilStopped } from './until-stopped.ts'
import { filledIn, isBlank, misfitOf } from './variable-type.ts'

/** Everything that there is to find values by. Of a tool that is isolated: without what is around the call. */
export interface VariableContext extends BlockContext {
  /** What the caller said, as plain text: mentions by label. Empty when a document runs by itself. */
  readonly content: string
  /** What the caller mentioned, in order. */
  readonly mentions: readonly SaidMention[]
  /** Where in `content` values of the caller's own variables stand: they are data, and say nothing. Default nowhere. */
  readonly filled?: readonly TextRange[]
  /** The custom tool whose variables these are; missing when they are the document's own. */
  readonly tool?: { readonly title: string; readonly description: string }
  /** The block that the tool was called from: the document around it, and the results before it. */
  readonly calledFrom?: BlockContext
  /** What the agent that called the tool hands down. */
  readonly inherited: InheritedContext
  /** Says what a language model was asked; it stands in the outcome: a run hands `RunContext.usedModel` on. */
  readonly used: (use: ModelUse) => void
  /** Fires when the values are no longer wanted. */
  readonly signal: AbortSignal
}

export type VariableValues = ReadonlyMap<string, string> | Readonly<Record<string, string>>

/** Finds the values of variables, all at once. What it leaves out is unresolved. */
export type ResolveVariables = (
  variables: readonly VariableDeclaration[],
  context: VariableContext,
) => VariableValues | Promise<VariableValues>

/** Why a variable has no value, or one that does not fit. */
export interface VariableFault {
  readonly name: string
  readonly code: 'MISSING_REQUIRED' | 'INVALID_VALUE'
  readonly message: string
}

export interface Resolved {
  /** In the order of their declaration; an optional one that nobody knows is empty. */
  readonly values: ReadonlyMap<string, string>
  readonly faults: readonly VariableFault[]
  /** Why the resolver itself failed, if it did. */
  readonly failure?: string
}

export type Filled =
  | { readonly ok: true; readonly values: ReadonlyMap<string, string> }
  | { readonly ok: false; readonly message: string }

/** Gives the values that a block needs, when it needs them. */
export type FillVariables = (content: RichText, context: VariableContext) => Filled | Promise<Filled>

const noValues: ReadonlyMap<string, string> = new Map()
const nothing: Filled = { ok: true, values: noValues }

/** For a document: a block that uses a variable without a value fails, and no other does. */
export function variableFiller(
  declared: readonly VariableDeclaration[],
  resolve: ResolveVariables | undefined,
): FillVariables {
  if (declared.length === 0) return () => nothing
  let resolving: Promise<Resolved> | undefined
  return async (content, context) => {
    const names = new Set(variablesIn(content).map(({ name }) => name))
    if (names.size === 0) return nothing
    resolving ??= resolveVariables(declared, resolve, noValues, context)
    const { values, faults } = await resolving
    // Whoever did not answer this block in its time may answer the next.
    if (context.signal.aborted) resolving = undefined
    const fault = faults.find(({ name }) => names.has(name))
    return fault ? { ok: false, message: fault.message } : { ok: true, values }
  }
}

/** The values of all variables: those that are given, and from the resolver what is left. Never throws. */
export async function resolveVariables(
  declared: readonly VariableDeclaration[],
  resolve: ResolveVariables | undefined,
  given: ReadonlyMap<string, string>,
  context: VariableContext,
): Promise<Resolved> {
  const unknown = declared.filter(({ name }) => !given.has(name))
  const answer = await ask(unknown, resolve, context)
  const values = new Map<string, string>()
  const faults: VariableFault[] = []
  for (const variable of declared) {
    const { name } = variable
    const value = given.get(name) ?? (answer.ok ? answer.values.get(name) : undefined)
    const fault = variableFault(variable, value, answer.ok ? undefined : answer.message)
    if (fault) faults.push(fault)
    else values.set(name, typeof value === 'string' ? filledIn(variable, value) : '')
  }
  return { values, faults, ...(!answer.ok && { failure: answer.message }) }
}

type Answer =
  | { readonly ok: true; readonly values: ReadonlyMap<string, unknown> }
  | { readonly ok: false; readonly message: string }

async function ask(
  variables: readonly VariableDeclaration[],
  resolve: ResolveVariables | undefined,
  context: VariableContext,
): Promise<Answer> {
  if (!resolve || variables.length === 0) return { ok: true, values: noValues }
  try {
    const given: unknown = await untilStopped(resolve(variables, context), context.signal)
    return { ok: true, values: new Map(variables.map(({ name }) => [name, ownValue(given, name)])) }
  } catch (error) {
    return { ok: false, message: messageOf(error) }
  }
}

/** Own values alone: a variable may be called `constructor` or `__proto__`. */
function ownValue(given: unknown, name: string): unknown {
  if (given instanceof Map) return given.get(name)
  if (typeof given !== 'object' || given === null) return undefined
  return Object.getOwnPropertyDescriptor(given, name)?.value
}

function variableFault(
  variable: VariableDeclaration,
  value: unknown,
  failure: string | undefined,
): VariableFault | undefined {
  const { name, prompt, optional } = variable
  const asked = prompt === undefined ? '' : ` (${prompt})`
  if (value === undefined || value === null || (typeof value === 'string' && isBlank(value) && !optional)) {
    if (optional && failure === undefined) return undefined
    const why =
      failure === undefined ? `Say "${name}: …", or give the value itself.` : `The resolver failed: ${failure}`
    return { name, code: 'MISSING_REQUIRED', message: `The variable "${name}"${asked} has no value. ${why}` }
  }
  const misfit = misfitOf(variable, value)
  if (misfit === undefined) return undefined
  return { name, code: 'INVALID_VALUE', message: `The value of the variable "${name}"${asked} ${misfit}` }
}
