// What contracts compute from their input alone: a small input here, a large one in a thread, since reading ten megabytes of
// anything would hold up the event loop.

import { parseJson } from '../base/json.ts'
import type { WorkThreads } from '../sandbox/work-threads.ts'
import { boundedCopy, measuredCopy } from './budget.ts'
import { ContractError } from './errors.ts'
import { type PureName, pureFunctions } from './pure-functions.ts'

/** What is larger goes to a thread. */
const inlineSize = 16_384
/** The slowest of them takes 5 microseconds a letter. */
const inlineYamlSize = 8_192

export async function compute(name: PureName, input: object, signal: AbortSignal): Promise<unknown> {
  const { size, copy } = measuredCopy(input)
  if (size <= (name === 'yaml' ? inlineYamlSize : inlineSize)) return boundedCopy(await pureFunctions[name](copy))
  const worked = await (await sharedThreads()).run(name, JSON.stringify(copy), signal)
  if (!worked) throw new ContractError('cancelled', 'The run was stopped.')
  if (!worked.ok) throw new ContractError(worked.code, worked.message)
  const parsed = parseJson(worked.text)
  return parsed.ok ? parsed.value : undefined
}

let threads: Promise<WorkThreads> | undefined

/** Started when the first large input comes. */
function sharedThreads(): Promise<WorkThreads> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const module = new URL(`./pure-functions.${extension}`, import.meta.url).href
  threads ??= import('../sandbox/work-threads.ts').then(({ WorkThreads }) => new WorkThreads({ module }))
  return threads
}
