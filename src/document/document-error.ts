// A text that was to be a document and is none, where that is misuse.

import { LegworkError } from '../model/errors.ts'
import { type DocumentFault, describeFault } from './faults.ts'

/** All the faults of a document at once. */
export class DocumentError extends LegworkError {
  readonly faults: readonly DocumentFault[]

  constructor(faults: readonly DocumentFault[], where = 'the document') {
    super('invalid-document', faults.map((fault) => describeFault(where, fault)).join('\n\n'))
    this.faults = faults
  }
}
