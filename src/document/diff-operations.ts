// What a `<diff>` asks for, as it is written; diff.ts says what each means.

import type { Attributes, Block, Source } from './document.ts'

export interface DiffOperation {
  /** `edit:attr`, `insert`, `move`, … */
  readonly element: string
  readonly attributes: Attributes
  readonly source: Source
  /** Of `insert` and `replace`. */
  readonly blocks: readonly Block[]
}
