// What a `<diff>` asks for, as it is written; diff.ts says what each means.

import type { Attributes, Block, RichText, Source } from './document.ts'

export interface DiffOperation {
  /** `edit:attr`, `insert`, `move`, … */
  readonly element: string
  readonly attributes: Attributes
  readonly source: Source
  /** Of `insert` and `replace`. */
  readonly blocks: readonly Block[]
  /** Of `edit:content`. */
  readonly content: RichText
  /** Of `edit:params`, with entities and CDATA undone. */
  readonly text: string
}
