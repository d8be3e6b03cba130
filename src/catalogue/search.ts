// Search by words over names and descriptions, in memory, with nothing to download.

import type { Tool } from '../model/tool.ts'

export type Search = (words: string, most: number) => readonly Tool[]

/** Builds the index; the search library is loaded here and not before. */
export async function createSearch(tools: readonly Tool[]): Promise<Search> {
  const { default: MiniSearch } = await import('minisearch')
  const index = new MiniSearch<{ id: number; name: string; description: string }>({
    fields: ['name', 'description'],
    tokenize: words,
    searchOptions: { boost: { name: 3 }, prefix: true, fuzzy: 0.2 },
  })
  index.addAll(tools.map((tool, id) => ({ id, name: tool.id, description: tool.description })))
  return (query, most) => {
    const hits = index.search(query).slice(0, most)
    return hits.flatMap((hit) => tools[hit.id] ?? [])
  }
}

/** `github:createIssue` is found by "create issue". */
function words(text: string): string[] {
  return text
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
}
