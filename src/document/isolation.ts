// A custom tool in a context of its own: what its caller mentions is loaded for it, nothing else comes in, and one result goes out.

import { messageOf } from '../base/json.ts'
import { count } from '../base/text.ts'
import type { ModelUse } from '../model/outcome.ts'
import type { Resource, SaidMention } from './block-context.ts'
import type { ToolExecutionContext } from './tool-context.ts'
import { untilStopped } from './until-stopped.ts'

/** The text that a mention stands for, such as a document's; undefined when nobody knows it. */
export type LoadResource = (type: string, id: string) => string | undefined | Promise<string | undefined>

/** Makes the one result that returns from an isolated run. */
export type ExtractResult = (run: ToolExecutionContext, context: ExtractContext) => unknown

export interface ExtractContext {
  /** What the caller said, and what it mentioned. */
  readonly content: string
  readonly mentions: readonly SaidMention[]
  readonly resources: readonly Resource[]
  /** Says what a language model was asked; it stands in the outcome. */
  readonly used: (use: ModelUse) => void
  /** Fires when the result is no longer wanted. */
  readonly signal: AbortSignal
}

export interface LoadedResources {
  /** Missing where nothing is isolated. */
  readonly resources: readonly Resource[] | undefined
  readonly warnings: readonly string[]
}

const maxResources = 32
const maxResourceLength = 1_000_000

/** What stands behind the mentions that have an id. One that cannot be loaded is a warning, and stays a mention. */
export async function loadResources(
  mentions: readonly SaidMention[],
  load: LoadResource | undefined,
  signal: AbortSignal,
): Promise<LoadedResources> {
  const wanted = new Map<string, SaidMention & { readonly id: string }>()
  if (!load) return { resources: [], warnings: [] }
  for (const { type, id, label } of mentions) if (id) wanted.set(`${type}\0${id}`, { type, id, label })
  const warnings: string[] = []
  const resources: Resource[] = []
  if (wanted.size > maxResources)
    warnings.push(`${count(wanted.size, 'mention')} are too many; ${maxResources} are loaded.`)
  for (const mention of [...wanted.values()].slice(0, maxResources)) {
    const { type, id } = mention
    try {
      const text: unknown = await untilStopped(load(type, id), signal)
      if (typeof text === 'string') resources.push({ ...mention, text: text.slice(0, maxResourceLength) })
    } catch (error) {
      warnings.push(`What is mentioned as ${type} "${id}" could not be loaded: ${messageOf(error)}`)
    }
  }
  return { resources, warnings }
}

export interface Extracted {
  readonly value: unknown
  readonly warnings: readonly string[]
}

/** The extractor's result; the last block's where there is no extractor, or none that works. */
export async function extractResult(
  run: ToolExecutionContext,
  extract: ExtractResult | undefined,
  context: ExtractContext,
): Promise<Extracted> {
  const last = lastResult(run)
  if (!extract) return { value: last, warnings: [] }
  try {
    return { value: await untilStopped(extract(run, context), context.signal), warnings: [] }
  } catch (error) {
    const warning = `The result of the last block is given, because the extractor failed: ${messageOf(error)}`
    return { value: last, warnings: [warning] }
  }
}

/** What the last block gave; null where there is none. */
export function lastResult({ blocks }: ToolExecutionContext): unknown {
  return [...blocks.values()].at(-1)?.result ?? null
}
