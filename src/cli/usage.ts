// A command line that cannot be understood.

import { CommanderError } from 'commander'

export class UsageError extends CommanderError {
  constructor(message: string) {
    super(2, 'usage', message)
  }
}
