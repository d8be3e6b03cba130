// Why a block failed, all of it: the message, each fault of its input, and what its process printed.

import type { BlockError } from '../document/block-result.ts'

export function errorText({ message, issues = [], process }: BlockError): string {
  // Faults of the document's own text are in the message already, with the lines around them.
  const faults = issues.filter(({ fault }) => fault === undefined)
  const lines = faults.map(({ path, message: why }) => (path ? `${path}: ${why}` : why))
  return [message, ...lines, process?.stderr ?? ''].filter(Boolean).join('\n')
}
