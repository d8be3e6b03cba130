// `legwork tools`: lists all, searches by words, describes one.

import { didYouMean, nearest } from '../base/text.ts'
import type { Legwork } from '../legwork.ts'
import { type Effects, effectNames, hasEffect } from '../model/effects.ts'
import { type ToolDescription, type ToolKind, toolKinds } from '../model/tool.ts'
import { toolJson } from '../tool-json.ts'
import { signature } from '../toolscript/declarations.ts'
import { jsonSchemaOf } from '../validate/json-schema-of.ts'
import { withLegwork } from './open.ts'
import { columns, paint, print, printAside, printJson, printPainted } from './print.ts'
import type { Globals } from './program.ts'
import { withProgress } from './progress.ts'
import { UsageError } from './usage.ts'

interface ToolsOptions extends Globals {
  readonly kind?: string
  readonly types?: boolean
  readonly tokens?: boolean
}

export async function toolsVerb(words: readonly string[], options: ToolsOptions): Promise<number> {
  const kind = checkKind(options.kind)
  return withLegwork(options, async (legwork) => {
    const { named, found } = await withProgress('Asking the servers', options, () => find(words, legwork))
    const tools = found.filter((tool) => kind === undefined || tool.kind === kind)
    if (!options.json) printFaults(legwork)
    if (options.types) return printTypes(await ofModule(words, legwork, named, tools), options)
    if (options.tokens) return (await import('./tokens.ts')).printTokens(tools, options)
    if (options.json) printJson(tools.map(toolJson))
    else if (named && tools.length) printTool(named)
    else printList(tools, words)
    return 0
  })
}

async function find(words: readonly string[], legwork: Legwork) {
  const named = words.length === 1 ? await legwork.tool(words[0] ?? '') : undefined
  const found = named ? [named] : words.length ? await legwork.search(words.join(' ')) : await legwork.tools()
  return { named, found }
}

/** What was wrong with sources that were asked only now, such as a server that did not start. */
function printFaults({ sources, warnings: told }: Legwork): void {
  const found = sources().flatMap(({ warnings }) => warnings)
  for (const warning of found) if (!told.includes(warning)) printAside(`Warning: ${warning}`)
}

/** `git` stands for all tools of `git` where signatures are wanted, whether or not it is a tool itself. */
async function ofModule(
  [word, ...more]: readonly string[],
  legwork: Legwork,
  named: ToolDescription | undefined,
  found: readonly ToolDescription[],
): Promise<readonly ToolDescription[]> {
  if (word === undefined || more.length) return found
  const module = (await legwork.tools()).filter(({ id }) => id.startsWith(`${word}:`))
  return module.length ? [...(named && !module.some(({ id }) => id === named.id) ? [named] : []), ...module] : found
}

function printTypes(tools: readonly ToolDescription[], { json }: ToolsOptions): number {
  if (json) printJson(tools.map((tool) => ({ id: tool.id, types: signature(tool) })))
  else if (tools.length === 0) print('No tool fits.')
  else for (const tool of tools) print(signature(tool))
  return 0
}

function printList(tools: readonly ToolDescription[], words: readonly string[]): void {
  if (tools.length === 0) {
    print(words.length ? `No tool fits "${words.join(' ')}".` : 'There are no tools yet. Name some in legwork.jsonc.')
    return
  }
  const rows = tools.map(({ id, kind, effects, description }) => [
    id,
    kind,
    effectWords(effects),
    firstLine(description),
  ])
  for (const line of columns(rows)) print(line)
}

function printTool(tool: ToolDescription): void {
  const { id, kind, description, trust, source, effects, spellings } = tool
  printPainted(paint('bold', id))
  if (description) print(description)
  const facts = [
    ['kind', kind],
    ['source', source],
    ['trust', trust],
    ['effects', effectWords(effects)],
    ['in scripts', spellings.script],
    ['to a model', spellings.provider],
  ]
  for (const line of columns(facts)) print(line)
  print(`input ${JSON.stringify(jsonSchemaOf(tool.input), null, 2)}`)
}

function effectWords(effects: Effects): string {
  const words = effectNames.filter((name) => hasEffect(effects, name))
  return words.length ? words.join(', ') : 'harmless'
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}

function checkKind(kind: string | undefined): ToolKind | undefined {
  if (kind === undefined || (toolKinds as readonly string[]).includes(kind)) return kind as ToolKind | undefined
  throw new UsageError(
    `"${kind}" is no kind of tool.${didYouMean(nearest(kind, toolKinds)) || ` Write one of ${toolKinds.join(', ')}.`}`,
  )
}
