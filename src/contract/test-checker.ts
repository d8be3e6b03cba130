// `tooling/test_checker@1`: runs steps on a known input and compares what they leave with what is expected.

import { isDeepStrictEqual } from 'node:util'
import { isObject, messageOf } from '../base/json.ts'
import { boundedCopy } from './budget.ts'
import { ContractError } from './errors.ts'
import type { StreamSpec } from './streams.ts'
import type { Step } from './surroundings.ts'

interface Difference {
  readonly path: string
  readonly actual: unknown
  readonly expected: unknown
}

const maxDifferences = 1_000

/** Only what is expected is compared: more keys in an object are no difference. */
export async function testChecker(input: Record<string, unknown>, step: Step): Promise<unknown> {
  const { expected, failFast } = input
  if (expected === undefined) throw new ContractError('invalid-input', 'Say what is "expected".')
  const started = performance.now()
  const report = (fields: Record<string, unknown>) => ({ ...fields, expected, durationMs: performance.now() - started })
  try {
    const steps = await stepsOf(input, step)
    const actual = await step.compose(steps, initialState(input, step), step)
    const diffs = differences(actual, expected, '$')
      .take(failFast === false ? maxDifferences : 1)
      .toArray()
    if (diffs.length === 0) return report({ success: true, actual, messages: [] })
    const messages = ['What the steps left differs from what is expected.']
    return report({ success: false, actual, messages, diffs })
  } catch (error) {
    if (step.signal.aborted) throw error
    const where = error instanceof ContractError && error.where ? ` in ${error.where}` : ''
    return report({ success: false, actual: null, messages: [`The steps failed${where}: ${messageOf(error)}`] })
  }
}

/** The steps themselves, or those of another file. */
async function stepsOf({ compose, composeRef }: Record<string, unknown>, step: Step): Promise<unknown> {
  if (compose !== undefined) return compose
  if (!isObject(composeRef)) throw new ContractError('invalid-input', 'Give "compose" or "composeRef.path".')
  const { bytes } = await step.files.read(composeRef.path, step.signal)
  const { parseComposeText } = await import('./compose-file.ts')
  const parsed = await parseComposeText(bytes.toString('utf8'), step.signal)
  return isObject(parsed) ? parsed.compose : parsed
}

function initialState({ input, streams }: Record<string, unknown>, step: Step): Record<string, unknown> {
  const copied = boundedCopy(input)
  const state = isObject(copied) ? copied : {}
  if (streams === undefined) return state
  const issues = step.streams.register(streamSpecs(streams), state)
  const [first] = issues
  if (first) throw new ContractError('invalid-input', `${first.path}: ${first.message}`)
  return state
}

function streamSpecs(streams: unknown): readonly StreamSpec[] {
  const list: unknown[] = Array.isArray(streams) ? streams : [streams]
  return list.map((spec) => {
    const { target, chunks, encoding, mediaType } = isObject(spec) ? spec : {}
    if (typeof target !== 'string' || !Array.isArray(chunks))
      throw new ContractError('invalid-input', 'A stream needs a "target" and "chunks".')
    return {
      target,
      chunks: chunks.map(String),
      ...(typeof encoding === 'string' && { encoding }),
      ...(typeof mediaType === 'string' && { mediaType }),
    }
  })
}

function* differences(actual: unknown, expected: unknown, path: string): Generator<Difference> {
  if (isObject(expected) && isObject(actual)) {
    for (const [key, value] of Object.entries(expected))
      yield* differences(Object.hasOwn(actual, key) ? actual[key] : undefined, value, `${path}.${key}`)
  } else if (Array.isArray(expected) && Array.isArray(actual) && expected.length === actual.length) {
    for (const [at, value] of expected.entries()) yield* differences(actual[at], value, `${path}[${at}]`)
  } else if (!isDeepStrictEqual(actual, expected)) yield { path, actual: actual ?? null, expected }
}
