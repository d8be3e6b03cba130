// A custom tool as the catalogue has it: title, description and variables, and a run of its blocks. Its definition stays here.

import { limitSpecs } from '../model/limits.ts'
import type { ToolDefinition } from '../model/tool.ts'
import type { Document, ToolBlock } from './document.ts'
import { inputSchema, readInput } from './tool-input.ts'
import { type CustomToolHost, isIsolated, previewCustomTool, runCustomTool } from './tool-run.ts'

/** `Search The Web` is `custom:searchTheWeb`. `suffix` sets apart a tool whose title another one has too. */
export function toolDefinition(
  tool: ToolBlock,
  document: Document,
  host: CustomToolHost = {},
  suffix?: string,
): ToolDefinition {
  const { title, description } = tool
  const name = suffix === undefined ? nameOf(title) : `${nameOf(title)}_${suffix}`
  return {
    name: { module: 'custom', path: [name] },
    title,
    kind: 'document',
    description: description || `The custom tool "${title}".`,
    input: { type: 'json', schema: inputSchema(tool) },
    // What it does is what its blocks do, which is decided for each of them; nobody can tell from here, except who is asked besides.
    effects: asksModel(tool, host) ? (host.modelEffects ?? {}) : {},
    trust: 'native',
    ownersOwn: true,
    limits: { timeoutMs: limitSpecs.timeoutMs.max },
    fingerprint: () => document.text.slice(tool.source.start, tool.source.end),
    run: (input, context) => runCustomTool({ tool, document, host }, readInput(input), context),
    preview: (input, context) => previewCustomTool({ tool, document, host }, readInput(input), context),
  }
}

function asksModel(tool: ToolBlock, host: CustomToolHost): boolean {
  return tool.variables.length > 0 || isIsolated(tool, host)
}

/** The title's words in small letters; empty when it has none. */
export function nameOf(title: string): string {
  const words =
    title
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  return words.join('_')
}
