// Reads documents for the tools in them. A fault in one tool takes that tool out, and no other; whoever calls it is told the fault.

import { globSync, readFileSync, statSync } from 'node:fs'
import { basename, extname, resolve } from 'node:path'
import { messageOf } from '../base/json.ts'
import { noFile } from '../base/missing-files.ts'
import { decodeText } from '../base/text-file.ts'
import { allSpellings, looksLikeSpelling, spell } from '../model/name.ts'
import type { Loaded, ToolDefinition } from '../model/tool.ts'
import type { Document, ToolBlock } from './document.ts'
import type { DocumentFault } from './faults.ts'
import type { LoadResource } from './isolation.ts'
import { parseDocument } from './parse.ts'
import { nameOf, toolDefinition } from './tool-definition.ts'
import type { CustomToolHost } from './tool-run.ts'
import { beginnings, type DocumentSourceOptions } from './tool-source.ts'
import { textWithoutTools } from './without-tools.ts'

const maxFileBytes = 52_428_800

export function loadTools({ folder, patterns, ...host }: DocumentSourceOptions): Loaded {
  const warnings: string[] = []
  const unread: string[] = []
  const found = readAll(folder, patterns, warnings, unread)
  const faults = new Map<string, string>()
  const brokenTitles = new Map<string, string>()
  for (const { path, document, broken, general } of found) {
    const faultsOfFile = general.map((fault) => `"${path}": ${described(fault)}`)
    warnings.push(...faultsOfFile)
    unread.push(...faultsOfFile)
    for (const [tool, why] of broken) {
      const message = `The tool "${tool.title}" in "${path}" is left out: ${why}`
      warnings.push(message)
      for (const spelling of spellingsOf(tool, document)) faults.set(spelling, message)
      brokenTitles.set(tool.title, message)
    }
  }
  const tools = definitions(found, { loadResource: loaderOf(found.map(({ document }) => document)), ...host }, warnings)
  return { tools, warnings, faults, brokenTitles, unread: (spelling) => (isOfDocuments(spelling) ? unread : []) }
}

/** A name of this kind, or several words: they are a title. */
function isOfDocuments(spelling: string): boolean {
  return /\S\s+\S/.test(spelling) || beginnings.some((beginning) => spelling.startsWith(beginning))
}

/** The tools of one document, without those that have a fault: what is wrong is told in the warnings. */
export function toolsOf(
  document: Document,
  host: CustomToolHost = {},
  warnings: string[] = [],
): readonly ToolDefinition[] {
  const tools = document.tools.filter((tool) => {
    const why = ownFault(tool)
    if (why !== undefined) warnings.push(`The tool "${tool.title}" is left out: ${why}`)
    return why === undefined
  })
  return definitions([{ path: document.path ?? 'document', document, tools }], host, warnings)
}

/** The same for tools that are in no catalogue, such as an agent's own: they find each other, by their ids. */
export function ownToolsOf(document: Document, host: CustomToolHost, warnings: string[]): readonly ToolDefinition[] {
  const byId = new Map<string, ToolDefinition>()
  const tools = toolsOf(document, { ...host, own: (id) => byId.get(id) }, warnings)
  for (const tool of tools) byId.set(idOf(tool), tool)
  return tools
}

/** The text of documents by the id of their root, read when one is first wanted. */
export function loaderOfFiles(folder: string, patterns: readonly string[], given: readonly Document[]): LoadResource {
  let loader: LoadResource | undefined
  return (type, id) => {
    loader ??= loaderOf([...readAll(folder, patterns, [], []).map(({ document }) => document), ...given])
    return loader(type, id)
  }
}

/** A file that is no document at all is told in the warnings, and among what could not be read. */
function readAll(folder: string, patterns: readonly string[], warnings: string[], unread: string[]): readonly Found[] {
  const found: Found[] = []
  for (const path of filesOf(folder, patterns, warnings)) {
    try {
      found.push(read(resolve(folder, path), path))
    } catch (error) {
      const fault = `The document "${path}" is not loaded. ${messageOf(error)}`
      warnings.push(fault)
      unread.push(fault)
    }
  }
  return found
}

interface Found extends Usable {
  /** The tools that cannot be used, and why. */
  readonly broken: ReadonlyMap<ToolBlock, string>
  /** Faults that belong to no tool. */
  readonly general: readonly DocumentFault[]
}

