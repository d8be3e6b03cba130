// Plain functions as tools. `defineTool` is what people write; the brand lets two copies of this package work together.

import type { Caller } from '../model/call.ts'
import { effectFaults, unknownEffects } from '../model/effect-faults.ts'
import type { Effects, Trust } from '../model/effects.ts'
import { LegworkError } from '../model/errors.ts'
import { checkLimit, type LimitName } from '../model/limits.ts'
import { checkId } from '../model/name.ts'
import type { InferOutput, JsonSchema, Schema, StandardSchema } from '../model/schema.ts'
import type { Progress, RunContext, ToolDefinition } from '../model/tool.ts'

const brand = Symbol.for('legwork.tool')

export interface FunctionContext {
  /** Fires when time runs out or the caller gives up. */
  readonly signal: AbortSignal
  /** Tells whoever waits how far it has got. */
  readonly progress: (update: Progress) => void
  readonly caller: Caller
  readonly callId: string
  /** Instructions in prose that came with the call; empty when there were none. */
  readonly content: string
  /** Says something for whoever listens. */
  readonly log: RunContext['log']
  /** Calls another tool, by any of its spellings, as a part of this call. */
  readonly call: RunContext['call']
}

export interface FunctionTool {
  readonly [brand]: true
  readonly name: string
  readonly description: string
  readonly input: Schema
  readonly output?: Schema
  readonly effects: Effects
  readonly trust: Trust
  readonly limits?: ToolDefinition['limits']
  readonly run: (input: unknown, context: FunctionContext) => unknown
}

export interface ToolOptions<Input> {
  /** `module:function`, or `function` alone; both JavaScript identifiers. */
  readonly name: string
  /** What it does, for a model that must choose a tool. */
  readonly description: string
  /** What it may do to the world. Default: unknown. */
  readonly effects?: Effects
  /** Where this description comes from. Default `native`: the tool's own author wrote it. */
  readonly trust?: Trust
  /** Limits of its own, such as `{ timeoutMs: 5_000 }`. Default: the engine's. */
  readonly limits?: ToolDefinition['limits']
  /** What it returns, by zod or any Standard Schema, or as JSON Schema. Checked. Default: anything that JSON can hold. */
  readonly output?: StandardSchema | Exclude<JsonSchema, boolean>
  readonly run: (input: Input, context: FunctionContext) => unknown
}

/** Makes a tool of a function. The type of `run`'s input follows from the schema. */
export function defineTool<S extends StandardSchema>(
  options: ToolOptions<InferOutput<S>> & { readonly input: S },
): FunctionTool
export function defineTool(
  options: ToolOptions<Record<string, unknown>> & { readonly input?: Exclude<JsonSchema, boolean> },
): FunctionTool
export function defineTool(
  options: ToolOptions<never> & { readonly input?: StandardSchema | Exclude<JsonSchema, boolean> },
): FunctionTool {
  const { name, description, input, output, effects = {}, trust = 'native', limits, run } = options
  checkTool(name, { description, input, output, effects, limits, run })
  return {
    [brand]: true,
    name: checkId(name),
    description,
    input: asSchema(input),
    ...(output && { output: asSchema(output) }),
    effects,
    trust,
    ...(limits && { limits }),
    run: run as FunctionTool['run'],
  }
}

/** For authors without a type checker: a mistyped effect must not pass for one that was left out. */
function checkTool(
  name: string,
  { description, input, output, effects, limits = {}, run }: Record<string, unknown> & { limits?: unknown },
): void {
  const faults = [
    ...(typeof run === 'function' ? [] : ['it has no function "run". Write run: (input) => …']),
    ...(typeof description === 'string' ? [] : ['its description is no text. Write description: "What it does"']),
    ...[input, output]
      .filter((schema) => schema !== undefined && !isSchema(schema))
      .map(() => 'a schema of it is none. Give zod, any Standard Schema or JSON Schema'),
    ...effectFaults(effects, 'effects'),
    ...unknownEffects(effects, 'effects'),
  ]
  if (faults.length) {
    const told = faults.map((fault) => fault.replace(/\.$/, '')).join('; ')
    throw new LegworkError(
      'invalid-tool',
      `The tool "${String(name)}" cannot be used: ${told}${/\?$/.test(told) ? '' : '.'}`,
    )
  }
  for (const [limit, value] of Object.entries(limits as object)) checkLimit(limit as LimitName, value)
}

function isSchema(schema: unknown): boolean {
  return (typeof schema === 'object' && schema !== null) || (typeof schema === 'function' && '~standard' in schema)
}

export function isFunctionTool(value: unknown): value is FunctionTool {
  return typeof value === 'object' && value !== null && brand in value && 'run' in value
}

function asSchema(schema: StandardSchema | JsonSchema = { type: 'object' }): Schema {
  return isStandardSchema(schema) ? { type: 'standard', schema } : { type: 'json', schema }
}

/** Some vendors' schemas are functions with the property, not plain objects. */
function isStandardSchema(schema: StandardSchema | JsonSchema): schema is StandardSchema {
  return typeof schema !== 'boolean' && '~standard' in schema
}
