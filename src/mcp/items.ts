// What servers list besides tools: resources, templates of resources, prompts.

import { isObject } from '../base/json.ts'
import type { McpBounds } from './settings.ts'

export type ItemKind = 'resources' | 'templates' | 'prompts'

/** As the server describes it, with the one field that it is known by checked. */
export type Item = Readonly<Record<string, unknown>> & { readonly name: string; readonly key: string }

export const itemKinds = {
  resources: { method: 'resources/list', field: 'resources', key: 'uri', capability: 'resources' },
  templates: {
    method: 'resources/templates/list',
    field: 'resourceTemplates',
    key: 'uriTemplate',
    capability: 'resources',
  },
  prompts: { method: 'prompts/list', field: 'prompts', key: 'name', capability: 'prompts' },
} as const satisfies Readonly<Record<ItemKind, unknown>>

const maxKeyLength = 8_192

/** Page by page. What is no item of its kind, or comes twice, is left out; a list that never ends is cut. */
export async function listItems(
  kind: ItemKind,
  getPage: (cursor: string | undefined) => Promise<unknown>,
  { maxPages, maxTools: maxItems, maxListBytes }: McpBounds,
): Promise<readonly Item[]> {
  const { field, key } = itemKinds[kind]
  const items = new Map<string, Item>()
  let cursor: string | undefined
  let bytes = 0
  for (let pages = 0; pages < maxPages; pages++) {
    const page = await getPage(cursor)
    const entries = isObject(page) && Array.isArray(page[field]) ? page[field] : []
    for (const entry of entries) {
      const item = itemOf(entry, key)
      if (!item || items.has(item.key)) continue
      bytes += JSON.stringify(entry).length
      if (items.size >= maxItems || bytes > maxListBytes) return [...items.values()]
      items.set(item.key, item)
    }
    const next = isObject(page) ? page.nextCursor : undefined
    if (typeof next !== 'string' || next === cursor) break
    cursor = next
  }
  return [...items.values()]
}

function itemOf(entry: unknown, key: string): Item | undefined {
  if (!isObject(entry)) return undefined
  const known = entry[key]
  if (typeof known !== 'string' || known === '' || known.length > maxKeyLength) return undefined
  return { ...entry, name: typeof entry.name === 'string' ? entry.name : known, key: known }
}
