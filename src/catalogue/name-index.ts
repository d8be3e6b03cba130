// Every spelling of every tool, each of one tool alone. What a source gives gets the names that are free.

import { DuplicateToolError } from '../model/errors.ts'
import { allSpellings, spell } from '../model/name.ts'
import type { Loaded, Tool, ToolDefinition } from '../model/tool.ts'
import { Modules } from './modules.ts'
import { Titles } from './titles.ts'

/** The tools of one source under their names, in its own order, and what is to be said about them. */
export interface Placed {
  readonly tools: readonly Tool[]
  readonly warnings: readonly string[]
}

type BrokenTitles = Loaded['brokenTitles']

export class NameIndex {
  readonly #tools = new Map<string, Tool>()
  readonly #modules = new Modules()
  readonly #titles = new Titles()

  get(spelling: string): Tool | undefined {
    return this.#tools.get(spelling)
  }

  /** What goes by a title that is nearly that. */
  near(spelling: string): ReturnType<Titles['near']> {
    return this.#titles.near(spelling)
  }

  /** All of what a source gave, or nothing. */
  add(source: string, { tools, warnings = [], brokenTitles }: Loaded): Placed {
    const notes = [...warnings]
    const placed = new Map<ToolDefinition, Tool>()
    const seen = new Set<string>()
    try {
      for (const { key, definition } of inOrderOfName(tools)) {
        if (seen.has(key)) {
          notes.push(`${source} lists "${definition.name.path.join(' ')}" twice; the first one counts.`)
          continue
        }
        seen.add(key)
        const tool = this.#named(definition, source, notes)
        placed.set(definition, tool)
        this.restore([tool])
      }
    } catch (error) {
      this.remove([...placed.values()])
      throw error
    }
    this.#titles.addBroken(brokenTitles)
    return { tools: tools.flatMap((definition) => placed.get(definition) ?? []), warnings: notes }
  }

  /** Puts back under their names what was there before. */
  restore(tools: readonly Tool[], brokenTitles?: BrokenTitles): void {
    for (const tool of tools) {
      for (const spelling of allSpellings(tool.spellings)) this.#tools.set(spelling, tool)
      this.#modules.add(tool)
      this.#titles.add(tool)
    }
    this.#titles.addBroken(brokenTitles)
  }

  remove(tools: readonly Tool[], brokenTitles?: BrokenTitles): void {
    for (const tool of tools) {
      for (const spelling of allSpellings(tool.spellings)) this.#tools.delete(spelling)
      this.#modules.remove(tool)
      this.#titles.remove(tool)
    }
    this.#titles.removeBroken(brokenTitles)
  }

  clear(): void {
    this.#tools.clear()
    this.#modules.clear()
    this.#titles.clear()
  }

  #named(given: ToolDefinition, source: string, notes: string[]): Tool {
    const { name, note } = this.#modules.ownName(given)
    const definition = { ...given, name }
    if (note && !notes.includes(`${source}: ${note}`)) notes.push(`${source}: ${note}`)
    const { spellings, disambiguated } = spell(definition.kind, definition.name, (text) => this.#tools.has(text))
    if (disambiguated.length && definition.kind === 'function') throw this.#duplicate(definition, source)
    if (disambiguated.length) {
      notes.push(`${source}: another tool has the plain name, so this one is called ${disambiguated.join(', ')}.`)
    }
    return { ...definition, id: spellings.id, source, spellings }
  }

  /** Says which tool has which of the spellings that a function would have. */
  #duplicate({ kind, name }: ToolDefinition, source: string): DuplicateToolError {
    const { spellings } = spell(kind, name, () => false)
    const spelling = [...allSpellings(spellings)].find((text) => this.#tools.has(text)) ?? spellings.id
    const { id, source: other } = this.#tools.get(spelling) ?? { id: spellings.id, source }
    return new DuplicateToolError(spellings.id, source, { id, source: other, spelling })
  }
}

/** Names are given in the order of the names, so that the order in which a source lists them does not show. */
function inOrderOfName(tools: readonly ToolDefinition[]): { key: string; definition: ToolDefinition }[] {
  return tools
    .map((definition) => ({ key: [definition.name.module ?? '', ...definition.name.path].join('\0'), definition }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
}
