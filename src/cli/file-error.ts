// A file that cannot be read, understood or written. What helps is said in the message; the command's own help does not.

import { LegworkError } from '../model/errors.ts'

export class FileError extends LegworkError {
  constructor(message: string) {
    super('unusable-file', message)
  }
}
