// Whether no two items of a list are equal, in time linear in the list: comparing each with each is not.

import { canonicalJson } from '../base/json.ts'

export function areUnique(list: readonly unknown[]): boolean {
  const scalars = new Set<unknown>()
  const others = new Set<string>()
  for (const item of list) {
    if (typeof item === 'object' && item !== null) others.add(canonicalJson(item))
    else scalars.add(item)
  }
  return scalars.size + others.size === list.length
}
