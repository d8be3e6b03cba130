// Whether no two items of a list are equal, in time linear in the list: comparing each with each is not.

import { isObject } from '../base/json.ts'

export function areUnique(list: readonly unknown[]): boolean {
  const scalars = new Set<unknown>()
  const others = new Set<string>()
  for (const item of list) {
    if (typeof item === 'object' && item !== null) others.add(canonical(item))
    else scalars.add(item)
  }
  return scalars.size + others.size === list.length
}

/** The same text for equal values, whatever the order of their keys. The depth of inputs is bounded. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (!isObject(value)) return JSON.stringify(value)
  const fields = Object.keys(value).sort()
  return `{${fields.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join()}}`
}
