// What is told of a document while it runs, and where a host may step in.

import type { CallEvent } from '../model/event.ts'
import type { BlockContext } from './block-context.ts'
import type { BlockResult } from './block-result.ts'
import type { RunnableBlock } from './document.ts'
import type { ExecutionMetadata } from './state.ts'

export type DocumentEvent =
  | { readonly type: 'started'; readonly total: number }
  | {
      readonly type: 'block-started'
      readonly id: string
      readonly tool: string
      readonly at: number
      readonly total: number
    }
  /** What the block's call tells meanwhile: a decision, output, progress. */
  | { readonly type: 'block-event'; readonly id: string; readonly event: CallEvent }
  | { readonly type: 'block-ended'; readonly id: string; readonly tool: string; readonly result: BlockResult }
  | { readonly type: 'ended'; readonly metadata: ExecutionMetadata }

export interface DocumentHooks {
  /** Before a block runs. With `false` it does not run; a hook that throws is the block's error. */
  readonly beforeBlock?: (block: RunnableBlock, context: BlockContext) => unknown
  /** After a block ran. A hook that throws is a warning. */
  readonly afterBlock?: (block: RunnableBlock, result: BlockResult, context: BlockContext) => unknown
}
