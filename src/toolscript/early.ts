// For a command that will run one script: what takes longest is begun before anything else is loaded.

import { prepareBoxes } from '../sandbox/deno-box.ts'
import { closeEarlyChecker, startCheckerEarly } from './check.ts'

/** Whoever calls it calls `endEarly` at last: what nobody has come to use is ended. */
export function prepareEarly(): void {
  startCheckerEarly()
  prepareBoxes()
}

export const endEarly = closeEarlyChecker