interface Usable {
  readonly path: string
  readonly document: Document
  readonly tools: readonly ToolBlock[]
}

function filesOf(folder: string, patterns: readonly string[], warnings: string[]): ReadonlySet<string> {
  const files = new Set<string>()
  for (const pattern of patterns) {
    const found = globSync(pattern, { cwd: folder }).sort()
    if (found.length === 0) warnings.push(noFile(pattern, 'documents'))
    for (const path of found) files.add(path)
  }
  return files
}

function read(file: string, path: string): Found {
  const stats = statSync(file)
  if (!stats.isFile()) throw new Error('It is no file.')
  if (stats.size > maxFileBytes) throw new Error(`It has ${stats.size} bytes; at most ${maxFileBytes} are read.`)
  const text = decodeText(readFileSync(file))
  if (text === undefined) throw new Error('It is not UTF-8. Save it as UTF-8.')
  const parsed = parseDocument(text, { path: file })
  const document = parsed.ok ? parsed.document : parsed.partial
  const faults = parsed.ok ? [] : parsed.faults
  if (!document) throw new Error(faults.slice(0, 3).map(described).join(' '))
  const broken = new Map<ToolBlock, string>()
  for (const tool of document.tools) {
    const why = faults.filter(({ toolId }) => toolId === tool.id).map(described)
    const fault = why.length ? why.slice(0, 3).join(' ') : ownFault(tool)
    if (fault !== undefined) broken.set(tool, fault)
  }
  const tools = document.tools.filter((tool) => !broken.has(tool))
  return { path, document, tools, broken, general: faults.filter(({ toolId }) => toolId === undefined).slice(0, 3) }
}

function ownFault({ title, calls }: ToolBlock): string | undefined {
  if (nameOf(title) === '') return 'its title has no letter and no digit. Write a title that has one.'
  const ids = new Set(calls.map(({ id }) => id))
  return ids.size < calls.length ? 'two of its blocks have the same id. Give each its own.' : undefined
}

function described({ code, line, column, message, hint, related }: DocumentFault): string {
  const other = related ? ` The other place is ${related.line}:${related.column}.` : ''
  return `${line}:${column} ${code}: ${message} ${hint}${other}`
}

function spellingsOf(tool: ToolBlock, document: Document): Iterable<string> {
  const { kind, name } = toolDefinition(tool, document)
  return name.path[0] === '' ? [tool.title] : allSpellings(spell(kind, name, () => false).spellings)
}

function idOf({ kind, name }: ToolDefinition): string {
  return spell(kind, name, () => false).spellings.id
}

/** Tools of one title get names of their own from their documents, and neither is found by the title. */
function definitions(found: readonly Usable[], host: CustomToolHost, warnings: string[]): ToolDefinition[] {
  const all = found.flatMap(({ path, document, tools }) => tools.map((tool) => ({ path, document, tool })))
  const byName = Map.groupBy(all, ({ tool, document }) => idOf(toolDefinition(tool, document)))
  for (const { tool, document, path } of all.filter((one) => looksLikeSpelling(one.tool.title))) {
    const { title } = tool
    const id = idOf(toolDefinition(tool, document))
    warnings.push(`The title "${title}" looks like a name ("${path}"), so the tool is found as "${id}" alone.`)
  }
  return [...byName.values()].flatMap((group) => {
    const [first, second] = group
    if (!first || !second) return group.map((one) => toolDefinition(one.tool, one.document, host))
    const places = [...new Set(group.map(({ path }) => `"${path}"`))].join(', ')
    warnings.push(
      `Several tools are called "${first.tool.title}" (${places}), so none is found by that title. Rename them.`,
    )
    const taken = new Set<string>()
    return group.map((one) => toolDefinition(one.tool, one.document, host, freeSuffix(one.path, taken)))
  })
}

function freeSuffix(path: string, taken: Set<string>): string {
  const plain = nameOf(basename(path, extname(path))) || 'document'
  let suffix = plain
  for (let at = 2; taken.has(suffix); at++) suffix = `${plain}_${at}`
  taken.add(suffix)
  return suffix
}

/** The documents that were read, by the id of their root, without the tools in them. */
export function loaderOf(documents: readonly Document[]): LoadResource {
  const byId = new Map(documents.map((document) => [document.attributes.id, document]))
  return (type, id) => {
    const document = type === 'document' ? byId.get(id) : undefined
    return document && textWithoutTools(document)
  }
}
