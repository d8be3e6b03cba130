// A custom tool as the catalogue has it: title, description and variables, and a run of its blocks. Its definition stays here.

import { limitSpecs } from '../model/limits.ts'
import type { ToolDefinition } from '../model/tool.ts'
import type { Document, ToolBlock } from './document.ts'
import { inputSchema, readInput } from './tool-input.ts'
import { type CustomToolHost, runCustomTool } from './tool-run.ts'

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
    name: { module: 'custom', path: [name], ...(suffix === undefined && { aliases: [title] }) },
    title,
    kind: 'document',
    description: description || `The custom tool "${title}".`,
    input: { type: 'json', schema: inputSchema(tool) },
    // What it does is what its blocks do, which is decided for each of them; nobody can tell from here.
    effects: {},
    trust: 'native',
    ownersOwn: true,
    limits: { timeoutMs: limitSpecs.timeoutMs.max },
    run: (input, context) => runCustomTool({ tool, document, host }, readInput(input), context),
  }
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
