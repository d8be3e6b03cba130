// Which options of `legwork run` go with documents, and with each other.

import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { RunDocumentOptions } from './run-document.ts'
import { UsageError } from './usage.ts'

const forAgents = { message: '--message', var: '--var', model: '--model', maxSteps: '--max-steps' } as const
const forOthers = { input: '--input', dry: '--dry', memory: '--memory' } as const
const forRuns = {
  ...{ write: '--write', junit: '--junit', block: '--block', triggers: '--triggers' },
  ...{ stopOnError: '--stop-on-error', timeout: '--timeout', readOnly: '--read-only', ...forAgents },
} as const

/** An option that would be passed over in silence is a mistake. */
export function checkDocumentOptions(file: string, options: RunDocumentOptions): void {
  refuseAny(options, forOthers, 'is not for documents')
  if (options.check) refuseAny(options, forRuns, 'does not go with --check, which runs nothing')
  if (options.write && file === '-') throw new UsageError('--write needs a file: stdin cannot be written back to.')
  if (options.junit !== undefined && file !== '-' && isSameFile(options.junit, file)) {
    throw new UsageError(`--junit would write the report over the document "${file}". Name another file.`)
  }
}

/** Once it is known that nobody is talked to. */
export function refuseAgentOptions(options: RunDocumentOptions): void {
  refuseAny(options, forAgents, 'is for talking to an <agent>, and these are the blocks of a document')
}

function refuseAny<Name extends keyof RunDocumentOptions>(
  options: RunDocumentOptions,
  names: { readonly [Each in Name]: string },
  why: string,
): void {
  for (const name in names) {
    if (options[name] !== undefined) throw new UsageError(`${names[name]} ${why}. Leave it out.`)
  }
}

function isSameFile(one: string, other: string): boolean {
  if (resolve(one) === resolve(other)) return true
  const [first, second] = [one, other].map((file) => statSync(file, { throwIfNoEntry: false }))
  return first !== undefined && second !== undefined && first.dev === second.dev && first.ino === second.ino
}
