// How a run ends some of whose blocks failed.

import { count } from '../base/text.ts'
import { failureMessage } from '../model/inner-failure.ts'
import type { Ran } from '../model/tool.ts'
import type { BlockError, BlockResult } from './block-result.ts'

const mostTold = 5
const maxReasonLength = 1_000

/**
 * The reasons of the first few, each cut to length. Where all that is missing is a person's approval, that is how the run ends:
 * it can be made again afterwards. Nothing where no block has failed.
 */
export function blocksFailure(
  blocks: ReadonlyMap<string, BlockResult>,
  of = '',
): Extract<Ran, { readonly code: 'tool-failed' | 'approval-needed' }> | undefined {
  const failed = [...blocks].flatMap(([id, { error }]) => (error ? [{ id, error }] : []))
  const [first] = failed
  if (!first) return undefined
  const told = failed.slice(0, mostTold).map(({ id, error }) => `"${id}" (${error.code}): ${reasonOf(error)}`)
  const more = failed.length > mostTold ? ` … and ${count(failed.length - mostTold, 'more block')}.` : ''
  const message = `${failed.length} of ${count(blocks.size, 'block')}${of} failed. ${told.join(' ')}${more}`
  if (!failed.every(({ error }) => error.code === 'approval-needed')) return { ok: false, code: 'tool-failed', message }
  const { approval } = first.error
  return { ok: false, code: 'approval-needed', message, ...(approval && { approval }) }
}

/** The innermost cause stands at the end. */
function reasonOf(error: BlockError): string {
  const reason = failureMessage(error)
  if (reason.length <= maxReasonLength) return reason
  const half = maxReasonLength / 2
  return `${reason.slice(0, half)} … ${reason.slice(-half)}`.toWellFormed()
}
