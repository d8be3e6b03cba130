// One run of a custom tool: its variables found, its blocks called one after the other, all of it told as the specification has it.

import { type Clock, systemClock } from '../base/clock.ts'
import { setOwn } from '../base/json.ts'
import { count } from '../base/text.ts'
import type { Effects } from '../model/effects.ts'
import type { Ran, RunContext, ToolDefinition } from '../model/tool.ts'
import { type BlockContext, currentBlock, type Resource, type Said } from './block-context.ts'
import type { BlockResult } from './block-result.ts'
import type { Surroundings } from './call-block.ts'
import { contentResolver } from './content-resolver.ts'
import type { Document, ToolBlock } from './document.ts'
import { Execution } from './execution.ts'
import { blocksFailure } from './failed-blocks.ts'
import {
  cycleTo,
  type InheritedContext,
  inheritedContext,
  type ToolResult,
  wantsIsolation,
  withinTool,
} from './inherited-context.ts'
import {
  type ExtractResult,
  extractResult,
  type LoadedResources,
  type LoadResource,
  lastResult,
  loadResources,
} from './isolation.ts'
import type { ResolveVariables } from './resolve-variables.ts'
import { readSaid } from './said.ts'
import { shownToModel } from './shown-to-model.ts'
import { ToolExecutionContext } from './tool-context.ts'
import type { ToolInput } from './tool-input.ts'
import { ToolVariables } from './tool-variables.ts'

/** What the host brings to custom tools. */
export interface CustomToolHost {
  /** Finds the values of variables. Default: what the caller mentions and says of them by their names. */
  readonly resolveVariables?: ResolveVariables | undefined
  /** Longest that may take, in milliseconds. Default 90,000. */
  readonly resolveTimeoutMs?: number
  /** Makes the one result of an isolated run. Default: the last block's. */
  readonly extract?: ExtractResult | undefined
  /** Gives the text of what is mentioned, for isolated runs. Default: nothing is known. */
  readonly loadResource?: LoadResource | undefined
  /** Whether every custom tool is isolated. Default: those that say isolated="true". */
  readonly isolated?: boolean
  /** What asking for values and results does to the world, where a language model is asked. Default: nothing is known of it. */
  readonly modelEffects?: Effects | undefined
  /** Tools that are in no catalogue, by their ids; they go before those that are. Default none. */
  readonly own?: (id: string) => ToolDefinition | undefined
  /** Lent to every tool as `context.api`. Default nothing. */
  readonly api?: unknown
  /** Default: the system's. */
  readonly clock?: Clock
}

export interface CustomTool {
  readonly tool: ToolBlock
  /** The one that defines it. */
  readonly document: Document
  readonly host: CustomToolHost
}

export async function runCustomTool(custom: CustomTool, input: ToolInput, run: RunContext): Promise<Ran> {
  const { tool, host } = custom
  const cycle = cycleTo(tool)
  if (cycle) return { ok: false, code: 'tool-failed', message: cycleMessage(cycle) }
  const { isApart, said, surroundings, variables, resources, warnings } = await prepare(custom, input, run)
  const execution = executionOf(custom, surroundings, variables, resources, run)
  await withinTool(tool, surroundings.inherited, () => execution.run(run))

  const { blocks, metadata } = execution.state()
  const record = recordOf(tool, variables, blocks, metadata.totalDuration)
  const failure = variablesFailure(tool, variables) ?? blocksFailure(blocks, ` of "${tool.title}"`)
  if (failure) return { ...failure, record, warnings }
  if (!isApart) return { ok: true, value: lastResult(record), record, warnings }
  const { text: content, mentions } = said
  const context = { content, mentions, resources: resources ?? [], used: run.usedModel, signal: run.signal }
  const extracted = await extractResult(record, host.extract, context)
  return { ok: true, value: extracted.value, record, warnings: [...warnings, ...extracted.warnings] }
}

/** The values of the variables alone: no block runs. */
export async function previewCustomTool(custom: CustomTool, input: ToolInput, run: RunContext): Promise<Ran> {
  const { tool, document, host } = custom
  const { surroundings, variables, resources, warnings } = await prepare(custom, input, run)
  const block = { currentBlockId: tool.calls[0]?.id ?? '', previousResults: new Map(), document }
  const lent = { ...(host.api !== undefined && { api: host.api }), ...(resources && { resources }) }
  const { signal, usedModel: used } = run
  const { values } = await variables.all({ ...block, ...lent, ...surroundings, used, signal })
  const record = recordOf(tool, variables, new Map(), 0)
  const value = {}
  for (const [name, text] of values) setOwn(value, name, text)
  const failure = variablesFailure(tool, variables)
  return failure ? { ...failure, record, warnings } : { ok: true, value, record, warnings }
}

