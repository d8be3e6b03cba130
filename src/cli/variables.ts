// `--var name=value`, as often as there are variables.

import { UsageError } from './usage.ts'

export function readVariables(given: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    given.map((text) => {
      const at = text.indexOf('=')
      if (at < 1) throw new UsageError(`"${text}" gives no variable a value. Write --var name=value.`)
      return [text.slice(0, at), text.slice(at + 1)]
    }),
  )
}
