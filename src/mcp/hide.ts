// What a server says of itself without the secrets that it was given: a server may put its own token into a description. Whatever
// goes by a name that holds one is left out, since it could not be called by another.

import { count } from '../base/text.ts'
import type { Item } from './items.ts'
import type { Listed } from './list.ts'

/** Takes secrets out of a text or of all texts in a value. */
export type Hide = <T>(value: T) => T

export const asItIs: Hide = (value) => value

export function hideInTools({ tools, warnings }: Listed, hide: Hide): Listed {
  const named = tools.filter(({ name }) => hide(name) === name)
  const left = tools.length - named.length
  const why = `Left out because a secret stands in the name: ${count(left, 'tool')}.`
  return {
    tools: named.map((tool) => ({ ...hide(tool), name: tool.name })),
    warnings: [...warnings.map(hide), ...(left > 0 ? [why] : [])],
  }
}

export function hideInItems(items: readonly Item[], hide: Hide): readonly Item[] {
  return items.filter(({ key }) => hide(key) === key).map((item) => ({ ...hide(item), key: item.key }))
}