/** The tool's author decides, or its owner: never whoever calls it. */
export function isIsolated({ attributes }: ToolBlock, host: CustomToolHost): boolean {
  return host.isolated === true || attributes.isolated === 'true'
}

/** Everything that the blocks, or a preview of them, begin with. */
async function prepare({ tool, host }: CustomTool, input: ToolInput, run: RunContext) {
  const isApart = isIsolated(tool, host) || wantsIsolation()
  const said = saidTo(input, run.content)
  const { resources, warnings } = isApart ? await loadResources(said.mentions, host.loadResource, run.signal) : open
  const surroundings = surroundingsOf(
    tool,
    said,
    isApart ? {} : inheritedContext(),
    isApart ? undefined : currentBlock(),
  )
  const { resolveVariables = contentResolver, resolveTimeoutMs = 90_000 } = host
  const variables = new ToolVariables(tool, resolveVariables, input.variables, resolveTimeoutMs, run)
  return { isApart, said, surroundings, variables, resources, warnings }
}

/** What a tool has that is not isolated: everything is around it, so nothing is loaded for it. */
const open: LoadedResources = { resources: undefined, warnings: [] }

function cycleMessage(cycle: readonly ToolBlock[]): string {
  const way = cycle.map(({ title }) => `"${title}"`).join(' → ')
  return `A custom tool calls itself: ${way}. It would never end; take that call out.`
}

/** What a block says has been read already: a value that was filled in there is data, and is not read again as markup. */
function saidTo(input: ToolInput, content: string): Said {
  const block = currentBlock()?.said
  const given = block?.text === content ? block : readSaid(content)
  if (input.content === undefined) return given
  const more = readSaid(input.content)
  const text = [given.text, more.text].filter(Boolean).join('\n')
  // What a block said stands first, so its values stand where they stood.
  return { ...given, text, mentions: [...given.mentions, ...more.mentions] }
}

function surroundingsOf(
  { title, description }: ToolBlock,
  { text: content, mentions, filled }: Said,
  inherited: InheritedContext,
  calledFrom: BlockContext | undefined,
): Surroundings {
  const said = { content, mentions, ...(filled && { filled }) }
  return { ...said, tool: { title, description }, inherited, ...(calledFrom && { calledFrom }) }
}

function executionOf(
  { tool, document, host }: CustomTool,
  surroundings: Surroundings,
  variables: ToolVariables,
  resources: readonly Resource[] | undefined,
  { caller: { session }, limits }: RunContext,
): Execution {
  const { heard } = surroundings.inherited
  return new Execution({
    blocks: tool.calls,
    isWanted: () => true,
    warnings: [],
    carried: () => undefined,
    document,
    caller: { front: 'document', name: tool.title, ...(session !== undefined && { session }) },
    surroundings,
    fill: variables.fill,
    own: host.own,
    stopOnError: false,
    // All of it is redacted in the outcome.
    redact: (text) => text,
    api: currentBlock()?.api ?? host.api,
    resources,
    hooks: { beforeBlock: () => !variables.hasFailed },
    tell: (event) => {
      if (heard && event.type === 'block-ended') tell(heard, resultTold(event.tool, event.result, limits.maxTextLength))
    },
    clock: host.clock ?? systemClock,
  })
}

/** Whoever listens does not break what it listens to. */
function tell(heard: NonNullable<InheritedContext['heard']>, result: ToolResult): void {
  try {
    heard(result)
  } catch {
    // It is told of the next one all the same.
  }
}

function resultTold(tool: string, { tool: id = tool, result, error }: BlockResult, most: number): ToolResult {
  return { tool: id, ok: !error, text: shownToModel(error ? error.message : result, most) }
}

function recordOf(
  toolDefinition: ToolBlock,
  { resolved }: ToolVariables,
  blocks: ReadonlyMap<string, BlockResult>,
  duration: number,
): ToolExecutionContext {
  const blocksFailed = [...blocks.values()].filter(({ error }) => error).length
  const blocksExecuted = blocks.size
  const counts = { blocksExecuted, blocksSucceeded: blocksExecuted - blocksFailed, blocksFailed }
  const metadata = { toolName: toolDefinition.title, duration, ...counts }
  return new ToolExecutionContext({ variables: resolved?.values ?? new Map(), blocks, metadata, toolDefinition })
}

type Failure = Extract<Ran, { readonly ok: false }>

function variablesFailure({ title }: ToolBlock, { resolved }: ToolVariables): Failure | undefined {
  const { faults = [], failure } = resolved ?? {}
  if (faults.length === 0) return undefined
  const message = `The variables of "${title}" have ${count(faults.length, 'fault')}.`
  if (failure !== undefined) return { ok: false, code: 'tool-failed', message: faults[0]?.message ?? message }
  const issues = faults.map(({ name, code, message: why }) => ({ path: `variables.${name}`, code, message: why }))
  return { ok: false, code: 'invalid-input', message, issues }
}
